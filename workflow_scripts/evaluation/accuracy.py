"""Accuracy of repeated samples of one question: avg@k, maj@k and the unbiased pass@k."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from workflow_scripts.answers.vote import majority


def avg_at_k(correct: Sequence[bool]) -> float:
    """Return the share of the k samples that are right, in [0, 1]; needs at least one sample."""
    if len(correct) == 0:
        raise ValueError("avg@k needs at least one sample")
    return sum(map(bool, correct)) / len(correct)


def maj_at_k(answers: Sequence[str | None], gold: str) -> bool:
    """Return whether the majority answer of the k samples is right; with no readable answer it is not.

    Unreadable answers (None) do not vote, ties go to the answer seen first.
    """
    return majority(answers).label == gold


def pass_at_k(n: int, n_correct: int, k: int) -> float:
    """Return the unbiased estimate of P(at least one of k samples is right) from n >= k samples.

    1 - C(n - c, k) / C(n, k), the share of the k-subsets that hold a right sample (Chen et al. 2021,
    "Evaluating large language models trained on code"), in exact integer arithmetic before the division.
    """
    if not 1 <= k <= n:
        raise ValueError(f"pass@{k} cannot be estimated from {n} samples")
    if not 0 <= n_correct <= n:
        raise ValueError(f"{n_correct} of {n} samples cannot be right")
    return 1.0 - comb(n - n_correct, k) / comb(n, k)
