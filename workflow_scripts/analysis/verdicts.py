"""From an interval and a threshold to a verdict.

A test holds if the interval lies on its side of the threshold and so do the value itself (a count can lie outside of
its interval) and every seed's own; it does not hold if all of them lie on the other side; everything else is undecided.
A test of the value alone (`value_...`) is always decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

Verdict = Literal["holds", "does not hold", "undecided", "not run"]

HOLDS: Verdict = "holds"
FAILS: Verdict = "does not hold"
UNDECIDED: Verdict = "undecided"
NOT_RUN: Verdict = "not run"

DECIMALS = 12

SIDES: dict[str, Callable[[float, float], bool]] = {
    "lower_above": lambda value, threshold: value > threshold,
    "lower_at_least": lambda value, threshold: value >= threshold,
    "upper_below": lambda value, threshold: value < threshold,
    "upper_at_most": lambda value, threshold: value <= threshold,
    "magnitude_below": lambda value, threshold: abs(value) < threshold,
    "value_at_most": lambda value, threshold: value <= threshold,
}
"""Test -> whether one value satisfies it."""

SYMBOLS = {
    "lower_above": "lower bound > {}",
    "lower_at_least": "lower bound ≥ {}",
    "upper_below": "upper bound < {}",
    "upper_at_most": "upper bound ≤ {}",
    "magnitude_below": "upper bound of the magnitude < {}",
    "value_at_most": "value ≤ {}",
}


def judge(
    test: str, threshold: float, value: float, low: float, high: float, by_seed: Sequence[float]
) -> Verdict:
    """Return the verdict of one test.

    Parameters
    ----------
    test : one of `SIDES`
    value : the quantity itself
    low, high : bounds of the interval; NaN (no interval) is undecided
    by_seed : each seed's own value; may be empty (only the base is involved)
    """
    if math.isnan(low) or math.isnan(high):
        return UNDECIDED
    decisive = (value,) if test.startswith("value_") else (value, low, high, *by_seed)
    # Sums of binary fractions miss a threshold by 1e-17; a tie must stay a tie.
    sides = [SIDES[test](round(number, DECIMALS), threshold) for number in decisive]
    if all(sides):
        return HOLDS
    # An interval with both ends outside (-t, t) but around it does not refute a small magnitude.
    straddles = test == "magnitude_below" and low < 0 < high
    return UNDECIDED if straddles or any(sides) else FAILS


def combine(parts: Sequence[Verdict]) -> Verdict:
    """Return the verdict of a claim whose parts must all hold: one refuted part refutes it."""
    for verdict in (FAILS, NOT_RUN, UNDECIDED):
        if verdict in parts:
            return verdict
    return HOLDS
