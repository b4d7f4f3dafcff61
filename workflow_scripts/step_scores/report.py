"""How well step scores tell right steps from wrong ones, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workflow_scripts.evaluation.auc import auc


def step_report(scores: Sequence[float], truth: Sequence[bool]) -> dict[str, float | int | None]:
    """Step AUC, mean p(+) on right and on wrong steps, and how many there are."""
    right = np.asarray(truth, dtype=bool)
    values = np.asarray(scores, dtype=float)
    return {
        "auc": auc(scores, truth),
        "mean_on_right": float(values[right].mean()) if right.any() else None,
        "mean_on_wrong": float(values[~right].mean()) if (~right).any() else None,
        "n_right": int(right.sum()),
        "n_wrong": int((~right).sum()),
    }
