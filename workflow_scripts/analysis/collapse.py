"""Model Collapse Step, and how well it ranks models (URLVR, sections 6.1 to 6.3, Figures 11 and 12, Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.stats import rankdata

NEVER = np.inf
"""The collapse step of a run that did not collapse: later than every step, and a tie with others of its kind."""

LARGEST_EXACT = 9
"""Models of which all orders are looked at: 9! = 362,880."""


def collapse_step(reward_accuracy: Sequence[float], threshold: float, sustained: int = 3) -> float:
    """Return the first step (1 = the first value) of `sustained` in a row below `threshold`; `NEVER` without one.

    The paper's threshold is 0.01, and it asks for one step alone.

    Raises
    ------
    ValueError
        If a value is not in [0, 1]: a NaN would count as no collapse.
    """
    values = np.asarray(reward_accuracy, dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("reward accuracy is a share: between 0 and 1, and never missing")
    below = values < threshold
    for start in range(len(below) - sustained + 1):
        if below[start : start + sustained].all():
            return float(start + 1)
    return NEVER


def collapse_steps(
    curves: Sequence[Sequence[float]], thresholds: Sequence[float], sustained: int = 3
) -> np.ndarray:
    """Return (thresholds, models): how the steps, and so the ranks, hang on the threshold."""
    return np.array([[collapse_step(curve, t, sustained) for curve in curves] for t in thresholds])


@dataclass(frozen=True)
class RankAgreement:
    """Spearman's rho of two rankings of n models, and its exact one-sided p.

    `p`: the share of all n! orders of the models in which rho is at least as large; ties share their mean rank.
    """

    rho: float
    p: float
    n: int


def rank_agreement(first: Sequence[float], second: Sequence[float]) -> RankAgreement | None:
    """Return how well two measures rank the same models; None where one of them ranks none above another.

    Raises
    ------
    ValueError
        If they differ in length, a value is NaN, or there are more than `LARGEST_EXACT` models.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.shape != y.shape or np.isnan(x).any() or np.isnan(y).any():
        raise ValueError("two measures of the same models are needed, without gaps")
    if len(x) > LARGEST_EXACT:
        raise ValueError(f"{len(x)} models; an exact p is worked out for up to {LARGEST_EXACT}")
    a, b = (rankdata(values) - (len(x) + 1) / 2 for values in (x, y))
    size = float(np.sqrt((a @ a) * (b @ b)))
    if size == 0:
        return None
    orders = np.array(list(permutations(range(len(a)))))
    all_rho = (a[orders] @ b) / size
    rho = float(a @ b) / size
    return RankAgreement(rho, float((all_rho >= rho - 1e-12).mean()), len(a))


def rollout_tokens(response_length: float, rollouts: int, prompts: int) -> float:
    """Return the tokens that a training samples: length x rollouts a prompt x prompts, over all its steps (Table 3)."""
    return response_length * rollouts * prompts
