"""PROSE's process reward (section 4, equations 5 and 6), and the PRM used as a label (Table 3)."""

from __future__ import annotations

from typing import Literal

from workflow_scripts.evaluation.selection import best_of_n, sc_rm
from workflow_scripts.rewards.group import Need, RolloutGroup
from workflow_scripts.rewards.majority import majority_label, match
from workflow_scripts.settings.methods import Aggregation
from workflow_scripts.step_scores.aggregate import aggregate

STEP_SCORES: frozenset[Need] = frozenset({"step_scores"})


def trajectory_scores(group: RolloutGroup, aggregation: Aggregation) -> list[float]:
    """The aggregated step scores of each rollout."""
    assert group.step_scores is not None
    return [aggregate(scores, aggregation) for scores in group.step_scores]


class ProcessReward:
    """r_k = min_i p_i(+) if a_k can be read, else 0 (equation 6); other aggregations are ablations.

    Without the format guard, equation 5 alone.
    """

    needs = STEP_SCORES
    continuous = True

    def __init__(self, aggregation: Aggregation = "min", format_guard: bool = True) -> None:
        self.aggregation = aggregation
        self.format_guard = format_guard

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in [0, 1] (`sum`: up to the number of steps)."""
        scores = trajectory_scores(group, self.aggregation)
        if not self.format_guard:
            return scores
        return [0.0 if answer is None else score for answer, score in zip(group.answers, scores, strict=True)]

    def label(self, group: RolloutGroup) -> str | None:
        """Return the majority answer: this reward holds no label of its own."""
        return majority_label(group)


class ProcessLabelReward:
    """r_k = 1 if a_k is the answer that the process reward model selects, else 0 (Table 3, "PRM as label").

    sc_rm
        The answer with the largest sum of trajectory scores (reward-weighted self-consistency).
    bon
        The answer of the best-scored rollout.
    """

    needs = STEP_SCORES
    continuous = False

    def __init__(self, selection: Literal["sc_rm", "bon"], aggregation: Aggregation) -> None:
        self.selection = selection
        self.aggregation = aggregation

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in {0, 1}."""
        return match(group.answers, self.label(group))

    def label(self, group: RolloutGroup) -> str | None:
        """Return the selected answer; missing answers take no part, ties go to the first seen."""
        scores = trajectory_scores(group, self.aggregation)
        if self.selection == "sc_rm":
            return sc_rm(group.answers, scores).label
        chosen = best_of_n(group.answers, scores)
        return None if chosen is None else group.answers[chosen]
