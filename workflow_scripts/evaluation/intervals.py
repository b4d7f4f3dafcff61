"""Confidence intervals: percentile bootstrap over questions, training seeds kept apart.

The samples of one question belong together, so questions are resampled, never single samples. With several
seeds the mean over seeds of each question is resampled: the interval then speaks of these seeds on other
questions of the same kind, and the values per seed stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_CHUNK = 4_000_000
"""Resampled cells held in memory at once."""


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    Attributes
    ----------
    value, low, high
        The mean over seeds and questions, and the bounds.
    per_seed
        The mean over questions of each seed.
    """

    value: float
    low: float
    high: float
    per_seed: tuple[float, ...]


def bootstrap_mean(values: ArrayLike, samples: int, confidence: float, seed: int) -> Interval:
    """Return the mean of `values` with its percentile-bootstrap interval over questions.

    Parameters
    ----------
    values
        Shape (questions,) or (seeds, questions); finite; the same questions in every row.
    samples
        Number of bootstrap resamples.
    confidence
        For example 0.95.
    seed
        Seed of the resampling; equal input gives equal output.
    """
    table = _table(values)
    return _interval(table.mean(axis=0), table.mean(axis=1), samples, confidence, seed)


def paired_difference(a: ArrayLike, b: ArrayLike, samples: int, confidence: float, seed: int) -> Interval:
    """Return the mean of `a - b` on the same questions, with its interval over questions.

    Both have the shape (questions,) or (seeds, questions), with questions in the same order. Seeds pair with
    seeds; a single row (a base policy has no seeds) pairs with every seed of the other.

    Raises
    ------
    ValueError
        If the numbers of questions differ, or both have several seeds but not equally many.
    """
    first, second = _table(a), _table(b)
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"{first.shape[1]} and {second.shape[1]} questions cannot be paired")
    if first.shape[0] != second.shape[0] and 1 not in (first.shape[0], second.shape[0]):
        raise ValueError(f"{first.shape[0]} and {second.shape[0]} seeds cannot be paired")
    return bootstrap_mean(first - second, samples, confidence, seed)


def _table(values: ArrayLike) -> np.ndarray:
    table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"values of shape {np.shape(values)}: need (questions,) or (seeds, questions)")
    if not np.isfinite(table).all():
        raise ValueError("a value is not finite")
    return table


def _interval(
    questions: np.ndarray, per_seed: np.ndarray, samples: int, confidence: float, seed: int
) -> Interval:
    if samples < 1 or not 0 < confidence < 1:
        raise ValueError(f"samples {samples} must be at least 1 and confidence {confidence} in (0, 1)")
    means = np.concatenate(
        [counts @ questions / len(questions) for counts in _resamples(len(questions), samples, seed)]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(
        value=float(questions.mean()), low=float(low), high=float(high), per_seed=tuple(map(float, per_seed))
    )


def _resamples(questions: int, samples: int, seed: int) -> Iterator[np.ndarray]:
    """Yield how often each question is drawn: arrays (resamples, questions), `samples` rows in all."""
    generator = np.random.default_rng(seed)
    shares = np.full(questions, 1 / questions)
    rows = max(1, _CHUNK // questions)
    for start in range(0, samples, rows):
        yield generator.multinomial(questions, shares, size=min(rows, samples - start))
