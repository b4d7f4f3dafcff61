"""Bootstrap intervals over questions."""

from __future__ import annotations

import numpy as np
import pytest

from workflow_scripts.evaluation.intervals import bootstrap_average, bootstrap_mean

SETTINGS = {"samples": 4000, "confidence": 0.95, "seed": 0}


def test_a_share_of_100_questions_has_the_binomial_interval() -> None:
    # Normal approximation by hand: 0.7 +- 1.96 * sqrt(0.7 * 0.3 / 100) = 0.7 +- 0.0898.
    interval = bootstrap_mean([1.0] * 70 + [0.0] * 30, **SETTINGS)
    assert interval.value == pytest.approx(0.7)
    assert interval.low == pytest.approx(0.7 - 0.0898, abs=0.015)
    assert interval.high == pytest.approx(0.7 + 0.0898, abs=0.015)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    # Normal data, 40 questions: a percentile bootstrap covers a little less than 95 %.
    draws = np.random.default_rng(1).normal(0.3, 1.0, size=(300, 40))
    intervals = [bootstrap_mean(draw, samples=400, confidence=0.95, seed=i) for i, draw in enumerate(draws)]
    covered = np.mean([interval.low <= 0.3 <= interval.high for interval in intervals])
    assert 0.89 <= covered <= 0.98


def test_more_samples_of_the_same_questions_do_not_narrow_the_interval() -> None:
    questions = np.random.default_rng(0).random(50)
    one = bootstrap_mean(questions, **SETTINGS)
    three = bootstrap_mean(np.stack([questions] * 3), **SETTINGS)
    assert (one.low, one.high) == pytest.approx((three.low, three.high))


def test_seeds_stand_beside_their_mean() -> None:
    interval = bootstrap_mean([[0.0, 1.0], [1.0, 1.0]], **SETTINGS)
    assert interval.value == 0.75
    assert interval.per_seed == (0.5, 1.0)


def test_equal_input_gives_equal_output_in_any_chunking(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random(30)
    first = bootstrap_mean(values, **SETTINGS)
    assert bootstrap_mean(values, **SETTINGS) == first
    monkeypatch.setattr("workflow_scripts.evaluation.intervals._CHUNK", 90)
    rechunked = bootstrap_mean(values, **SETTINGS)
    assert (rechunked.low, rechunked.high) == pytest.approx((first.low, first.high))


@pytest.mark.parametrize("values", [[float("nan")], [[1.0, 2.0], [1.0, float("inf")]]])
def test_values_that_are_missing_are_refused(values: list) -> None:
    with pytest.raises(ValueError, match="not finite"):
        bootstrap_mean(values, **SETTINGS)


def test_settings_outside_their_range_are_refused() -> None:
    with pytest.raises(ValueError):
        bootstrap_mean([1.0], samples=10, confidence=1.0, seed=0)
    with pytest.raises(ValueError):
        bootstrap_mean([], samples=10, confidence=0.9, seed=0)


def test_an_average_over_sets_counts_each_set_the_same() -> None:
    # Set means 1/2 and 1; over all six questions it would be 5/6.
    interval = bootstrap_average([[0.0, 1.0], [1.0, 1.0, 1.0, 1.0]], **SETTINGS)
    assert interval.value == 0.75
    # The second set never varies, the first is 0, 1/2 or 1 with probability 1/4, 1/2, 1/4.
    assert (interval.low, interval.high) == pytest.approx((0.5, 1.0))


def test_an_average_of_equally_uncertain_sets_is_more_certain_than_each() -> None:
    # By hand: 1.96 * sqrt(0.7 * 0.3 / 100 / 4) = 0.0449; one set alone has 0.0898.
    sets = [[1.0] * 70 + [0.0] * 30] * 4
    interval = bootstrap_average(sets, **SETTINGS)
    assert interval.high - interval.value == pytest.approx(0.0449, abs=0.006)


def test_an_average_keeps_the_seeds_and_refuses_sets_with_other_numbers_of_them() -> None:
    interval = bootstrap_average([[[0.0, 0.0], [1.0, 0.0]], [[1.0], [0.0]]], **SETTINGS)
    assert interval.per_seed == (0.5, 0.25)
    with pytest.raises(ValueError, match=r"\[1, 2\] seeds"):
        bootstrap_average([[0.0], [[0.0], [1.0]]], **SETTINGS)
