"""Confidence intervals: percentile bootstrap over questions, training seeds kept apart.

The samples of one question belong together, so questions are resampled, never single samples. With several
seeds the mean over seeds of each question is resampled: the interval then speaks of these seeds on other
questions of the same kind, and the values per seed stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def bootstrap_average(of_sets: Sequence[ArrayLike], samples: int, confidence: float, seed: int) -> Interval:
    """Return the average over question sets of their means, with its interval.

    Each set, of the shape (questions,) or (seeds, questions), counts the same whatever its size, and is resampled
    on its own: questions that two sets share are not resampled together.

    Raises
    ------
    ValueError
        If there is no set, or the sets differ in their number of seeds.
    """
    tables = [_table(values) for values in of_sets]
    if len({len(table) for table in tables}) != 1:
        raise ValueError(f"sets with {[len(table) for table in tables]} seeds cannot be averaged")
    means = np.mean(
        [
            resampled_means(table.mean(axis=0), samples, (seed, position))
            for position, table in enumerate(tables)
        ],
        axis=0,
    )
    per_seed = np.mean([table.mean(axis=1) for table in tables], axis=0)
    return _bounds(float(per_seed.mean()), means, per_seed, confidence)


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
    means = resampled_means(questions, samples, seed)
    return _bounds(float(questions.mean()), means, per_seed, confidence)


def resampled_means(questions: np.ndarray, samples: int, seed: int | tuple[int, ...]) -> np.ndarray:
    """Return the means of `samples` resamples of the values (questions,), shape (samples,)."""
    if samples < 1:
        raise ValueError(f"samples {samples} must be at least 1")
    draws = _resamples(len(questions), samples, seed)
    return np.concatenate([counts @ questions / len(questions) for counts in draws])


def _bounds(value: float, means: np.ndarray, per_seed: np.ndarray, confidence: float) -> Interval:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} must be in (0, 1)")
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(value=value, low=float(low), high=float(high), per_seed=tuple(map(float, per_seed)))


def _resamples(questions: int, samples: int, seed: int | tuple[int, ...]) -> Iterator[np.ndarray]:
    """Yield how often each question is drawn: arrays (resamples, questions), `samples` rows in all."""
    generator = np.random.default_rng(seed)
    shares = np.full(questions, 1 / questions)
    rows = max(1, _CHUNK // questions)
    for start in range(0, samples, rows):
        yield generator.multinomial(questions, shares, size=min(rows, samples - start))
