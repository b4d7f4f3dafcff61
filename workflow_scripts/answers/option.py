"""Recognise an option of one question in a short piece of text: by its letter, its text, or both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workflow_scripts.answers.plain import key, words

_BRACKETED = re.compile(r"[(\[]\s?([A-Za-z])\s?[)\]]")
_BARE = re.compile(r"[(\[]?\s?([A-Za-z])(?![A-Za-z0-9])(?!['\u2019.-][A-Za-z0-9])")
_FILLER = re.compile(
    r"(?:[\s:=,'\u2018]|(?:most likely|likely|probably|clearly|therefore|thus|hence|then|indeed|definitely|still|"
    r"both|either|the|options?|choices?|letters?)\b|选项)+",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"\s?(?:$|[)\].:,;!/|'\u2019。、])")
_LABEL_END = re.compile(r"\s?[)\].:]\s?|\s[-\u2013\u2014]\s|\s")
_CONNECTIVE = re.compile(r"\s(?:because|since|as|due|for|which|and|or|is|given|based|with)\b")
_REASON = re.compile(r"\s(?:because|since)\b")
_THINKING_ALOUD = re.compile(r"\s?[:.]\s(?:let's|let us|we|i)\s", re.IGNORECASE)
_AND = r"(?:and\s?/\s?or|and|nor|or|oder|und|ou|[oye]|plus|as well as|&(?:amp;)?|\+|/|和|或|及|与)"
_ANOTHER = re.compile(
    rf"\s?[)\].]?\s?{_AND}\s?(?:options?\s|choices?\s)?[(\[]?\s?([A-Z])\b"
    rf"|\s?[)\]]?\s?[,;、]\s?(?:{_AND}\s)?[(\[]?\s?([A-Z])\s?[)\]]?\s?(?:$|[.,;、\]]|and\b|or\b)"
)
_RUN_TOGETHER = re.compile(r"([A-Z]{2,10})(?=\s?(?:$|[.,;)]))")
_NONE = re.compile(
    r"(?:none\b(?! other)|all of (?:the|these|them)\b|n/a\b|not (?:listed|given|provided|among|available|determinable)"
    r"|(?:cannot|can't|can not) be determined|undetermined|unknown|no (?:correct )?(?:answer|option)\b)",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"(?:[(\[]\s?([A-Za-z])\s?[)\]]|([A-Za-z])\s?[.):])\s?\S")
_SENTENCE = re.compile(r"\.\s[a-z]{3,}\s(?:is|are|was|were|has|have|can|causes?)\b")
_QUESTION_MARK = re.compile(r"\s?[)\]]?\s?\?")
_IN_SENTENCE = re.compile(r"[(\[]\s?([A-Za-z])\s?[)\]]|\b(?:option|choice)\s([A-Z])\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|neither|never|cannot|rather than|instead of|except)\b|n't\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|。")
_TEXT_END = re.compile(r"\s?(?:$|[.,;!)\]])(?!\d)")
_ITS_LETTER = re.compile(r"\s?[.,:;-]?\s?[(\[]\s?([a-z])\s?[)\]]")


@dataclass(frozen=True)
class Statement:
    """Something was stated: the letter of an option, or what keeps it from being exactly one of them."""

    letter: str | None
    problem: str = ""


SEVERAL = Statement(None, "several options")
NO_SUCH = Statement(None, "no such option")


class OptionReader:
    """Reads options of one question in plain text with single blanks.

    Parameters
    ----------
    options
        Letter (A, B, ...) to text.
    must_agree
        A letter that contradicts the text beside it is no answer.
    """

    def __init__(self, options: Mapping[str, str], must_agree: bool) -> None:
        self.letters = frozenset(options)
        self._must_agree = must_agree
        self._keys = {letter: key(text) for letter, text in options.items()}
        # Longest first: "heparin infusion" before "heparin". A text of one letter would pass for an option's letter.
        self._texts = sorted(
            {text for text in self._keys.values() if len(text) > 1 or text.isdigit()},
            key=lambda text: (-len(text), text),
        )

    def whole(self, text: str) -> Statement | None:
        """Read `text` as one option and nothing else (a box, or a line of its own)."""
        text = words(text).rstrip(".。! ")
        named = self._by_text(text.lower())
        if named is not None:
            return named
        start = _filler_end(text)
        match = _BRACKETED.match(text, start) or _BARE.match(text, start)
        if match is None:
            return self._run_together(text, start) or self._text_then_letter(text, start, whole=True)
        letter, rest = match.group(1), text[match.end() :]
        if not rest.strip(")] "):
            return self._letter(letter, sure=letter.isupper())
        if self._names_another(letter, rest):
            return SEVERAL
        separator = _LABEL_END.match(rest)
        if separator is None:
            return None
        beside = rest[separator.end() :]
        explained = beside.startswith("(") and beside.endswith(")")
        own = self._keys.get(letter.upper()) == beside.lower()
        label = separator.group().strip() or match.group()[0] in "(["
        if label and match.group()[0] not in "([":
            label = not (
                self._belongs_to_another(letter, rest)
                or _THINKING_ALOUD.match(rest)
                or (letter.isupper() and _SENTENCE.match(rest))
            )
        if own or explained or label:
            return self._letter(letter, sure=False, beside=beside.strip("()") if explained else beside)
        return self._text_then_letter(text, start, whole=True)

    def label(self, line: str) -> str | None:
        """Return the letter of a line such as `B. text` or `(b) text`, else None."""
        match = _LABELLED.match(words(line))
        if match is None:
            return None
        letter = (match.group(1) or match.group(2)).upper()
        return letter if letter in self.letters else None

    def statement(self, text: str) -> Statement | None:
        """Read what follows `the answer is`: an option at its start, else one named in that sentence."""
        text = words(text)
        after_filler = _filler_end(text)
        for start in (0, after_filler) if after_filler else (0,):
            found = self._text_then_letter(text, start) or self._letter_at(text, start)
            if found is not None:
                return found
        if _NONE.match(text, after_filler):
            return NO_SUCH
        sentence = _SENTENCE_END.split(text, maxsplit=1)[0]
        match = _IN_SENTENCE.search(sentence)
        if match is None or _NEGATION.search(sentence, 0, match.start()):
            return None
        letter = match.group(1) or match.group(2)
        if letter.upper() not in self.letters or _QUESTION_MARK.match(sentence, match.end()):
            return None
        if self._names_another(letter, sentence[match.end() :]):
            return SEVERAL
        if self._must_agree and sentence[after_filler : match.start()].strip():
            return NO_SUCH
        return self._letter(letter, sure=True)

    def _letter_at(self, text: str, start: int) -> Statement | None:
        match = _BRACKETED.match(text, start)
        if match is None:
            match = _BARE.match(text, start)
            if match is None:
                return self._run_together(text, start)
            if not self._stands_for_option(match.group(1), text[match.end() :]):
                return None
        letter, rest = match.group(1), text[match.end() :]
        if _QUESTION_MARK.match(rest):
            return None
        if self._names_another(letter, rest):
            return SEVERAL
        separator = _LABEL_END.match(rest)
        return self._letter(letter, sure=True, beside=rest[separator.end() :] if separator else "")

    def _stands_for_option(self, letter: str, rest: str) -> bool:
        """Is a bare letter a name, and not the article `a`, the pronoun `I` or a part of a term?"""
        if self._belongs_to_another(letter, rest):
            return False
        if _DELIMITER.match(rest):
            return True
        if letter.islower():
            return bool(_REASON.match(rest))
        word_follows = re.match(r"\s[a-z]", rest) or (rest.isupper() and re.match(r"\s[A-Z]{2}", rest))
        if letter not in "AI" or not word_follows or _CONNECTIVE.match(rest.lower()):
            return True
        return rest.lower().strip(" .").startswith(self._keys.get(letter) or " ")

    def _belongs_to_another(self, letter: str, rest: str) -> bool:
        """Is it `E. coli` where `Escherichia coli` is another option, or `B cells` where `B cells` is?"""
        match = re.match(r"(\.?) ([a-z]{3,})\b", rest)
        if match is None:
            return False
        word, own = match.group(2), self._keys.get(letter.upper(), "")
        if word in (own.split() if match.group(1) else own.split()[:1]):
            return False
        term = f" {word} " if match.group(1) else f" {letter.lower()} {word} "
        return any(term in f" {text} ".replace("-", " ") for text in self._texts)

    def _run_together(self, text: str, start: int) -> Statement | None:
        match = _RUN_TOGETHER.match(text, start)
        letters = match.group(1) if match else ""
        several = len(set(letters)) > 1 and set(letters) <= self.letters and sorted(letters) == list(letters)
        return SEVERAL if several else None

    def _text_then_letter(self, text: str, start: int, whole: bool = False) -> Statement | None:
        """Read an option's text, with or without its letter in brackets behind it (and nothing else: `whole`)."""
        lowered = text[start:].lower()
        named = self._text_at_start(lowered)
        if named is None:
            return None
        rest = lowered[len(named) :]
        match = _ITS_LETTER.match(rest)
        if whole and rest[match.end() if match else 0 :].strip(" .,;!"):
            return None
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
        return Statement(letters[0]) if len(letters) == 1 else SEVERAL

    def _letter(self, letter: str, sure: bool, beside: str = "") -> Statement | None:
        """Judge a letter that was read; `sure`: one that the question lacks is a statement all the same."""
        letter = letter.upper()
        if letter not in self.letters:
            return NO_SUCH if sure else None
        if self._must_agree:
            named = self._text_at_start(beside.strip().lower())
            if named is not None and named != self._keys[letter]:
                return SEVERAL
        return Statement(letter)

    def _names_another(self, letter: str, rest: str) -> bool:
        match = _ANOTHER.match(rest)
        other = (match.group(1) or match.group(2)) if match else None
        return other is not None and other in self.letters and other != letter.upper()


def _filler_end(text: str) -> int:
    match = _FILLER.match(text)
    return match.end() if match else 0
