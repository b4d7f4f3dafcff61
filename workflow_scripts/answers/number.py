"""The normal form of a real number: its decimal text, rounded where no one writes further.

Integers are exact whatever their size. Everything else is rounded to six decimals, numbers below one tenth to six
significant digits, so that `1/3`, `0.333333` and `0.33333333` are one answer. Rounding is a function of the number, so
equality of its results is an equivalence, which `|a - b| <= 1e-6` is not.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

DECIMALS = 6
LONGEST_INTEGER = 60
"""Digits of the longest integer that is written out."""

_MODULUS = (1 << 61) - 1
_CONTEXT = Context(prec=80)
_SCIENTIFIC = Context(prec=15, Emax=MAX_EMAX, Emin=MIN_EMIN)


def integer_text(number: int) -> str:
    """Return an exact text of `number`: its digits, or for a very long one its head, its length and a checksum."""
    bound: int = 10**LONGEST_INTEGER
    if abs(number) < bound:
        return str(number)
    digits = int(abs(number).bit_length() * 0.30103)
    head = abs(number) // 10 ** max(0, digits - 15)
    return f"{'-' if number < 0 else ''}{str(head)[:12]}...({number.bit_length()} bits, {number % _MODULUS})"


def number_text(number: Fraction | Decimal) -> str:
    """Return the normal form of a real number."""
    if isinstance(number, Fraction):
        if number.denominator == 1:
            return integer_text(number.numerator)
        number = _CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator))
    if number.is_zero():
        return "0"
    places = max(DECIMALS, DECIMALS - 1 - number.adjusted())
    if number.adjusted() > LONGEST_INTEGER or places > LONGEST_INTEGER:
        return f"{number.normalize(_SCIENTIFIC):e}"
    rounded = number.quantize(Decimal(1).scaleb(-places), context=_CONTEXT)
    text = f"{rounded:f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
