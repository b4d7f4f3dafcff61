"""Bootstrap intervals over questions."""

from __future__ import annotations

import numpy as np
import pytest

from workflow_scripts.evaluation.intervals import bootstrap_mean, paired_difference

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


def test_pairing_removes_what_the_methods_share() -> None:
    hard = np.random.default_rng(0).random(200)
    difference = paired_difference(hard + 0.05, hard, **SETTINGS)
    assert difference.value == pytest.approx(0.05)
    assert difference.high - difference.low < 1e-9


def test_a_base_without_seeds_pairs_with_every_seed() -> None:
    difference = paired_difference([[0.5, 0.7], [0.1, 0.3]], [0.2, 0.4], **SETTINGS)
    assert difference.per_seed == pytest.approx((0.3, -0.1))


@pytest.mark.parametrize(
    ("a", "b"), [([1.0, 2.0], [1.0]), ([[1.0], [2.0]], [[1.0], [2.0], [3.0]]), ([float("nan")], [1.0])]
)
def test_unpaired_or_missing_values_are_refused(a: list, b: list) -> None:
    with pytest.raises(ValueError):
        paired_difference(a, b, **SETTINGS)


def test_settings_outside_their_range_are_refused() -> None:
    with pytest.raises(ValueError):
        bootstrap_mean([1.0], samples=10, confidence=1.0, seed=0)
    with pytest.raises(ValueError):
        bootstrap_mean([], samples=10, confidence=0.9, seed=0)
