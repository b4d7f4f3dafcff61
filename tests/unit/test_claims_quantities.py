"""Quantities behind claims, worked by hand on a few questions."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from synthetic_evidence import (
    POLICY,
    QUESTIONS,
    STATISTICS,
    evidence,
    question_rows,
    rollout_rows,
    write_base,
    write_run,
)

from workflow_scripts.analysis.quantities import Estimate, estimate
from workflow_scripts.analysis.terms import NoEvidence, NotComparable
from workflow_scripts.evaluation.intervals import bootstrap_mean
from workflow_scripts.settings.claims import Contrast, Difference, Gain, Level, Quantity, WeightedTerm
from workflow_scripts.settings.evidence import Evidence


def measure(quantity: Quantity, found: Evidence) -> Estimate:
    return estimate(quantity, found, [POLICY], [QUESTIONS], STATISTICS)


@pytest.fixture
def found(tmp_path: Path) -> Evidence:
    """Base 0.5 and 0.5; TTRL (two seeds) and PROSE (two seeds) on two questions with four samples each."""
    start = question_rows([2, 2], 4, unparseable=[0, 0])
    ends = {
        ("ttrl", 0): [2, 3],  # 0.625
        ("ttrl", 1): [3, 3],  # 0.75
        ("prose", 0): [4, 4],  # 1.0
        ("prose", 1): [4, 3],  # 0.875
    }
    runs = [
        write_run(
            tmp_path,
            method,
            seed,
            {0: start, 10: question_rows([1, 1], 4), 20: question_rows(end, 4, unparseable=[1, 0])},
            evaluation=question_rows(end, 4, unparseable=[1, 0]),
        )
        for (method, seed), end in ends.items()
    ]
    return evidence(write_base(tmp_path, question_rows([2, 2], 4)), runs, {"prose_mean": "no such role"})


def test_gain_is_the_last_checkpoint_minus_the_base(found: Evidence) -> None:
    gain = measure(Gain(kind="gain", metric="avg@k", method="ttrl"), found)
    assert gain.by_seed == pytest.approx({0: 0.125, 1: 0.25})
    assert gain.value == pytest.approx(0.1875)
    assert (gain.n, gain.k) == (2, 4)
    assert gain.sd == pytest.approx(0.0883883)  # |0.25 - 0.125| / sqrt(2)


def test_interval_is_a_bootstrap_over_questions_of_the_mean_over_seeds(found: Evidence) -> None:
    # Per question, mean over seeds of the gain: q0 (0 + 0.25) / 2 = 0.125, q1 0.25; two questions resampled.
    gain = measure(Gain(kind="gain", metric="avg@k", method="ttrl"), found)
    assert (gain.low, gain.high) == pytest.approx((0.125, 0.25))


def test_gain_over_the_first_evaluation_uses_the_runs_own_start(found: Evidence) -> None:
    gain = measure(Gain(kind="gain", metric="unparseable", method="prose", over="first"), found)
    assert gain.value == pytest.approx((1 / 4 + 0) / 2)


def test_difference_pairs_seed_with_seed(found: Evidence) -> None:
    difference = measure(Difference(kind="difference", metric="avg@k", method="prose", minus="ttrl"), found)
    assert difference.by_seed == pytest.approx({0: 0.375, 1: 0.125})


def test_a_constant_lead_has_an_interval_of_no_width(tmp_path: Path) -> None:
    runs = [
        write_run(tmp_path, "prose", 0, {0: question_rows([1, 2, 3], 4)}),
        write_run(tmp_path, "ttrl", 0, {0: question_rows([0, 1, 2], 4)}),
    ]
    lead = measure(
        Difference(kind="difference", metric="avg@k", method="prose", minus="ttrl"), evidence(None, runs)
    )
    assert (lead.value, lead.low, lead.high) == pytest.approx((0.25, 0.25, 0.25))


def test_contrast_of_claim_one_is_ttrls_gain_minus_half_of_proses(found: Evidence) -> None:
    contrast = Contrast(
        kind="contrast",
        sum=[
            WeightedTerm(weight=1.0, metric="avg@k", method="ttrl"),
            WeightedTerm(weight=-1.0, metric="avg@k", where="base"),
            WeightedTerm(weight=-0.5, metric="avg@k", method="prose"),
            WeightedTerm(weight=0.5, metric="avg@k", where="base"),
        ],
    )
    # Seed 0: 0.125 - 0.5 * 0.5 = -0.125; seed 1: 0.25 - 0.5 * 0.375 = 0.0625.
    assert measure(contrast, found).by_seed == pytest.approx({0: -0.125, 1: 0.0625})


def test_level_of_the_base_has_no_seed(found: Evidence) -> None:
    level = measure(Level(kind="level", metric="avg@k", where="base"), found)
    assert level.value == pytest.approx(0.5)
    assert level.by_seed == {}


def test_last_tenth_of_a_curve_holds_the_evaluations_after_nine_tenths_of_the_steps(tmp_path: Path) -> None:
    curve = {step: question_rows([right], 4) for step, right in ((0, 0), (90, 0), (91, 1), (100, 3))}
    runs = [write_run(tmp_path, "ttrl", 0, curve)]
    level = measure(
        Level(kind="level", metric="avg@k", method="ttrl", where="last_tenth"), evidence(None, runs)
    )
    assert level.value == pytest.approx((0.25 + 0.75) / 2)


def test_peak_is_the_evaluation_with_the_highest_mean_over_seeds(tmp_path: Path) -> None:
    runs = [
        write_run(
            tmp_path,
            "ttrl",
            0,
            {0: question_rows([0], 4), 5: question_rows([4], 4), 9: question_rows([2], 4)},
        ),
        write_run(
            tmp_path,
            "ttrl",
            1,
            {0: question_rows([0], 4), 5: question_rows([1], 4), 9: question_rows([2], 4)},
        ),
    ]
    level = measure(Level(kind="level", metric="avg@k", method="ttrl", where="peak"), evidence(None, runs))
    assert level.by_seed == pytest.approx({0: 1.0, 1: 0.25})  # step 5: mean 0.625 > 0.5


END = Level(kind="level", metric="train.reward", method="prose", where="last_tenth")


@pytest.fixture
def trained(tmp_path: Path) -> Evidence:
    """Two seeds of 20 steps; their last two steps visit q0 and q1, or q1 and q2, twice each."""
    early = {step: {"q9": [0.1, 0.1]} for step in range(1, 19)}
    windows = (
        {19: {"q0": [0.8, 0.6]}, 20: {"q1": [1.0, 1.0]}},
        {19: {"q1": [0.5, 0.7]}, 20: {"q2": [0.9, 0.9]}},
    )
    runs = [
        write_run(
            tmp_path, "prose", seed, {0: question_rows([1], 4)}, rollouts=rollout_rows({**early, **window})
        )
        for seed, window in enumerate(windows)
    ]
    return evidence(None, runs)


def test_reward_of_training_is_that_of_the_questions_of_the_last_tenth_of_the_steps(
    trained: Evidence,
) -> None:
    # 20 steps: the last 2. Seed 0: (0.7 + 1.0) / 2; seed 1: (0.6 + 0.9) / 2.
    level = measure(END, trained)
    assert level.by_seed == pytest.approx({0: 0.85, 1: 0.75})
    assert (level.n, level.k) == (3, 2)


def test_interval_of_a_reward_is_a_bootstrap_over_questions_of_the_mean_over_the_seeds_that_saw_them(
    trained: Evidence,
) -> None:
    level = measure(END, trained)
    # q0 is seen by seed 0 alone, q2 by seed 1 alone; q1: (1.0 + 0.6) / 2.
    expected = bootstrap_mean([0.7, 0.8, 0.9], samples=500, confidence=0.95, seed=7)
    assert (level.value, level.low, level.high) == pytest.approx((0.8, expected.low, expected.high))


def test_rollouts_that_only_voted_or_have_no_reward_do_not_count(tmp_path: Path) -> None:
    rollouts = rollout_rows({1: {"q0": [0.5, 0.7, 0.0, math.nan]}})
    rollouts.loc[2, "advantage"] = None
    runs = [write_run(tmp_path, "prose", 0, {0: question_rows([1], 4)}, rollouts=rollouts)]
    assert measure(END, evidence(None, runs)).value == pytest.approx(0.6)


def test_a_tenth_of_thirty_steps_is_three(tmp_path: Path) -> None:
    runs = [write_run(tmp_path, "prose", 0, {0: question_rows([1], 4)}, [0.0] * 27 + [0.7, 0.8, 0.9])]
    assert measure(END, evidence(None, runs)).value == pytest.approx(0.8)


def test_rewards_are_compared_on_the_questions_that_both_windows_visit(tmp_path: Path) -> None:
    curve = {0: question_rows([1], 4)}
    runs = [
        write_run(tmp_path, "prose", 0, curve, rollouts=rollout_rows({1: {"q0": [0.5], "q1": [0.9]}})),
        write_run(tmp_path, "ttrl", 0, curve, rollouts=rollout_rows({1: {"q1": [0.2], "q2": [0.1]}})),
    ]
    lead = Difference(kind="difference", metric="train.reward", method="prose", minus="ttrl")
    found = measure(lead, evidence(None, runs))
    assert (found.value, found.n) == (pytest.approx(0.7), 1)


def test_rewards_without_a_common_question_are_not_compared(tmp_path: Path) -> None:
    curve = {0: question_rows([1], 4)}
    runs = [
        write_run(tmp_path, "prose", 0, curve, rollouts=rollout_rows({1: {"q0": [0.5]}})),
        write_run(tmp_path, "ttrl", 0, curve, rollouts=rollout_rows({1: {"q1": [0.2]}})),
    ]
    lead = Difference(kind="difference", metric="train.reward", method="prose", minus="ttrl")
    with pytest.raises(NotComparable, match="no question for which every term is defined"):
        measure(lead, evidence(None, runs))


def test_a_method_that_did_not_run_says_why(found: Evidence) -> None:
    with pytest.raises(NoEvidence, match="no such role"):
        measure(Gain(kind="gain", metric="avg@k", method="prose_mean"), found)


def test_majorities_of_unequal_numbers_of_samples_are_not_compared(tmp_path: Path) -> None:
    base = write_base(tmp_path, question_rows([2, 2], 4))
    run = write_run(tmp_path, "ttrl", 0, {0: question_rows([8, 8], 16)})
    with pytest.raises(NotComparable, match="samples per question"):
        measure(Gain(kind="gain", metric="maj@k", method="ttrl"), evidence(base, [run]))
    assert measure(Gain(kind="gain", metric="avg@k", method="ttrl"), evidence(base, [run])).value == 0.0


def test_other_questions_are_not_compared(tmp_path: Path) -> None:
    base = write_base(tmp_path, question_rows([2, 2], 4))
    run = write_run(tmp_path, "ttrl", 0, {0: question_rows([2, 2, 2], 4)})
    with pytest.raises(NotComparable, match="different questions"):
        measure(Gain(kind="gain", metric="avg@k", method="ttrl"), evidence(base, [run]))


def test_methods_without_a_common_seed_are_not_compared(tmp_path: Path) -> None:
    rows = {0: question_rows([1, 2], 4)}
    runs = [write_run(tmp_path, "prose", 0, rows), write_run(tmp_path, "ttrl", 1, rows)]
    with pytest.raises(NotComparable, match="no seed in common"):
        measure(
            Difference(kind="difference", metric="avg@k", method="prose", minus="ttrl"), evidence(None, runs)
        )


def test_seeds_evaluated_on_different_questions_are_not_averaged(tmp_path: Path) -> None:
    runs = [
        write_run(tmp_path, "ttrl", 0, {0: question_rows([2, 2], 4)}),
        write_run(tmp_path, "ttrl", 1, {0: question_rows([2], 4)}),
    ]
    with pytest.raises(NotComparable, match="different questions"):
        measure(Level(kind="level", metric="avg@k", method="ttrl"), evidence(None, runs))
