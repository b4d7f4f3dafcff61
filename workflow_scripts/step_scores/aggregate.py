"""From step scores to one trajectory score."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workflow_scripts.settings.methods import Aggregation


def aggregate(scores: Sequence[float], how: Aggregation) -> float:
    """Aggregate the step scores of one trajectory; a trajectory without steps scores 0.

    Parameters
    ----------
    scores : p_i(+) of each step, in [0, 1].
    how : `min` is PROSE (equation 5); the others are its ablations.
    """
    if not scores:
        return 0.0
    if how == "min":
        return min(scores)
    if how == "mean":
        return math.fsum(scores) / len(scores)
    if how == "sum":
        return math.fsum(scores)
    if how == "product":
        return math.prod(scores)
    return scores[-1]
