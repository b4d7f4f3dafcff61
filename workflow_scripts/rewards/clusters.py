"""EMPO's reward: how many of the group mean the same (Zhang et al. 2025; URLVR, Table 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq
from typing import Literal

from workflow_scripts.rewards.group import Need, RolloutGroup
from workflow_scripts.rewards.majority import majority_label

Same = Callable[[str, str], bool]
"""Whether two answers mean the same; the default is equality of their normal forms."""


def clusters(answers: Sequence[str | None], same: Same = eq) -> list[list[int]]:
    """Return the positions of the answers that mean the same; missing answers are in none.

    An answer joins the first cluster whose first member means the same.
    """
    found: list[list[int]] = []
    for k, answer in enumerate(answers):
        if answer is None:
            continue
        home = next((cluster for cluster in found if same(str(answers[cluster[0]]), answer)), None)
        if home is None:
            found.append([k])
        else:
            home.append(k)
    return found


class EmpoReward:
    """r_k = |cluster of a_k| / K; 0 without an answer.

    With `all_distinct: zero`, as in EMPO's code, a group in which no two of the K answers mean the same gets 0 (the
    entropy of its answers is log K). Under group-normalised advantages it teaches nothing either way.
    """

    needs: frozenset[Need] = frozenset()
    continuous = True

    def __init__(self, all_distinct: Literal["zero", "share"] = "zero", same: Same = eq) -> None:
        self.all_distinct = all_distinct
        self.same = same

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K values in [0, 1]."""
        k, found = len(group.answers), clusters(group.answers, self.same)
        rewards = [0.0] * k
        if self.all_distinct == "zero" and len(found) == k:
            return rewards
        for cluster in found:
            for position in cluster:
                rewards[position] = len(cluster) / k
        return rewards

    def label(self, group: RolloutGroup) -> str | None:
        """Return the first answer of the largest cluster; ties go to the first seen."""
        if self.same is eq:
            return majority_label(group)
        found = clusters(group.answers, self.same)
        return group.answers[max(found, key=len)[0]] if found else None
