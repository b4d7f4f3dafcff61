"""Verdicts from intervals, thresholds and seeds; each branch, and ties."""

from __future__ import annotations

import math

import pytest

from workflow_scripts.analysis.verdicts import combine, judge


@pytest.mark.parametrize(
    ("test", "threshold", "low", "high", "seeds", "verdict"),
    [
        ("lower_above", 0.0, 0.01, 0.05, [0.02, 0.04], "holds"),
        ("lower_above", 0.0, -0.05, -0.01, [-0.02, -0.04], "does not hold"),
        ("lower_above", 0.0, -0.01, 0.05, [0.02, 0.02], "undecided"),
        ("upper_below", 0.02, -0.03, 0.019, [-0.01, 0.01], "holds"),
        ("upper_below", 0.02, 0.021, 0.03, [0.022, 0.03], "does not hold"),
        ("upper_below", 0.02, 0.01, 0.03, [0.015, 0.015], "undecided"),
        ("lower_at_least", 0.9, 0.91, 0.95, [0.92, 0.94], "holds"),
        ("lower_at_least", 0.9, 0.80, 0.89, [0.85], "does not hold"),
        ("upper_at_most", 0.85, 0.70, 0.80, [0.75], "holds"),
        ("upper_at_most", 0.85, 0.86, 0.90, [0.88], "does not hold"),
        ("upper_at_most", 0.85, 0.84, 0.86, [0.85], "undecided"),
        ("magnitude_below", 0.05, -0.04, 0.04, [0.01, -0.01], "holds"),
        ("magnitude_below", 0.05, 0.06, 0.10, [0.08], "does not hold"),
        ("magnitude_below", 0.05, -0.10, -0.06, [-0.08], "does not hold"),
        ("magnitude_below", 0.05, 0.01, 0.06, [0.03], "undecided"),
    ],
)
def test_each_test_holds_fails_or_stays_open(
    test: str, threshold: float, low: float, high: float, seeds: list[float], verdict: str
) -> None:
    assert judge(test, threshold, (low + high) / 2, low, high, seeds) == verdict


def test_seeds_that_disagree_leave_a_clear_interval_undecided() -> None:
    assert judge("lower_above", 0.0, (0.01 + 0.05) / 2, 0.01, 0.05, [0.08, -0.02]) == "undecided"
    assert judge("lower_above", 0.0, (-0.05 + -0.01) / 2, -0.05, -0.01, [-0.08, 0.02]) == "undecided"


def test_seeds_of_either_sign_agree_that_nothing_improved() -> None:
    # "no improvement" asks each seed to lie below +0.02, not to share a sign.
    assert judge("upper_below", 0.02, (-0.03 + 0.01) / 2, -0.03, 0.01, [-0.02, 0.01]) == "holds"


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("lower_above", "does not hold"),
        ("upper_below", "does not hold"),
        ("lower_at_least", "holds"),
        ("upper_at_most", "holds"),
    ],
)
def test_an_interval_that_is_the_threshold_satisfies_only_the_tests_that_include_it(
    test: str, verdict: str
) -> None:
    assert judge(test, 0.0, (0.0 + 0.0) / 2, 0.0, 0.0, [0.0, 0.0]) == verdict


def test_a_bound_on_the_threshold_decides_strict_and_inclusive_tests_differently() -> None:
    assert judge("lower_above", 0.1, (0.1 + 0.2) / 2, 0.1, 0.2, [0.15]) == "undecided"
    assert judge("lower_at_least", 0.1, (0.1 + 0.2) / 2, 0.1, 0.2, [0.15]) == "holds"


def test_rounding_errors_do_not_break_a_tie() -> None:
    value = 0.1 + 0.2 - 0.3  # 5.6e-17
    assert value > 0
    assert judge("lower_above", 0.0, (value + value) / 2, value, value, [value]) == "does not hold"


def test_a_wide_interval_around_zero_does_not_refute_a_small_magnitude() -> None:
    assert judge("magnitude_below", 0.05, (-0.2 + 0.2) / 2, -0.2, 0.2, [0.1]) == "undecided"


def test_without_an_interval_nothing_is_decided() -> None:
    assert judge("lower_above", 0.0, (math.nan + math.nan) / 2, math.nan, math.nan, [0.5]) == "undecided"


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "undecided"], "undecided"),
        (["undecided", "not run"], "not run"),
        (["holds", "not run"], "not run"),
        (["not run", "does not hold"], "does not hold"),
    ],
)
def test_all_parts_must_hold_and_one_refuted_part_refutes(parts: list, verdict: str) -> None:
    assert combine(parts) == verdict
