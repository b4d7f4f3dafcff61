"""Lucky hits: why rewards that come from a label are right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.vote import EMPTY, majority
from workflow_scripts.evaluation.agreement import agreement
from workflow_scripts.evaluation.lucky_hits import LuckyHits, LuckyShares, lucky_hits

Answers = list[str | None]


def matches(answers: Answers, label: str | None) -> list[float]:
    return [float((EMPTY if answer is None else answer) == label) for answer in answers]


def by_label(groups: list[Answers], golds: list[str], labels: list[str | None]) -> LuckyHits:
    rewards = [matches(group, label) for group, label in zip(groups, labels, strict=True)]
    found = lucky_hits(groups, golds, rewards, labels)
    assert found is not None
    return found


def by_majority(groups: list[Answers], golds: list[str]) -> LuckyHits:
    return by_label(groups, golds, [majority(group).label for group in groups])


def test_each_rightly_rewarded_rollout_has_one_reason() -> None:
    # Question 1, label A right: A A B right rewards, one unreadable. Question 2, label B wrong: B B wrongly rewarded,
    # A wrongly not, C and D missed the wrong label, one unreadable.
    found = by_majority([["A", "A", "B", None], ["B", "B", "A", "C", "D", None]], ["A", "A"])
    assert found.label_right.tolist() == [3, 0]
    assert found.wrong_label_missed.tolist() == [0, 2]
    assert found.unparseable.tolist() == [1, 1]
    assert found.rightly_rewarded.tolist() == [4, 3]
    assert found.n_rollouts.tolist() == [4, 6]
    assert found.shares() == LuckyShares(3 / 7, 2 / 7, 2 / 7)


def test_two_options_leave_no_room_for_a_lucky_hit() -> None:
    found = by_majority([["B", "B", "B", "A"]], ["A"])
    assert found.rightly_rewarded.tolist() == [0]
    assert found.shares() is None


def test_a_question_in_which_nothing_parses_has_no_rightly_rewarded_rollout() -> None:
    found = by_majority([[None, None], ["A", None]], ["A", "A"])
    assert found.unparseable.tolist() == [0, 1]
    assert found.shares() == LuckyShares(0.5, 0.0, 0.5)


def test_a_label_that_is_no_majority_is_taken_as_given() -> None:
    found = by_label([["A", "A", "B", "C"]], ["A"], ["B"])
    assert found.wrong_label_missed.tolist() == [1]


def test_rewarded_silence_is_no_right_reward() -> None:
    # TTRL v1: the responses without an answer win the vote and are rewarded.
    found = by_label([[None, None, "A", "B"]], ["A"], [EMPTY])
    assert (found.unparseable.tolist(), found.wrong_label_missed.tolist()) == ([0], [1])


@pytest.mark.parametrize("rewards", [[[0.7, 0.2]], [[0.0, 1.0]], [[1.0, 1.0]]])
def test_rewards_that_do_not_come_from_the_label_have_no_lucky_hits(rewards: list[list[float]]) -> None:
    assert lucky_hits([["A", "B"]], ["A"], rewards, ["A"]) is None


GROUPS = st.integers(1, 6).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from(["A", "B", "C", "D", None]), min_size=size, max_size=size),
        min_size=1,
        max_size=6,
    )
)


@given(groups=GROUPS)
def test_shares_sum_to_one_and_counts_to_the_reward_accuracy(groups: list[Answers]) -> None:
    golds = ["A"] * len(groups)
    found = by_majority(groups, golds)
    shares = found.shares()
    if shares is not None:
        assert shares.label_right + shares.wrong_label_missed + shares.unparseable == pytest.approx(1)
    rewards = [matches(group, majority(group).label) for group in groups]
    whole = agreement(groups, golds, rewards)
    assert found.rightly_rewarded.sum() / found.n_rollouts.sum() == pytest.approx(whole.reward_accuracy)
