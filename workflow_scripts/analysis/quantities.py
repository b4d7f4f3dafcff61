"""The numbers that decide claims, each with an interval and each seed's own value.

Every metric keeps its questions: the terms of a sum are added seed by seed and question by question, so that a
difference is paired, and the interval is a bootstrap over questions of the mean over seeds. A quantity of several
sums, or of several cells, is worked out again in every resample: questions of different sets are resampled within
their set, and sums on one set share its resamples. (Where two sets ask the same questions, as MedQA with five and
with four options do, they are still resampled apart.)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import DEPENDS_ON_K
from workflow_scripts.analysis.terms import Cell, NotComparable, term_values
from workflow_scripts.evaluation.intervals import resampled_means
from workflow_scripts.settings.claims import Across, Term
from workflow_scripts.settings.evidence import Evidence
from workflow_scripts.settings.training import StatisticsSpec

DECIMALS = 12
"""Sums of binary fractions miss zero by 1e-17; a tie must not count as a lead."""


class Sums(Protocol):
    """Weighted sums of terms, and what is made of them: the least (`lead`), the first per the second (`ratio`), or
    the only one (any other kind). `settings.claims.Quantity` is one."""

    @property
    def kind(self) -> str: ...

    def sums(self) -> list[list[Term]]: ...


@dataclass(frozen=True)
class Estimate:
    """A quantity: its value, 95 % (or as configured) interval, and what it rests on.

    by_seed: seed -> the quantity for that seed alone; empty where only the base is involved. n: questions, of all
    cells together. k: samples per question.
    """

    value: float
    low: float
    high: float
    by_seed: dict[int, float]
    n: int
    k: int

    @property
    def sd(self) -> float:
        """Standard deviation between seeds; NaN for fewer than two."""
        values = list(self.by_seed.values())
        return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def estimate(
    quantity: Sums,
    evidence: Evidence,
    policy_roles: Sequence[str],
    question_roles: Sequence[str],
    statistics: StatisticsSpec,
    across: Across = "each",
) -> Estimate:
    """Return the quantity in one cell, or across cells (policy roles x question set roles).

    Raises NoEvidence or NotComparable with a reason for people.
    """
    cells = []
    for policy_role in policy_roles:
        for position, questions_role in enumerate(question_roles):
            seed = statistics.seed if len(question_roles) == 1 else (statistics.seed, position)
            draw = _Draw(statistics.bootstrap_samples, seed)
            cells.append(_in_cell(quantity, Cell(evidence, policy_role, questions_role), draw))
    match across:
        case "mean":
            found = _apply(lambda values: values.mean(axis=0), cells)
        case "count":
            found = _apply(lambda values: (np.round(values, DECIMALS) > 0).sum(axis=0), cells)
        case _:
            (found,) = cells
    tail = (1 - statistics.confidence) / 2
    known = found.resamples[np.isfinite(found.resamples)]
    if not math.isfinite(found.value) or known.size == 0:
        raise NotComparable("it is divided by zero")
    low, high = np.quantile(known, [tail, 1 - tail])
    return Estimate(found.value, float(low), float(high), found.by_seed, sum(c.n for c in cells), found.k)


@dataclass(frozen=True)
class _Draw:
    """How questions are resampled: equal seeds and numbers of questions give equal resamples."""

    samples: int
    seed: int | tuple[int, int]


@dataclass(frozen=True)
class _Resampled:
    """A number, what it is in each resample of the questions (resamples,), and for each seed."""

    value: float
    resamples: np.ndarray
    by_seed: dict[int, float]
    n: int
    k: int


def _apply(function: Callable[[np.ndarray], np.ndarray], numbers: Sequence[_Resampled]) -> _Resampled:
    """Apply `function`, which reduces the first axis, to the values, in each resample, and for each seed.

    A number without seeds (the base's) is the same for every seed.
    """
    seeds = _common_seeds([list(number.by_seed) for number in numbers if number.by_seed])
    by_seed = {
        seed: float(function(np.array([number.by_seed.get(seed, number.value) for number in numbers])))
        for seed in seeds
    }
    value = float(function(np.array([number.value for number in numbers])))
    resamples = function(np.stack([number.resamples for number in numbers]))
    n, k = (min(getattr(number, name) for number in numbers) for name in ("n", "k"))
    return _Resampled(value, np.asarray(resamples, dtype=float), by_seed, n, k)


def _in_cell(quantity: Sums, cell: Cell, draw: _Draw) -> _Resampled:
    sums = quantity.sums()
    parts = [[(term, *term_values(term, cell)) for term in terms] for terms in sums]
    in_all = [part for terms in parts for part in terms]
    if any(term.metric in DEPENDS_ON_K for term, _, _ in in_all) and len({k for _, _, k in in_all}) > 1:
        raise NotComparable(f"{in_all[0][0].metric} at different numbers of samples per question")
    found = [_sum(terms, draw) for terms in parts]
    match quantity.kind:
        case "lead":
            return _apply(lambda values: values.min(axis=0), found)
        case "ratio":
            with np.errstate(divide="ignore", invalid="ignore"):
                return _apply(lambda values: np.divide(values[0], values[1]), found)
        case _:
            return found[0]


def _sum(parts: list[tuple[Term, pd.DataFrame, int]], draw: _Draw) -> _Resampled:
    seeds = _common_seeds([list(values.index) for term, values, _ in parts if term.method is not None])
    total = _weighted_sum(parts, seeds)
    if total.isna().all(axis=1).any():
        raise NotComparable("a seed has no question for which every term is defined")
    of_questions = total.mean(axis=0).dropna().to_numpy(dtype=float)
    return _Resampled(
        value=float(of_questions.mean()),
        resamples=resampled_means(of_questions, draw.samples, draw.seed),
        by_seed=dict(zip(seeds, total.mean(axis=1).tolist(), strict=True)) if seeds else {},
        n=len(of_questions),
        k=min(k for _, _, k in parts),
    )


def _weighted_sum(parts: list[tuple[Term, pd.DataFrame, int]], seeds: list[int]) -> pd.DataFrame:
    """Return the sum of the terms (seeds x questions; one row where only the base is involved).

    Evaluations must hold the same questions. NaN where a term's training window did not visit a question.
    """
    questions = set(parts[0][1].columns)
    weighted = []
    for term, values, _ in parts:
        same_questions = set(values.columns) == questions and values.notna().all(axis=None)
        if not (term.is_of_training or same_questions):
            raise NotComparable("the evaluations hold different questions")
        rows = seeds if term.method is not None else [0] * max(len(seeds), 1)
        weighted.append(term.weight * values.loc[rows].set_axis(seeds or [0], axis=0))
    return reduce(operator.add, weighted)


def _common_seeds(seeds_of_terms: list[list[int]]) -> list[int]:
    if not seeds_of_terms:
        return []
    common = set(seeds_of_terms[0]).intersection(*seeds_of_terms[1:])
    if not common:
        raise NotComparable("the methods have no seed in common")
    return sorted(common)
