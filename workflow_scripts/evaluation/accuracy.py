"""Accuracy of repeated samples of one question: the unbiased pass@k (avg@k and maj@k are in `metrics`)."""

from __future__ import annotations

from math import comb


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
