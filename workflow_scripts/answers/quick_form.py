"""Normal forms that need no parser: numbers, surds, tuples and sets of numbers, times, bases, words.

They are the texts that value.py gives to the same values; a test compares the two.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from typing import Literal

from workflow_scripts.answers.cleaning import TEXT
from workflow_scripts.answers.found import NOTHING, NormalForm, not_understood
from workflow_scripts.answers.number import number_text

_MOST_WORDS = 6
_DECIMAL = r"\d+(?:\.\d*)?|\.\d+"
_PLAIN = re.compile(rf"([-+]?)\s*((?:{_DECIMAL})(?:[eE][-+]?\d{{1,3}})?)")
_FRACTION = re.compile(
    r"([-+]?)\s*(?:(\d+)\s*)?(?:\\frac\s*(?:\{\s*([-+]?\d+)\s*\}\s*\{\s*([-+]?\d+)\s*\}|(\d)\s*(\d))|(?<!\d)(\d+)\s*/\s*(\d+))"
)
_REPEATING = re.compile(r"([-+]?)(\d*)\.(\d*)\s*\\overline\s*\{(\d{1,30})\}")
_SURD = re.compile(r"([-+]?)\s*(\d{0,20})\s*(?:\\sqrt\s*(?:\{\s*(\d{1,20})\s*\}|(\d))|\\pi)")
_COLLECTION = re.compile(r"([(\[]|\\\{|)([^()\[\]{}=]*(?:\{[^{}]*\}[^()\[\]{}=]*)*)([)\]]|\\\}|)")
_COMPLEX = re.compile(r"(-?\d+(?:\.\d+)?)\s*([-+])\s*(\d*(?:\.\d+)?)\s*i")
_DIGITS = Context(prec=60)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
_BASED = re.compile(r"\(?(\d+)\)?\s*_\s*(?:\{\s*\(?\s*(\d{1,2})\s*\)?\s*\}|(\d{1,2}))")
_CLOCK = re.compile(r"(\d+)\s*:\s*(\d+(?:\s*:\s*\d+)*)\s*((?:[ap]\.?\s?m\.?)?)", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_](?:(?:['’-]?[^\W\d_])+(?: [^\W\d_](?:['’-]?[^\W\d_])*)*)?")
_PRODUCT = re.compile(r"[abckmnpqrstxyz]{2,3}")
_VARIABLES = re.compile(rf"[A-Za-z]|{_PRODUCT.pattern}")
_NUMBER_AMONG_WORDS = re.compile(
    rf"(?:(?:[A-Za-z][A-Za-z'’-]+|a)[,:]? )*([-+]?(?:{_DECIMAL})(?:/\d+)?)(?: ?[A-Za-z]{{2,}}[A-Za-z .,'’-]*)?"
)
_PROSE = re.compile(
    r"(?<![\\{A-Za-z])(?:(?!arc|sinh|cosh|tanh|sqrt)[A-Za-z]{4,}"
    r"|(?!sin|cos|tan|log|ln)[A-Za-z]{2,} +(?!sin|cos|tan|log|ln)[A-Za-z]{2,})"
)
"""A word or two among signs: what the parser would take for a product of variables."""
_LONGEST_NUMBER = 400


def quick_form(text: str, kind: Literal["number", "latex"]) -> NormalForm | None:
    """Return the form of a cleaned answer where it is plain: a number, a time, a base, words. Else None."""
    if not text:
        return NOTHING
    plain = _surd(text) if (number := _number(text)) is None else number
    value = _collection(text) or _complex(text) if plain is None else number_text(plain)
    if value is not None:
        return NormalForm(value, True)
    based, clock = _BASED.fullmatch(text), _CLOCK.fullmatch(TEXT.sub(r"\1", text))
    if based:
        return NormalForm(f"{int(based.group(1))}_{based.group(2) or based.group(3)}", True)
    if clock:
        half = clock.group(3).lower().replace(".", "").replace(" ", "")
        return NormalForm(re.sub(r"\s", "", f"{clock.group(1)}:{clock.group(2)}{half}"), True)
    words = _words(text)
    if words is not None:
        return words
    if kind == "number" and (among := _NUMBER_AMONG_WORDS.fullmatch(text)):
        only = _number(among.group(1))
        return None if only is None else NormalForm(number_text(only), True)
    if _PROSE.search(TEXT.sub(r" \1 ", text)):
        return not_understood(text)
    return None


def _number(text: str) -> Fraction | Decimal | None:
    if len(text) > _LONGEST_NUMBER:
        return None
    plain = _PLAIN.fullmatch(text)
    if plain:
        return Fraction(plain.group(1) + plain.group(2).rstrip(".").replace(".e", "e"))
    fraction = _FRACTION.fullmatch(text)
    if fraction:
        sign, whole, *parts = fraction.groups()
        numerator, denominator = (int(part) for part in parts if part is not None)
        if denominator == 0:
            return None
        value = Fraction(numerator, denominator) + int(whole or 0)
        return -value if sign == "-" else value
    repeating = _REPEATING.fullmatch(text)
    if repeating:
        sign, whole, start, cycle = repeating.groups()
        shift = 10 ** len(start)
        value = Fraction(int(whole + start or 0), shift) + Fraction(
            int(cycle), shift * (10 ** len(cycle) - 1)
        )
        return -value if sign == "-" else value
    return None


def _surd(text: str) -> Decimal | None:
    match = _SURD.fullmatch(text)
    if match is None:
        return None
    sign, factor, radicand = match.group(1), match.group(2), match.group(3) or match.group(4)
    value = int(factor or 1) * (_DIGITS.sqrt(Decimal(radicand)) if radicand else _PI)
    return -value if sign == "-" else value


def _collection(text: str) -> str | None:
    """The form of a tuple, an interval, a set or a bare list of plain numbers, as value.py writes it."""
    match = _COLLECTION.fullmatch(text)
    if match is None:
        return None
    left, inside, right = match.group(1).lstrip("\\"), match.group(2), match.group(3).lstrip("\\")
    numbers = [_number(item.strip()) for item in inside.split(",")]
    if len(numbers) < 2 or None in numbers:
        return None
    texts = [number_text(number) for number in numbers if number is not None]
    if left + right == "()":
        return f"({','.join(texts)})"
    if left + right in ("{}", ""):
        texts = sorted(set(texts))
        return texts[0] if len(texts) == 1 else "{" + ",".join(texts) + "}"
    first, last, *more = numbers
    if more or "{" in left + right or not (left and right) or not first < last:  # type: ignore[operator]
        return None
    return f"{left}{texts[0]},{texts[1]}{right}"


def _complex(text: str) -> str | None:
    """The form of `a + bi`, as value.py writes it."""
    match = _COMPLEX.fullmatch(text)
    if match is None:
        return None
    real, sign, imaginary = match.groups()
    shown = number_text(Fraction(f"{sign}{imaginary or 1}"))
    return (
        None
        if shown == "0"
        else f"{number_text(Fraction(real))}{'' if shown.startswith('-') else '+'}{shown}i"
    )


def _words(text: str) -> NormalForm | None:
    """The form of words, or of a list of them: lower case, without brackets around a single letter."""
    spoken = " ".join(TEXT.sub(r" \1 ", text).split()).strip(" .")
    bracketed = re.fullmatch(r"\(\s*([A-Za-z])\s*\)", spoken)
    spoken = bracketed.group(1) if bracketed else spoken
    items = [" ".join(item.split()) for item in spoken.split(",")]
    if not all(_WORDS.fullmatch(item) for item in items) or any(map(_PRODUCT.fullmatch, items)):
        return None
    if len(items) > 1 and all(len(item) == 1 for item in items):
        return None  # a list of variables
    if any("-" in item and all(_VARIABLES.fullmatch(part) for part in item.split("-")) for item in items):
        return None  # a difference
    if spoken in ("e", "i") and not bracketed:
        return None  # numbers
    lowered = sorted({item.lower() for item in items})
    understood = max(item.count(" ") for item in items) < _MOST_WORDS
    return NormalForm(lowered[0] if len(lowered) == 1 else "{" + ",".join(lowered) + "}", understood)
