"""Rewards for comparison: the truth, a coin, and the format alone."""

from __future__ import annotations

import random
from collections.abc import Mapping

from workflow_scripts.rewards.group import Need, RolloutGroup
from workflow_scripts.rewards.majority import majority_label, match

NOTHING: frozenset[Need] = frozenset()


class OracleReward:
    """1 if the answer is right: supervised reinforcement learning.

    The only reward that knows answers; they are handed to it, since a group carries none.
    """

    needs = NOTHING
    continuous = False

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.answers = answers

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in {0, 1}."""
        return match(group.answers, self.label(group))

    def label(self, group: RolloutGroup) -> str | None:
        """Return the true answer."""
        return self.answers[group.question.id]


class RandomReward:
    """A fair coin per rollout: gains under it need no signal at all."""

    needs = NOTHING
    continuous = False

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in {0, 1}, the same for the same stream."""
        rng = random.Random(group.stream)
        return [float(rng.random() < 0.5) for _ in group.answers]

    def label(self, group: RolloutGroup) -> str | None:
        """Return the majority answer: a coin holds no label."""
        return majority_label(group)


class FormatReward:
    """1 if an answer can be read: gains under it are gains in format."""

    needs = NOTHING
    continuous = False

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in {0, 1}."""
        return [float(answer is not None) for answer in group.answers]

    def label(self, group: RolloutGroup) -> str | None:
        """Return the majority answer: the format holds no label."""
        return majority_label(group)
