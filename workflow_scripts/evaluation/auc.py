"""Area under the ROC curve, with ties counted half."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def auc(scores: ArrayLike, positive: ArrayLike) -> float | None:
    """Return P(score of a positive > score of a negative) + P(equal) / 2, in [0, 1].

    Parameters
    ----------
    scores
        Shape (n,), finite.
    positive
        Shape (n,), booleans.

    Returns
    -------
    None where there is no positive or no negative.
    """
    scores = np.asarray(scores, dtype=np.float64)
    positive = np.asarray(positive, dtype=bool)
    if scores.shape != positive.shape or scores.ndim != 1:
        raise ValueError(f"scores {scores.shape} and labels {positive.shape} must be equally long vectors")
    if not np.isfinite(scores).all():
        raise ValueError("a score is not finite")
    above, below = scores[positive], np.sort(scores[~positive])
    if above.size == 0 or below.size == 0:
        return None
    # For each positive: the negatives strictly below it, and those not above it; their mean counts ties half.
    beaten = np.searchsorted(below, above, side="left") + np.searchsorted(below, above, side="right")
    return float(beaten.mean() / 2 / below.size)
