"""The numbers that decide claims: weighted sums of metrics, with an interval and each seed's own value.

Sampled metrics keep their questions: terms are added seed by seed and question by question, so that a
difference is paired, and the interval is a bootstrap over questions of the mean over seeds. Training metrics
have no question axis: with several seeds their interval is Student's t over the seeds, with one seed Student's
t over the optimiser steps of the window, taken as independent (too narrow where the metric drifts in it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import DEPENDS_ON_K, question_values, samples_per_question
from workflow_scripts.analysis.tables import (
    read_curve,
    read_per_question,
    read_training_metrics,
    training_metric,
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

    low, high: NaN where no interval can be given. by_seed: seed -> the quantity for that seed alone; empty where
    only the base is involved. n: questions (training metrics: optimiser steps of the window). k: samples per question.
    """

    value: float
    low: float
    high: float
    by_seed: dict[int, float]
    n: int
    k: int | None

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
    if terms[0].metric.startswith("train."):
        return _training_estimate(terms, place, statistics)
    return _sampled_estimate(terms, place, statistics)


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


# ------------------------------------------------------------------ sampled metrics


def _sampled_estimate(terms: list[Term], place: _Place, statistics: StatisticsSpec) -> Estimate:
    parts = [(term, *_sampled_term(term, place)) for term in terms]
    if any(term.metric in DEPENDS_ON_K for term in terms) and len({k for _, _, k in parts}) > 1:
        raise NotComparable(f"{terms[0].metric} at different numbers of samples per question")
    seeds = _common_seeds([list(values.index) for term, values, _ in parts if term.method is not None])
    questions = parts[0][1].columns
    total = np.zeros((max(len(seeds), 1), len(questions)))
    for term, values, _ in parts:
        if set(values.columns) != set(questions):
            raise NotComparable("the evaluations hold different questions")
        of_seeds = values.loc[seeds] if term.method is not None else values
        total = total + term.weight * of_seeds[questions].to_numpy(dtype=float)
    interval = bootstrap_mean(
        total,
        samples=statistics.bootstrap_samples,
        confidence=statistics.confidence,
        seed=statistics.seed,
    )
    by_seed = dict(zip(seeds, total.mean(axis=1).tolist(), strict=True)) if seeds else {}
    k = min(k for _, _, k in parts)
    return Estimate(interval.value, interval.low, interval.high, by_seed, len(questions), k)


def _common_seeds(seeds_of_terms: list[list[int]]) -> list[int]:
    if not seeds_of_terms:
        return []
    common = set(seeds_of_terms[0]).intersection(*seeds_of_terms[1:])
    if not common:
        raise NotComparable("the methods have no seed in common")
    return sorted(common)


def _sampled_term(term: Term, place: _Place) -> tuple[pd.DataFrame, int]:
    """Return values (seeds x questions; one row for the base) and k."""
    if term.method is None:
        table = place.base_table()
        return question_values(table, term.metric).to_frame().T, samples_per_question(table)
    runs = place.runs(term.method)
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


# ------------------------------------------------------------------ training metrics


def _training_estimate(terms: list[Term], place: _Place, statistics: StatisticsSpec) -> Estimate:
    windows = [(term, _training_windows(term, place)) for term in terms]
    seeds = _common_seeds([list(by_seed) for _, by_seed in windows])
    by_seed = {
        seed: float(sum(term.weight * np.nanmean(window[seed]) for term, window in windows)) for seed in seeds
    }
    value = float(np.mean(list(by_seed.values())))
    steps = max(len(window[seeds[0]]) for _, window in windows)
    if len(seeds) > 1:
        half = _student_half_width(np.array(list(by_seed.values())), statistics.confidence)
    elif all(len(window[seeds[0]]) == steps for _, window in windows):
        per_step = sum(term.weight * window[seeds[0]] for term, window in windows)
        half = _student_half_width(np.asarray(per_step, dtype=float), statistics.confidence)
    else:
        half = math.nan
    return Estimate(value, value - half, value + half, by_seed, steps, None)


def _training_windows(term: Term, place: _Place) -> dict[int, np.ndarray]:
    """Return seed -> the metric at the optimiser steps of `where`."""
    name = term.metric.removeprefix("train.")
    windows = {}
    for run in place.runs(str(term.method)):
        values = training_metric(read_training_metrics(run.metrics), name, run.metrics)
        # Rounded first: 0.1 * 30 is a little above 3 in binary, and must not become 4 steps.
        length = max(1, math.ceil(round(LAST_SHARE * len(values), 9))) if term.where == "last_tenth" else 1
        window = values[:length] if term.where == "first" else values[-length:]
        if np.isnan(window).all():
            raise NotComparable(f"{name} of {run.run_id} is undefined there")
        windows[run.seed] = window
    return windows


def _student_half_width(values: np.ndarray, confidence: float) -> float:
    """Half the width of Student's t interval of the mean of `values`; NaN for fewer than two."""
    from scipy.stats import t

    values = values[~np.isnan(values)]
    if len(values) < 2:
        return math.nan
    standard_error = values.std(ddof=1) / math.sqrt(len(values))
    return float(t.ppf(0.5 + confidence / 2, df=len(values) - 1) * standard_error)
