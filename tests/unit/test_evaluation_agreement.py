"""Label accuracy, reward accuracy, protection gap and rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.agreement import agreement
from workflow_scripts.evaluation.auc import auc

Answers = list[str | None]


def majority_rewards(answers: Answers) -> list[float]:
    label = majority(answers).label
    return [float(label is not None and answer == label) for answer in answers]


def by_majority(groups: list[Answers], golds: list[str], **switches: bool):
    return agreement(groups, golds, [majority_rewards(group) for group in groups], **switches)


def test_a_wrong_label_in_a_small_answer_space_protects_nothing() -> None:
    # Label A is wrong; the three A get 1 (wrong), the one right B gets 0 (wrong).
    result = by_majority([["A", "A", "A", "B"]], ["B"])
    assert result.label_accuracy == 0
    assert result.reward_accuracy == 0
    assert result.protection_gap == 0
    assert result.protection_rate == 0
    assert result.accuracy == 0.25


def test_scattered_wrong_answers_are_protected() -> None:
    # Label "7" is wrong: two of five rewards are wrong, the three other wrong answers rightly get 0.
    result = by_majority([["7", "7", "1", "2", "3"], ["9", "9", "9", "9", "4"]], ["5", "9"])
    assert result.label_accuracy == 0.5
    assert result.reward_accuracy == pytest.approx(8 / 10)
    assert result.protection_gap == pytest.approx(0.3)
    assert result.protection_rate == pytest.approx(3 / 5)
    assert result.accuracy_gap == pytest.approx(0.8 - 0.4)


def test_a_policy_that_answers_nothing_agrees_with_nothing() -> None:
    silent = [[None, None], [None, None]]
    result = by_majority(silent, ["A", "B"])
    assert (result.reward_accuracy, result.label_accuracy, result.no_label) == (0, 0, 1)
    assert by_majority(silent, ["A", "B"], no_label_disagrees=False).reward_accuracy == 1


def test_a_label_from_elsewhere_replaces_the_majority() -> None:
    result = agreement([["A", "A", "B"]], ["B"], [[0, 0, 1]], labels=["B"])
    assert (result.label_accuracy, result.reward_accuracy, result.protection_rate) == (1, 1, None)
    assert result.majority_ratio == pytest.approx(2 / 3)


def test_no_outside_label_counts_where_nothing_parses() -> None:
    result = agreement([[None, None]], ["B"], [[0, 0]], labels=["B"])
    assert (result.no_label, result.label_accuracy, result.reward_accuracy) == (1, 0, 0)


def test_continuous_rewards_are_judged_by_the_sign_of_their_advantage() -> None:
    # Means 0.5 and 0.2; signs + - - + against right, wrong, right, wrong: two of four agree.
    # The second group has no variance and is left out.
    result = agreement(
        [["A", "B", "A", "B"], ["A", "A", "B", "B"]], ["A", "A"], [[0.9, 0.1, 0.4, 0.6], [0.2] * 4]
    )
    assert result.reward_accuracy == 0.5
    assert result.zero_variance_groups == 0.5
    # Pairs (right, wrong) of group 1: 0.9 beats both, 0.4 beats 0.1; of group 2: four ties.
    assert result.auc == pytest.approx((3 + 4 * 0.5) / 8)


def test_an_advantage_of_zero_agrees_with_neither() -> None:
    for answers in (["A", "A", "B"], ["A", "B", "B"]):
        result = agreement([answers], ["A"], [[0.75, 0.5, 0.25]])
        assert result.reward_accuracy == pytest.approx(2 / 3)


def test_nothing_to_judge_gives_no_number() -> None:
    result = agreement([["A", "B"]], ["A"], [[0.5, 0.5]])
    assert (result.reward_accuracy, result.protection_gap, result.protection_rate) == (None, None, None)


def test_rewards_that_happen_to_be_binary_can_be_read_as_continuous() -> None:
    rewards = [[1.0, 1.0, 1.0]]
    assert agreement([["A", "A", "A"]], ["B"], rewards).reward_accuracy == 0
    assert agreement([["A", "A", "A"]], ["B"], rewards, continuous=True).reward_accuracy is None


@pytest.mark.parametrize("rewards", [[[1.0]], [[1.0, float("nan")]], [[0.0, 1.0], [1.0, 1.0]]])
def test_unusable_rewards_are_refused(rewards: list[list[float]]) -> None:
    with pytest.raises(ValueError):
        agreement([["A", "B"]], ["A"], rewards)


GROUPS = st.integers(1, 6).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from(["A", "B", "C", "D", None]), min_size=size, max_size=size),
        min_size=1,
        max_size=6,
    )
)


@given(groups=GROUPS)
def test_the_gap_is_bounded_and_the_rate_is_gap_over_one_minus_label_accuracy(
    groups: list[Answers],
) -> None:
    result = by_majority(groups, ["A"] * len(groups))
    assert result.protection_gap == pytest.approx(result.reward_accuracy - result.label_accuracy)
    assert -1e-12 <= result.protection_gap <= 1 - result.label_accuracy + 1e-12
    if result.label_accuracy < 1:
        assert result.protection_rate == pytest.approx(result.protection_gap / (1 - result.label_accuracy))
    else:
        assert result.protection_rate is None


@given(groups=GROUPS, data=st.data())
def test_the_order_of_questions_does_not_matter(groups: list[Answers], data: st.DataObject) -> None:
    golds = data.draw(st.lists(st.sampled_from(["A", "B"]), min_size=len(groups), max_size=len(groups)))
    order = data.draw(st.permutations(range(len(groups))))
    one = by_majority(groups, golds)
    other = by_majority([groups[i] for i in order], [golds[i] for i in order])
    assert one.reward_accuracy == pytest.approx(other.reward_accuracy)
    assert one.label_accuracy == pytest.approx(other.label_accuracy)


@given(data=st.data(), n=st.integers(2, 12))
def test_auc_counts_pairs(data: st.DataObject, n: int) -> None:
    scores = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    positive = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    pairs = [
        1.0 if p > q else 0.5 if p == q else 0.0
        for p, is_p in zip(scores, positive, strict=True)
        if is_p
        for q, is_q in zip(scores, positive, strict=True)
        if not is_q
    ]
    expected = None if not pairs else pytest.approx(float(np.mean(pairs)))
    assert auc(scores, positive) == expected
