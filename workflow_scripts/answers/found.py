"""What reading one response gives."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """What was read from one response.

    Attributes
    ----------
    answer
        The normal form: equal answers have equal normal forms. None = no answer can be read.
    extracted
        The words of the response that state the answer; None where there are none.
    rule
        The rule that found them (`box`, `statement`, ...), or why there is none (`nothing stated`, ...).
    """

    answer: str | None
    extracted: str | None
    rule: str


@dataclass(frozen=True)
class NormalForm:
    """A normal form, and whether it is that of a value or a word.

    Attributes
    ----------
    text
        Equal answers have equal texts; None for nothing.
    understood
        False where the text could not be parsed: it then equals only itself, and no gold answer may be of that kind.
    """

    text: str | None
    understood: bool


NOTHING = NormalForm(None, False)


def not_understood(text: str) -> NormalForm:
    """Return the form of a text that could not be parsed: its signs without spacing."""
    return NormalForm(re.sub(r"\s+", "", text) or None, False)
