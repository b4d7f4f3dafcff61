"""The numbers that decide claims: weighted sums of metrics, with an interval and each seed's own value.

Every metric keeps its questions: terms are added seed by seed and question by question, so that a difference is
paired, and the interval is a bootstrap over questions of the mean over seeds. The reward of training is that of
the rollouts in a window of optimiser steps; a seed has no value for a question that its window did not visit.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import (
    DEPENDS_ON_K,
    question_values,
    reward_values,
    samples_per_question,
)
from workflow_scripts.analysis.tables import (
    read_curve,
    read_per_question,
    read_trained_rollouts,
)
from workflow_scripts.evaluation.intervals import bootstrap_mean
from workflow_scripts.settings.claims import Term
from workflow_scripts.settings.evidence import Evidence, RunEvidence
from workflow_scripts.settings.training import StatisticsSpec

LAST_SHARE = 0.1
"""`last_tenth`: the last 10 % of the optimiser steps."""


class NoEvidence(Exception):
    """A term's run or evaluation does not exist at this scale."""


class NotComparable(Exception):
    """The terms exist but cannot be added: other questions, or a metric that depends on k at unequal k."""


@dataclass(frozen=True)
class Estimate:
    """A quantity: its value, 95 % (or as configured) interval, and what it rests on.

    by_seed: seed -> the quantity for that seed alone; empty where only the base is involved. n: questions. k: samples
    per question.
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
    terms: list[Term], evidence: Evidence, policy_role: str, questions_role: str, statistics: StatisticsSpec
) -> Estimate:
    """Return the weighted sum of `terms` for one policy and question set.

    Raises NoEvidence or NotComparable with a reason for people.
    """
    place = _Place(evidence, policy_role, questions_role)
    parts = [(term, *_term_values(term, place)) for term in terms]
    if any(term.metric in DEPENDS_ON_K for term in terms) and len({k for _, _, k in parts}) > 1:
        raise NotComparable(f"{terms[0].metric} at different numbers of samples per question")
    seeds = _common_seeds([list(values.index) for term, values, _ in parts if term.method is not None])
    total = _weighted_sum(parts, seeds)
    if total.isna().all(axis=1).any():
        raise NotComparable("a seed has no question for which every term is defined")
    of_questions = total.mean(axis=0).dropna().to_numpy()
    interval = bootstrap_mean(
        of_questions,
        samples=statistics.bootstrap_samples,
        confidence=statistics.confidence,
        seed=statistics.seed,
    )
    by_seed = dict(zip(seeds, total.mean(axis=1).tolist(), strict=True)) if seeds else {}
    k = min(k for _, _, k in parts)
    return Estimate(interval.value, interval.low, interval.high, by_seed, len(of_questions), k)


@dataclass(frozen=True)
class _Place:
    """The evidence of one policy role on one question set role."""

    evidence: Evidence
    policy_role: str
    questions_role: str

    def runs(self, method: str) -> list[RunEvidence]:
        found = [
            run
            for run in self.evidence.runs
            if (run.policy_role, run.questions_role, run.method)
            == (self.policy_role, self.questions_role, method)
        ]
        if not found:
            raise NoEvidence(self._reason(method))
        return sorted(found, key=lambda run: run.seed)

    def base_table(self) -> pd.DataFrame:
        for base in self.evidence.base:
            if (base.policy_role, base.questions_role) == (self.policy_role, self.questions_role):
                return read_per_question(base.per_question)
        raise NoEvidence(self._reason(None))

    def _reason(self, method: str | None) -> str:
        for absent in self.evidence.not_run:
            if (absent.policy_role, absent.questions_role) == (self.policy_role, self.questions_role) and (
                absent.method == method
            ):
                return absent.reason
        return f"no {method or 'base'} for {self.policy_role} on {self.questions_role} at this scale"


# ------------------------------------------------------------------ sums


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


# ------------------------------------------------------------------ terms


def _term_values(term: Term, place: _Place) -> tuple[pd.DataFrame, int]:
    """Return values (seeds x questions; one row for the base) and k."""
    if term.method is None:
        table = place.base_table()
        return question_values(table, term.metric).to_frame(0).T, samples_per_question(table)
    runs = place.runs(term.method)
    return _training_term(term, runs) if term.is_of_training else _sampled_term(term, runs)


def _sampled_term(term: Term, runs: list[RunEvidence]) -> tuple[pd.DataFrame, int]:
    """Return a metric of the evaluated samples, from the last checkpoint's evaluation or from the curve."""
    rows, ks = {}, []
    if term.where == "last" and all(run.per_question is not None for run in runs):
        for run in runs:
            table = read_per_question(str(run.per_question))
            rows[run.seed] = question_values(table, term.metric)
            ks.append(samples_per_question(table))
        return pd.DataFrame(rows).T, min(ks)
    curves = {run.seed: read_curve(run.curve) for run in runs}
    steps = _evaluation_steps(term, curves)
    for seed, curve in curves.items():
        at_steps = [curve[curve["step"] == step] for step in steps]
        if any(table.empty for table in at_steps):
            raise NotComparable(f"the seeds of {term.method} are evaluated at different steps")
        ks += [samples_per_question(table) for table in at_steps]
        rows[seed] = pd.DataFrame([question_values(table, term.metric) for table in at_steps]).mean(axis=0)
    return pd.DataFrame(rows).T, min(ks)


def _evaluation_steps(term: Term, curves: dict[int, pd.DataFrame]) -> list[int]:
    first = next(iter(curves.values()))
    steps = sorted(int(step) for step in first["step"].unique())
    if term.where == "first":
        return steps[:1]
    if term.where == "last":
        return steps[-1:]
    if term.where == "last_tenth":
        return [step for step in steps if step > (1 - LAST_SHARE) * steps[-1]] or steps[-1:]
    means = [
        np.mean([question_values(c[c["step"] == step], term.metric).mean() for c in curves.values()])
        for step in steps
    ]
    return [steps[int(np.argmax(means))]]


def _training_term(term: Term, runs: list[RunEvidence]) -> tuple[pd.DataFrame, int]:
    """Return the mean reward at the optimiser steps of `where` (seeds x visited questions), and rollouts of each."""
    rows, ks = {}, []
    for run in runs:
        rollouts = read_trained_rollouts(run.rollouts)
        steps = np.sort(rollouts["step"].unique())
        # Rounded first: 0.1 * 30 is a little above 3 in binary, and must not become 4 steps.
        length = max(1, math.ceil(round(LAST_SHARE * len(steps), 9))) if term.where == "last_tenth" else 1
        window = rollouts[rollouts["step"].isin(steps[:length] if term.where == "first" else steps[-length:])]
        rows[run.seed] = reward_values(window)
        ks.append(int(window.groupby("question_id").size().min()))
    return pd.DataFrame(rows).T, min(ks)
