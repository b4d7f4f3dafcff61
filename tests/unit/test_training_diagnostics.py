"""Diagnostics of one batch: what the agreement, lucky hits and letters of hand-made groups are."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from workflow_scripts.policies.generation import Generated
from workflow_scripts.policies.rollouts import Rollout
from workflow_scripts.questions.schema import Question
from workflow_scripts.training.diagnostics import GroupRecord, batch_metrics

OPTIONS = {"A": "one", "B": "two", "C": "three", "D": "four"}


def group(
    answers: str, label: str | None, rewards: list[float], options: dict[str, str] | None = OPTIONS
) -> GroupRecord:
    """Rollouts of one question with gold A; `-` is an answer that cannot be read."""
    kind = "number" if options is None else "choice"
    question = Question(f"q{answers}", "test", "?", options, kind, {}, answer="A")
    rollouts = [
        Rollout(question.id, i, f"text {i}", Generated([1, 2], [-0.1, -0.2], "stop"), None if a == "-" else a)
        for i, a in enumerate(answers)
    ]
    return GroupRecord(question, rollouts, rewards, label, [1] * len(answers))


def measure(records: list[GroupRecord], continuous: bool = False) -> dict[str, Any]:
    return batch_metrics(
        records, torch.tensor([record.rewards for record in records], dtype=torch.float64), continuous
    )


MAJORITY = [group("AAB-", "A", [1, 1, 0, 0]), group("BBCD", "B", [1, 1, 0, 0])]


def test_right_rewards_are_told_apart_by_their_reason() -> None:
    found = measure(MAJORITY)
    # Right: A A B and one unreadable; C and D. Six of eight.
    assert found["reward_accuracy"] == pytest.approx(6 / 8)
    assert found["lucky_label_right"] == pytest.approx(3 / 6)
    assert found["lucky_wrong_label_missed"] == pytest.approx(2 / 6)
    assert found["lucky_unparseable"] == pytest.approx(1 / 6)


def test_a_rollout_without_a_finite_reward_is_no_lucky_hit() -> None:
    found = measure([group("BBCD", "B", [1, 1, 0, math.nan]), group("AAAA", "A", [1, 1, 1, 1])])
    assert found["lucky_wrong_label_missed"] == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("record", "continuous"),
    [
        (group("AABC", "A", [0.9, 0.4, 0.3, 0.1]), True),
        (group("AABC", "A", [1, 1, 0, 0]), True),  # graded rewards that happen to match a label
        (group("AABC", "A", [0, 1, 1, 0]), False),  # a coin
    ],
)
def test_rewards_without_a_label_have_no_lucky_hits(record: GroupRecord, continuous: bool) -> None:
    found = measure([record], continuous)
    assert [found[name] for name in found if name.startswith("lucky")] == [None, None, None]


def test_where_no_reward_is_right_nothing_is_lucky() -> None:
    assert measure([group("BBBA", "B", [1, 1, 1, 0])])["lucky_label_right"] is None


def test_letter_balance_is_the_largest_share_among_readable_answers_of_the_batch() -> None:
    # A A B, B B C D: three B of seven readable answers.
    assert measure(MAJORITY)["letter_share_max"] == pytest.approx(3 / 7)
    assert measure([group("----", None, [0, 0, 0, 0])])["letter_share_max"] is None


def test_free_form_answers_have_no_letter_balance() -> None:
    assert measure([group("AAB-", "A", [1, 1, 0, 0], options=None)])["letter_share_max"] is None
