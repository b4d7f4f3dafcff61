"""Quantities of several sums or cells, of training, and of other questions, worked by hand on a few questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_claims import judged_rows, scored_rows, selection_evidence
from synthetic_evidence import (
    POLICY,
    QUESTIONS,
    STATISTICS,
    evidence,
    question_rows,
    rollout_rows,
    write_base,
    write_run,
    write_transfer,
)

from workflow_scripts.analysis.quantities import Estimate, estimate
from workflow_scripts.analysis.terms import NoEvidence, NotComparable
from workflow_scripts.analysis.training_terms import HITS, passes, visit_values, window_end
from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.agreement import agreement
from workflow_scripts.evaluation.intervals import bootstrap_mean
from workflow_scripts.settings.claims import (
    Contrast,
    Difference,
    Gain,
    Lead,
    Level,
    MethodTerm,
    Quantity,
    Ratio,
    WeightedTerm,
    quantity_text,
)
from workflow_scripts.settings.evidence import Evidence

BEST = Lead(
    kind="lead",
    of=MethodTerm(metric="maj@k", method="prose"),
    over=[
        MethodTerm(metric="maj@k", method="ttrl"),
        MethodTerm(metric="bon@k", where="base"),
        MethodTerm(metric="sc_rm@k", where="base"),
    ],
)
OVER_BON = Contrast(
    kind="contrast",
    sum=[
        WeightedTerm(weight=1.0, metric="maj@k", method="prose"),
        WeightedTerm(weight=-1.0, metric="bon@k", where="base"),
    ],
)


def measure(quantity: Quantity, found: Evidence, questions: str = QUESTIONS) -> Estimate:
    return estimate(quantity, found, [POLICY], [questions], STATISTICS)


# ------------------------------------------------------------------ several sums, several cells


def test_a_lead_is_over_the_best_of_the_others(tmp_path: Path) -> None:
    found = selection_evidence(tmp_path, {(POLICY, QUESTIONS): (10, 14, 12, 15)})
    lead = measure(BEST, found)
    assert lead.value == pytest.approx(15 / 20 - 14 / 20)
    assert lead.by_seed == pytest.approx({0: 0.05})
    assert (lead.n, lead.k) == (20, 4)


def test_a_lead_is_worked_out_in_every_resample(tmp_path: Path) -> None:
    # Two questions; PROSE is right on none, BoN on the first, SC+RM on the second alone.
    start = scored_rows(0, 1, 0, n=2).assign(sc_rm_correct=[False, True])
    runs = [
        write_run(tmp_path, method, 0, {0: start, 9: scored_rows(0, 0, 0, n=2)})
        for method in ("ttrl", "prose")
    ]
    lead = measure(BEST, evidence(write_base(tmp_path, start), runs))
    # Resamples {first, second}: -0.5; {first, first}: -1 by BoN; {second, second}: -1 by SC+RM.
    assert (lead.value, lead.low, lead.high) == (-0.5, -1.0, -0.5)


def test_mean_over_question_sets_counts_each_set_the_same(tmp_path: Path) -> None:
    found = selection_evidence(tmp_path, {(POLICY, "medqa_5op"): (0, 10, 0, 20)}, n=20)
    small = selection_evidence(tmp_path, {(POLICY, "ddxplus"): (0, 1, 0, 0)}, n=2)
    both = Evidence(base=[*found.base, *small.base], runs=[*found.runs, *small.runs], not_run=[])
    mean = estimate(OVER_BON, both, [POLICY], ["medqa_5op", "ddxplus"], STATISTICS, across="mean")
    # (1.0 - 0.5) and (0.0 - 0.5): their mean is 0 though 20 of 22 questions lie in the first set.
    assert mean.value == pytest.approx(0.0)
    assert mean.by_seed == pytest.approx({0: 0.0})
    assert mean.n == 22


def test_question_sets_are_resampled_within_themselves(tmp_path: Path) -> None:
    # One set without spread (always 1), one with: the mean's interval is half as wide as that of the second.
    cells = {(POLICY, "medqa_5op"): (0, 0, 0, 20), (POLICY, "ddxplus"): (0, 0, 0, 10)}
    found = selection_evidence(tmp_path, cells)
    second = measure(OVER_BON, found, "ddxplus")
    mean = estimate(OVER_BON, found, [POLICY], ["medqa_5op", "ddxplus"], STATISTICS, across="mean")
    assert mean.value == pytest.approx(0.75)
    assert mean.high - mean.low == pytest.approx((second.high - second.low) / 2, abs=0.06)


def test_sums_on_one_question_set_share_its_resamples(tmp_path: Path) -> None:
    # The second policy is right exactly where the first is wrong: the mean over policies is constant.
    found = selection_evidence(tmp_path, {(POLICY, QUESTIONS): (0, 0, 0, 10)})
    other = scored_rows(0, 0, 0)
    end = question_rows([0] * 10 + [4] * 10, 4)
    found.base.append(write_base(tmp_path, other, "second_policy"))
    found.runs.append(write_run(tmp_path, "prose", 0, {0: other, 10: end}, policy="second_policy"))
    roles = [POLICY, "second_policy"]
    both = estimate(OVER_BON, found, roles, [QUESTIONS], STATISTICS, across="mean")
    assert (both.value, both.low, both.high) == pytest.approx((0.5, 0.5, 0.5))


def test_count_is_the_number_of_cells_in_which_a_quantity_is_positive(tmp_path: Path) -> None:
    cells = {
        (POLICY, "medqa_5op"): (0, 0, 0, 20),
        (POLICY, "ddxplus"): (0, 20, 0, 20),  # a tie is no lead
        ("second_policy", "medqa_5op"): (0, 0, 20, 0),
        ("second_policy", "ddxplus"): (1, 0, 0, 20),
    }
    found = selection_evidence(tmp_path, cells)
    roles = ([POLICY, "second_policy"], ["medqa_5op", "ddxplus"])
    count = estimate(BEST, found, *roles, STATISTICS, across="count")
    assert (count.value, count.low, count.high) == (2, 2, 2)
    assert count.by_seed == {0: 2}
    assert count.n == 80


def test_the_interval_of_a_count_shows_which_leads_are_uncertain(tmp_path: Path) -> None:
    # A lead on 1 question of 20 vanishes in the resamples without it: (19/20)^20 = 36 % of them.
    found = selection_evidence(
        tmp_path, {(POLICY, "medqa_5op"): (0, 0, 0, 20), (POLICY, "ddxplus"): (0, 0, 0, 1)}
    )
    count = estimate(BEST, found, [POLICY], ["medqa_5op", "ddxplus"], STATISTICS, across="count")
    assert (count.value, count.low, count.high) == (2, 1, 2)


def test_a_question_set_that_did_not_run_leaves_no_mean_and_no_count(tmp_path: Path) -> None:
    found = selection_evidence(tmp_path, {(POLICY, "medqa_5op"): (0, 0, 0, 20)})
    for across in ("mean", "count"):
        with pytest.raises(NoEvidence, match="no prose for main_policy on ddxplus"):
            estimate(OVER_BON, found, [POLICY], ["medqa_5op", "ddxplus"], STATISTICS, across=across)


def test_quantities_are_printed_with_all_their_sums() -> None:
    assert quantity_text(OVER_BON) == "maj@k(prose, last) − bon@k(base)"
    assert quantity_text(BEST) == (
        "min(maj@k(prose, last) − maj@k(ttrl, last); maj@k(prose, last) − bon@k(base); "
        "maj@k(prose, last) − sc_rm@k(base))"
    )
    rate = Ratio(
        kind="ratio", metric="train.protection_gap", per="train.label_wrong", method="ttrl", where="run"
    )
    assert quantity_text(rate) == "train.protection_gap(ttrl, run) / train.label_wrong(ttrl, run)"
    moved = Gain(kind="gain", metric="avg@k", method="prose", adapted_on="medqa_5op")
    assert quantity_text(moved) == "avg@k(prose from medqa_5op, last) − avg@k(base)"


# ------------------------------------------------------------------ rise and fall


def test_fall_from_the_peak_is_measured_on_the_same_questions(tmp_path: Path) -> None:
    curve = {0: [2, 2], 50: [4, 3], 95: [1, 2], 100: [1, 0]}
    runs = [write_run(tmp_path, "ttrl", 0, {step: question_rows(right, 4) for step, right in curve.items()})]
    fall = measure(
        Gain(kind="gain", metric="avg@k", method="ttrl", where="last_tenth", over="peak"),
        evidence(None, runs),
    )
    # Peak at 50: 1.0, 0.75. Steps 95 and 100: 0.25, 0.25. Differences -0.75 and -0.5.
    assert (fall.value, fall.low, fall.high) == pytest.approx((-0.625, -0.75, -0.5))


# ------------------------------------------------------------------ other questions


@pytest.fixture
def moved(tmp_path: Path) -> Evidence:
    """Adapted on medqa_5op, evaluated on ddxplus: base 0.25, TTRL 0.5, PROSE 0.75 and 1.0; adapted there: 1.0."""
    runs = [
        write_run(
            tmp_path,
            "prose",
            seed,
            {0: question_rows([0, 0], 4), 9: question_rows([4, 4], 4)},
            questions=name,
        )
        for name in ("medqa_5op", "ddxplus")
        for seed in (0, 1)
    ]
    transfers = [
        write_transfer(tmp_path, question_rows([1, 1], 4), None, None, "ddxplus"),
        write_transfer(tmp_path, question_rows([2, 2], 4), "ttrl", 0, "ddxplus"),
        write_transfer(tmp_path, question_rows([2, 2], 4), "ttrl", 1, "ddxplus"),
        write_transfer(tmp_path, question_rows([3, 3], 4), "prose", 0, "ddxplus"),
        write_transfer(tmp_path, question_rows([4, 4], 4), "prose", 1, "ddxplus"),
    ]
    return Evidence(base=[], runs=runs, transfers=transfers, not_run=[])


def test_a_gain_on_other_questions_is_over_the_base_on_these(moved: Evidence) -> None:
    gain = measure(
        Gain(kind="gain", metric="avg@k", method="prose", adapted_on="medqa_5op"), moved, "ddxplus"
    )
    assert gain.by_seed == pytest.approx({0: 0.5, 1: 0.75})


def test_methods_are_compared_on_other_questions_seed_by_seed(moved: Evidence) -> None:
    lead = Difference(kind="difference", metric="avg@k", method="prose", minus="ttrl", adapted_on="medqa_5op")
    assert measure(lead, moved, "ddxplus").by_seed == pytest.approx({0: 0.25, 1: 0.5})


def test_a_policy_adapted_elsewhere_is_compared_with_one_adapted_here(moved: Evidence) -> None:
    contrast = Contrast(
        kind="contrast",
        sum=[
            WeightedTerm(weight=1.0, metric="avg@k", method="prose", adapted_on="medqa_5op"),
            WeightedTerm(weight=-1.0, metric="avg@k", method="prose"),
        ],
    )
    assert measure(contrast, moved, "ddxplus").by_seed == pytest.approx({0: -0.25, 1: 0.0})


def test_other_questions_on_which_nothing_was_evaluated_are_named(moved: Evidence) -> None:
    gain = Gain(kind="gain", metric="avg@k", method="prose", adapted_on="medqa_5op")
    with pytest.raises(NoEvidence, match="no prose for main_policy on medmcqa"):
        measure(gain, moved, "medmcqa")


# ------------------------------------------------------------------ agreement with the truth while training


STEPS = {
    1: {"q0": ("A", "AAB-"), "q1": ("A", "BBAC")},
    2: {"q2": ("A", "BBBB")},
    3: {"q0": ("A", "BBCD"), "q1": ("A", "AAAA")},
}
"""Agreement by hand: (label right, share of right rewards). Step 1: q0 (1, 1), q1 (0, C alone: 1/4). Step 2: q2 (0, 0).
Step 3: q0 (0, C and D: 1/2), q1 (1, 1)."""


def gap(where: str) -> Level:
    return Level(kind="level", metric="train.protection_gap", method="ttrl", where=where)  # type: ignore[arg-type]


@pytest.fixture
def trained(tmp_path: Path) -> Evidence:
    run = write_run(tmp_path, "ttrl", 0, {0: question_rows([1], 4)}, rollouts=judged_rows(STEPS))
    return evidence(None, [run])


def test_protection_gap_of_a_run_is_the_mean_over_questions_of_their_visits(trained: Evidence) -> None:
    # q0: (0 + 0.5) / 2; q1: (0.25 + 0) / 2; q2: 0.
    found = measure(gap("run"), trained)
    expected = bootstrap_mean([0.25, 0.125, 0.0], samples=500, confidence=0.95, seed=7)
    assert (found.value, found.low, found.high) == pytest.approx((0.125, expected.low, expected.high))
    assert (found.n, found.k) == (3, 4)


@pytest.mark.parametrize(
    ("where", "value", "n"),
    [
        ("first_pass", (0 + 0.25 + 0) / 3, 3),  # steps 1 and 2: step 3 comes back to q0
        ("last_tenth", (0.5 + 0) / 2, 2),
    ],
)
def test_windows_of_training(trained: Evidence, where: str, value: float, n: int) -> None:
    found = measure(gap(where), trained)
    assert (found.value, found.n) == (pytest.approx(value), n)


def test_a_step_that_comes_back_to_a_question_starts_the_next_pass(trained: Evidence) -> None:
    visits = judged_rows({**STEPS, 4: {"q2": ("A", "AAAA")}, 5: {"q2": ("A", "AAAA")}})
    assert passes(visits) == {1: 0, 2: 0, 3: 1, 4: 1, 5: 2}
    assert [window_end(trained.runs[0].rollouts, where) for where in ("first_pass", "run", "last_tenth")] == [
        *(2, 3, 3)
    ]


def test_protection_rate_is_gap_per_wrong_label(trained: Evidence) -> None:
    rate = Ratio(
        kind="ratio", metric="train.protection_gap", per="train.label_wrong", method="ttrl", where="run"
    )
    # Gap 0.125 (above); labels wrong: q0 1/2, q1 1/2, q2 1: mean 2/3.
    assert measure(rate, trained).value == pytest.approx(0.125 / (2 / 3))


def test_without_a_wrong_label_there_is_no_protection_rate(tmp_path: Path) -> None:
    rollouts = judged_rows({1: {"q0": ("A", "AAB")}})
    run = write_run(tmp_path, "ttrl", 0, {0: question_rows([1], 4)}, rollouts=rollouts)
    rate = Ratio(
        kind="ratio", metric="train.protection_gap", per="train.label_wrong", method="ttrl", where="run"
    )
    with pytest.raises(NotComparable, match="divided by zero"):
        measure(rate, evidence(None, [run]))


def test_graded_rewards_have_no_protection_gap_here(tmp_path: Path) -> None:
    rollouts = judged_rows({1: {"q0": ("A", "AAB")}}).assign(reward=[0.9, 0.8, 0.1])
    run = write_run(tmp_path, "ttrl", 0, {0: question_rows([1], 4)}, rollouts=rollouts)
    with pytest.raises(NotComparable, match="do not come from a label"):
        measure(gap("run"), evidence(None, [run]))


def test_a_question_in_which_nothing_parses_counts_as_disagreement() -> None:
    values = visit_values(judged_rows({1: {"q0": ("A", "---"), "q1": ("A", "AB-")}}))
    assert values["reward_accuracy"].tolist() == [0.0, 1.0]
    assert values["label_accuracy"].tolist() == [0.0, 1.0]


GROUPS = st.lists(
    st.lists(st.sampled_from(["A", "B", "C", None]), min_size=4, max_size=4), min_size=1, max_size=5
)


@given(groups=GROUPS)
def test_agreement_of_the_rollouts_is_that_of_the_diagnostics(groups: list[list[str | None]]) -> None:
    labels = [majority(group).label for group in groups]
    rewards = [
        [float(label is not None and answer == label) for answer in group]
        for group, label in zip(groups, labels, strict=True)
    ]
    whole = agreement(groups, ["A"] * len(groups), rewards)
    rollouts = rollout_rows({1: {f"q{i}": values for i, values in enumerate(rewards)}})
    rollouts["answer"] = [answer for group in groups for answer in group]
    rollouts["correct"] = rollouts["answer"] == "A"
    rollouts["label"] = [label for label in labels for _ in range(4)]
    mine = visit_values(rollouts).mean()
    assert mine["label_accuracy"] == pytest.approx(whole.label_accuracy)
    assert mine["reward_accuracy"] == pytest.approx(whole.reward_accuracy)
    assert mine["protection_gap"] == pytest.approx(whole.protection_gap)
    assert np.isclose(mine["label_wrong"], 1 - whole.label_accuracy)
    assert mine[list(HITS)].sum() == pytest.approx(whole.reward_accuracy)
