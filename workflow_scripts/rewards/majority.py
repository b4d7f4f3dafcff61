"""TTRL's majority-vote reward (Zuo et al. 2026; PROSE, equation 3)."""

from __future__ import annotations

from workflow_scripts.answers.vote import majority
from workflow_scripts.rewards.group import Need, RolloutGroup


def majority_label(group: RolloutGroup) -> str | None:
    """The most frequent answer; ties go to the first seen, and a group without any answer has none."""
    return majority(group.answers).label


def match(answers: tuple[str | None, ...], label: str | None) -> list[float]:
    """1 for each answer that equals the label, else 0; a missing answer never matches."""
    return [float(answer is not None and answer == label) for answer in answers]


class MajorityReward:
    """r_k = 1 if a_k is the majority answer of the group, else 0."""

    needs: frozenset[Need] = frozenset()
    continuous = False

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in {0, 1}."""
        return match(group.answers, majority_label(group))

    def label(self, group: RolloutGroup) -> str | None:
        """Return the majority answer."""
        return majority_label(group)
