"""Strip what surrounds words and means nothing: full-width forms, LaTeX text commands, markdown marks."""

from __future__ import annotations

import re
import unicodedata

_TEXT_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|textsf|texttt|mathrm|mathbf|mathit|mathsf|mathtt|operatorname|bf|rm)"
    r"\s*\{([^{}]*)\}"
)
_ANSWER_TAG = re.compile(r"<answer>", re.IGNORECASE)
_MARKS = re.compile(r"\*+|`+|\"|[“”]|\$|\\[()\[\],;! ]|__+|<\|[^<>|]*\|>|</answer>", re.IGNORECASE)
_LINE_START = re.compile(r"^[ \t]*(?:#+|>|[-•])[ \t]+", re.MULTILINE)
_BLANKS = re.compile(r"[ \t\u00a0]+")


def unify(text: str) -> str:
    """Return `text` with compatibility forms resolved (full-width letters and colons become plain ones)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def after_thinking(text: str) -> str:
    """Return what may be searched for an answer: nothing inside `<think>`, closed or not.

    Chat templates may put the opening tag into the prompt, so a response may hold the closing one alone.
    """
    if "think>" not in text:
        return text
    text = text.rpartition("</think>")[2]
    return text.partition("<think>")[0]


def plain(text: str) -> str:
    """Return `text` (already unified) without LaTeX text commands and markdown marks; lines stay lines."""
    if "\\" in text:
        previous = None
        while previous != text:
            previous, text = text, _TEXT_COMMAND.sub(r"\1", text)
    if "<" in text:
        text = _ANSWER_TAG.sub("answer: ", text)
    text = _MARKS.sub(" ", text)
    return _BLANKS.sub(" ", _LINE_START.sub("", text))


def key(text: str) -> str:
    """Return the form in which two option texts are compared: plain, lower case, no final full stop."""
    return " ".join(plain(unify(text)).split()).lower().rstrip(" .")
