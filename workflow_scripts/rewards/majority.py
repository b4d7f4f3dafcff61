"""TTRL's majority-vote reward (Zuo et al. 2026; PROSE, equation 3)."""

from __future__ import annotations

from workflow_scripts.answers.vote import EMPTY, Missing, majority
from workflow_scripts.rewards.group import Need, RolloutGroup


def majority_label(group: RolloutGroup, missing: Missing = "no_vote") -> str | None:
    """The most frequent answer; ties go to the first seen, and a group in which nobody votes has none."""
    return majority(group.answers, missing=missing).label


def match(answers: tuple[str | None, ...], label: str | None) -> list[float]:
    """1 for each answer that equals the label, else 0; a missing answer equals the label `EMPTY` alone."""
    return [float((EMPTY if answer is None else answer) == label) for answer in answers]


class MajorityReward:
    """r_k = 1 if a_k is the majority answer of the group, else 0.

    With `missing: one_class`, as in the first version of TTRL's code, responses without an answer are one answer
    more: where they are the majority, they get the 1. A group whose majority has less than `min_share` of the samples
    has no label, and all its rewards are 0 (SRT's filter).
    """

    needs: frozenset[Need] = frozenset()
    continuous = False

    def __init__(self, missing: Missing = "no_vote", min_share: float = 0.0) -> None:
        self.missing = missing
        self.min_share = min_share

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in {0, 1}."""
        return match(group.answers, self.label(group))

    def label(self, group: RolloutGroup) -> str | None:
        """Return the majority answer; None where it has too small a share."""
        vote = majority(group.answers, missing=self.missing)
        return vote.label if vote.share >= self.min_share else None
