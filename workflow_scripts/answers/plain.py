"""Blank out what surrounds words and means nothing: full-width forms, LaTeX text commands, markdown, HTML."""

from __future__ import annotations

import re
import unicodedata

_PIECE = 1000
_THINKING = ("think", "thinking")
_SIGNS = str.maketrans(dict.fromkeys('*_`"“”${}', " "))
_LATEX = re.compile(
    r"\\{1,4}(?:(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf|tt)|operatorname|underline|emph|[lL]arge|LARGE|bf|rm|f?boxed|fbox)(?![A-Za-z])"
    r"|[()\[\],;! ]|n(?![a-z])|(?=[{}]))"
)
_TAGS = re.compile(r"</?[a-z][a-z0-9]{0,9} ?/?>|<\|[^<>|]{0,40}\|>", re.IGNORECASE)
_ENTITIES = re.compile(r"&(?:nbsp|quot|ldquo|rdquo|#\d{1,4});")
_ANSWER_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_LINE_START = re.compile(r"\s*(?:(?:#+|[>\-•])\s+)*")


def unify(text: str) -> str:
    """Return `text` with compatibility forms resolved (full-width letters and colons become plain ones).

    It goes piece by piece: to normalise one long run of combining marks takes quadratic time.
    """
    if text.isascii():
        return text
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    # The one capital letter whose lower case is two characters long would shift all that follow it.
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces).replace("İ", "I")


def after_thinking(text: str) -> str:
    """Return what may be searched for an answer: nothing inside `<think>`, closed or not.

    Chat templates may put the opening tag into the prompt, so a response may hold the closing one alone.
    """
    if "think" in text:
        for name in _THINKING:
            text = text.rpartition(f"</{name}>")[2].partition(f"<{name}>")[0]
    return text


def last_tagged(text: str) -> tuple[int, int] | None:
    """Return where the content of the last closed pair of `<answer>` tags begins and ends."""
    last = begin = None
    for tag in _ANSWER_TAG.finditer(text):
        if not tag.group(1):
            begin = tag.end()
        elif begin is not None:
            last, begin = (begin, tag.start()), None
    return last


def ends_thinking(text: str) -> bool:
    """Does `text` end inside `<think>`, cut off before the closing tag?"""
    return any(text.rfind(f"<{name}>") > text.rfind(f"</{name}>") for name in _THINKING)


def plain(text: str) -> str:
    """Return `text` (already unified) with blanks in place of all markup; every word keeps its position."""
    if "<" in text:
        text = _TAGS.sub(lambda tag: "answer: " if tag.group().lower() == "<answer>" else _blank(tag), text)
    if "\\" in text:
        text = _LATEX.sub(_blank, text)
    if "&" in text:
        text = _ENTITIES.sub(_blank, text)
    return text.translate(_SIGNS)


def words(text: str) -> str:
    """Return a plain line without the marks that open it (a heading, a list) and with single blanks."""
    opening = _LINE_START.match(text)
    return " ".join((text[opening.end() :] if opening else text).split())


def key(text: str) -> str:
    """Return the form in which two option texts are compared: plain, lower case, no final full stop."""
    return words(plain(unify(text))).lower().rstrip(" .")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
