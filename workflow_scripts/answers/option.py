"""Recognise an option of one question in a short piece of text: by its letter, its text, or both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workflow_scripts.answers.plain import key

_BRACKETED = re.compile(r"[(\[{]\s*([A-Za-z])\s*[)\]}]")
_BARE = re.compile(r"([A-Za-z])(?![A-Za-z0-9])(?!['\u2019.-]\w)")
_FILLER = re.compile(
    r"(?:[\s:=,'\u2018]|(?:most likely|likely|probably|clearly|therefore|thus|hence|then|indeed|definitely|still|"
    r"the|option|choice|letter)\b|选项)+",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"\s*(?:$|[).:,;!'\u2019。、])")
_LABEL_END = re.compile(r"\s*[).:]\s*|\s+[-\u2013\u2014]\s+|\s+")
_CONNECTIVE = re.compile(r"\s+(?:because|since|as|due|for|which|and|or|is|given|based|with)\b")
_ANOTHER = re.compile(
    r"\s*[)\].]?\s*(?:(?:and|or|&|/|和|或|及)\s*(?:option\s+|choice\s+)?[(\[]?([A-Z])\b"
    r"|[,、]\s*[(\[]?([A-Z])[)\]]?\s*(?:$|[.,;、]|and\b|or\b))"
)
_QUESTION_MARK = re.compile(r"\s*[)\]]?\s*\?")
_IN_SENTENCE = re.compile(r"[(\[]\s*([A-Za-z])\s*[)\]]|\b(?:option|choice)\s+([A-Z])\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|neither|never|cannot|rather than|instead of|except)\b|n't\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|。")
_TEXT_END = re.compile(r"\s*(?:$|[.,;!)}])(?!\d)")


@dataclass(frozen=True)
class Statement:
    """Something was stated: an option's letter, or (None) nothing that is exactly one of the options."""

    letter: str | None


UNREADABLE = Statement(None)


class OptionReader:
    """Reads options of one question.

    Parameters
    ----------
    options
        Letter (A, B, ...) to text.
    must_agree
        A letter that contradicts the text beside it is no answer.
    """

    def __init__(self, options: Mapping[str, str], must_agree: bool) -> None:
        self._letters = frozenset(options)
        self._must_agree = must_agree
        self._keys = {letter: key(text) for letter, text in options.items()}
        # Longest first: "heparin infusion" before "heparin". A one-letter text would pass for a letter.
        self._texts = sorted(
            {text for text in self._keys.values() if len(text) > 1}, key=lambda t: (-len(t), t)
        )

    def whole(self, text: str) -> Statement | None:
        """Read `text` as one option and nothing else (a box, or a line of its own)."""
        text = text.strip().rstrip(".。! ")
        named = self._by_text(key(text))
        if named is not None:
            return named
        filler = _FILLER.match(text)
        start = filler.end() if filler else 0
        match = _BRACKETED.match(text, start) or _BARE.match(text, start)
        if match is None:
            return self._text_then_letter(text, start)
        letter, rest = match.group(1), text[match.end() :]
        if not rest.strip():
            return self._letter(letter, sure=letter.isupper())
        if self._names_another(letter, rest):
            return UNREADABLE
        separator = _LABEL_END.match(rest)
        if separator is None:
            return None
        label_only = separator.group().strip() or match.group().startswith(("(", "[", "{"))
        explained = re.fullmatch(r"\s*\((.*)\)\s*", rest)
        if explained:
            return self._letter(letter, sure=False, beside=explained.group(1))
        if label_only or self._keys.get(letter.upper()) == key(rest):
            return self._letter(letter, sure=False, beside=rest[separator.end() :])
        return self._text_then_letter(text, start)

    def is_labelled(self, line: str) -> str | None:
        """Return the letter of a line such as `B. text` or `(b) text`, else None."""
        match = re.match(r"\s*(?:[(\[]\s*([A-Za-z])\s*[)\]]|([A-Za-z])[.):])\s+\S", line)
        if match is None:
            return None
        letter = (match.group(1) or match.group(2)).upper()
        return letter if letter in self._letters else None

    def statement(self, text: str) -> Statement | None:
        """Read what follows `the answer is`: an option at its start, else one named in that sentence."""
        text = text.strip()
        for start in {0: None, self._filler_end(text): None}:
            found = self._text_then_letter(text, start) or self._letter_at(text, start)
            if found is not None:
                return found
        sentence = _SENTENCE_END.split(text, maxsplit=1)[0]
        match = _IN_SENTENCE.search(sentence)
        if match is None or _NEGATION.search(sentence, 0, match.start()):
            return None
        letter = match.group(1) or match.group(2)
        if letter.upper() not in self._letters or _QUESTION_MARK.match(sentence, match.end()):
            return None
        if self._names_another(letter, sentence[match.end() :]):
            return UNREADABLE
        names_something = sentence[self._filler_end(sentence) : match.start()].strip()
        if self._must_agree and names_something:
            return UNREADABLE
        return self._letter(letter, sure=True)

    def _filler_end(self, text: str) -> int:
        match = _FILLER.match(text)
        return match.end() if match else 0

    def _letter_at(self, text: str, start: int) -> Statement | None:
        match = _BRACKETED.match(text, start)
        if match is None:
            match = _BARE.match(text, start)
            if match is None or not self._stands_for_option(match.group(1), text[match.end() :]):
                return None
        letter, rest = match.group(1), text[match.end() :]
        if _QUESTION_MARK.match(rest):
            return None
        if self._names_another(letter, rest):
            return UNREADABLE
        separator = _LABEL_END.match(rest)
        return self._letter(letter, sure=True, beside=rest[separator.end() :] if separator else "")

    def _stands_for_option(self, letter: str, rest: str) -> bool:
        """Is a bare letter a name, and not the article `a` or the pronoun `I`?"""
        if _DELIMITER.match(rest):
            return not self._abbreviates_another(letter, rest)
        if letter.islower():
            return False
        return letter not in "AI" or not re.match(r"\s+[a-z]", rest) or _CONNECTIVE.match(rest) is not None

    def _abbreviates_another(self, letter: str, rest: str) -> bool:
        """Is it `E. coli` where `Escherichia coli` is another option?"""
        match = re.match(r"\. ([a-z]{3,})\b", rest)
        if match is None:
            return False
        word = match.group(1)
        own = self._keys.get(letter.upper(), "").split()
        return word not in own and any(word in text.split() for text in self._keys.values())

    def _text_then_letter(self, text: str, start: int) -> Statement | None:
        """Read an option's text, with or without its letter in brackets behind it."""
        lowered = text[start:].lower()
        named = self._text_at_start(lowered)
        if named is None:
            return None
        rest = lowered[len(named) :]
        match = re.match(r"\s*[.,:;-]?\s*[(\[]\s*([a-z])\s*[)\]]", rest)
        if match is not None:
            return self._letter(match.group(1), sure=True, beside=named)
        return self._by_text(named) if _TEXT_END.match(rest) else None

    def _text_at_start(self, lowered: str) -> str | None:
        for text in self._texts:
            if lowered.startswith(text) and not re.match(r"\w|[.,]\d|-\w", lowered[len(text) :]):
                return text
        return None

    def _by_text(self, text: str) -> Statement | None:
        if text not in self._texts:
            return None
        letters = [letter for letter, own in self._keys.items() if own == text]
        return Statement(letters[0]) if len(letters) == 1 else UNREADABLE

    def _letter(self, letter: str, sure: bool, beside: str = "") -> Statement | None:
        """Judge a letter that was read; `sure`: one that the question lacks is a statement all the same."""
        letter = letter.upper()
        if letter not in self._letters:
            return UNREADABLE if sure else None
        if self._must_agree:
            named = self._text_at_start(" ".join(beside.split()).lower())
            if named is not None and named != self._keys[letter]:
                return UNREADABLE
        return Statement(letter)

    def _names_another(self, letter: str, rest: str) -> bool:
        match = _ANOTHER.match(rest)
        other = (match.group(1) or match.group(2)) if match else None
        return other is not None and other in self._letters and other != letter.upper()
