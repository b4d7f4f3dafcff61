"""Rows of the tidy table that come from evaluated samples: the base, curves, last checkpoints, transfers, averages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import DEPENDS_ON_K, question_values, samples_per_question
from workflow_scripts.analysis.recipes import Recipe
from workflow_scripts.analysis.tables import COLLISION, last_evaluated_step, read_curve, read_per_question
from workflow_scripts.analysis.training_rows import Row, seed_sd
from workflow_scripts.errors import UserError
from workflow_scripts.evaluation.intervals import Interval, bootstrap_average, bootstrap_mean
from workflow_scripts.settings.evidence import BaseEvidence, RunEvidence, TransferEvidence
from workflow_scripts.settings.training import StatisticsSpec

AVERAGE = "average"
"""In the column `questions_role`: the average over all question sets of the artefact."""


@dataclass(frozen=True)
class Sampled:
    """One metric of one policy at one step on one question set.

    place: the columns that say whose it is. by_question: (seeds, questions); the base has one row and no `seeds`.
    """

    place: Row
    metric: str
    k: int
    by_question: pd.DataFrame
    seeds: tuple[int, ...] = ()


def sampled_rows(sampled: Sampled, statistics: StatisticsSpec) -> list[Row]:
    """Return the mean over seeds with its interval over questions, then each seed alone; the base is one row."""
    common = {**sampled.place, "metric": sampled.metric, "k": sampled.k, "n": sampled.by_question.shape[1]}
    table = sampled.by_question.to_numpy(dtype=float)
    rows = [{**common, **_mean(_interval(table, statistics), sampled.seeds)}]
    for seed, values in zip(sampled.seeds, table, strict=False):
        rows.append({**common, **_alone(_interval(values, statistics), seed)})
    return rows


def gain_over(before: Sampled, after: Sampled) -> Sampled:
    """Return `after` minus `before` (of the base), question by question, as the metric `gain.<metric>`.

    Raises UserError where they were not evaluated alike.
    """
    what = f"{after.place['method']} and the base of {after.place['policy_role']}"
    where = f"on {after.place['questions_role']}"
    if set(after.by_question.columns) != set(before.by_question.columns):
        raise UserError(f"{what} are evaluated on different questions {where}. Run Snakemake again.")
    if after.k != before.k and after.metric in DEPENDS_ON_K:
        raise UserError(
            f"{what} are evaluated with {after.k} and {before.k} samples {where}: {after.metric} cannot be "
            "compared. Run Snakemake again."
        )
    difference = after.by_question.sub(before.by_question.iloc[0], axis="columns")
    return replace(after, metric=f"gain.{after.metric}", k=min(after.k, before.k), by_question=difference)


def average_rows(
    final: Sequence[Sampled], question_roles: Sequence[str], statistics: StatisticsSpec
) -> list[Row]:
    """Return the averages over the question sets, of each policy, method and metric that has all of them.

    `n` is the sum of the questions, `k` the smallest number of samples.
    """
    groups: dict[tuple[object, ...], dict[object, Sampled]] = {}
    for one in final:
        key = (one.place["policy_role"], one.place["method"], one.metric, one.seeds)
        groups.setdefault(key, {})[one.place["questions_role"]] = one
    rows: list[Row] = []
    for (policy, method, metric, _), of_role in groups.items():
        if set(of_role) != set(question_roles):
            continue
        sets = [of_role[role] for role in question_roles]
        tables = [one.by_question.to_numpy(dtype=float) for one in sets]
        common: Row = {
            "policy_role": policy,
            "questions_role": AVERAGE,
            "method": method,
            "metric": metric,
            "k": min(one.k for one in sets),
            "n": sum(table.shape[1] for table in tables),
        }
        seeds = sets[0].seeds
        rows.append({**common, **_mean(_average(tables, statistics), seeds)})
        for position, seed in enumerate(seeds):
            alone = [table[position] for table in tables]
            rows.append({**common, **_alone(_average(alone, statistics), seed)})
    return rows


def _mean(interval: Interval, seeds: Sequence[int]) -> Row:
    row: Row = {"value": interval.value, "low": interval.low, "high": interval.high}
    if seeds:
        row |= {"seed": "mean", "n_seeds": len(seeds), "sd": seed_sd(np.array(interval.per_seed))}
    return row


def _alone(interval: Interval, seed: int) -> Row:
    return {**_mean(interval, ()), "seed": str(seed), "n_seeds": 1}


def _interval(values: np.ndarray, how: StatisticsSpec) -> Interval:
    return bootstrap_mean(values, how.bootstrap_samples, how.confidence, how.seed)


def _average(of_sets: Sequence[np.ndarray], how: StatisticsSpec) -> Interval:
    return bootstrap_average(of_sets, how.bootstrap_samples, how.confidence, how.seed)


# ------------------------------------------------------------------ from files


def base_samples(base: BaseEvidence, recipe: Recipe) -> list[Sampled]:
    """Return the unadapted policy's metrics; those that need step scores only where it has them."""
    table = read_per_question(base.per_question)
    scored = recipe.base if base.step_scores_report is not None else ()
    return [
        _of_base(base_place(base), table, metric)
        for metric in dict.fromkeys((*recipe.curve, *recipe.final, *scored))
    ]


def collision_samples(base: BaseEvidence) -> list[Sampled]:
    """Return how often two wrong samples agree, of the questions that have two; nothing where none has."""
    table = read_per_question(base.per_question)
    if COLLISION not in table.columns:
        raise UserError(f"{base.per_question}: no column {COLLISION}. Delete it and run Snakemake again.")
    known = table.set_index("question_id")[COLLISION].astype(float).dropna().sort_index()
    k = samples_per_question(table)
    return [Sampled(base_place(base), COLLISION, k, known.to_frame().T)] if len(known) else []


def base_place(base: BaseEvidence) -> Row:
    """Return where rows of the unadapted policy stand."""
    return {
        "policy_role": base.policy_role,
        "questions_role": base.questions_role,
        "method": "base",
        "step": 0,
    }


def _of_base(place: Row, table: pd.DataFrame, metric: str) -> Sampled:
    return Sampled(place, metric, samples_per_question(table), question_values(table, metric).to_frame().T)


def curve_samples(
    runs: Sequence[RunEvidence], metrics: Sequence[str], place: Row, validation: str | None = None
) -> list[Sampled]:
    """Return the metrics of one method's seeds at every evaluated step, on a validation role or their own questions."""
    paths = [run.curve for run in runs]
    curves = [read_curve(run.curve, validation and run.validation[validation]) for run in runs]
    _same_questions(curves, paths)
    steps = sorted(curves[0]["step"].unique())
    for curve, path in zip(curves, paths, strict=True):
        if sorted(curve["step"].unique()) != steps:
            raise UserError(f"{path} and {paths[0]} are evaluated at different steps. Train all seeds alike.")
    seeds = [run.seed for run in runs]
    found: list[Sampled] = []
    for step in steps:
        tables = [curve[curve["step"] == step] for curve in curves]
        found += _of_seeds({**place, "step": int(step)}, tables, seeds, metrics)
    return found


def final_samples(runs: Sequence[RunEvidence], metrics: Sequence[str], place: Row) -> list[Sampled]:
    """Return the last checkpoint's own evaluation where every seed has one, else the last step of the curve."""
    last = last_step(runs)
    paths = [run.per_question for run in runs if run.per_question is not None]
    tables = [read_per_question(path) for path in paths]
    if len(paths) < len(runs):
        paths = [run.curve for run in runs]
        tables = [curve[curve["step"] == last] for curve in map(read_curve, paths)]
    _same_questions(tables, paths)
    return _of_seeds({**place, "step": last}, tables, [run.seed for run in runs], metrics)


def last_step(runs: Sequence[RunEvidence]) -> int:
    """Return the last evaluated step of any of the runs."""
    return max(last_evaluated_step(run.curve) for run in runs)


def transfer_samples(
    transfers: Sequence[TransferEvidence], runs: Sequence[RunEvidence], metrics: Sequence[str]
) -> list[Sampled]:
    """Return the metrics of one method (or the base) on questions that it was not adapted on.

    `runs` are those of the same policy and method on the questions of the training: the last step is theirs.
    """
    first = transfers[0]
    tables = [read_per_question(one.per_question) for one in transfers]
    _same_questions(tables, [one.per_question for one in transfers])
    place: Row = {"policy_role": first.policy_role, "questions_role": first.questions_role}
    if first.method is None:
        return [_of_base({**place, "method": "base", "step": 0}, tables[0], metric) for metric in metrics]
    step = last_step(runs) if runs else None
    place |= {"method": first.method, "adapted_on": first.adapted_on, "step": step}
    return _of_seeds(place, tables, [one.seed for one in transfers if one.seed is not None], metrics)


def _of_seeds(
    place: Row, tables: Sequence[pd.DataFrame], seeds: Sequence[int], metrics: Sequence[str]
) -> list[Sampled]:
    k = min(samples_per_question(table) for table in tables)
    return [
        Sampled(
            place,
            metric,
            k,
            pd.DataFrame([question_values(table, metric) for table in tables], index=list(seeds)),
            tuple(seeds),
        )
        for metric in metrics
    ]


def _same_questions(tables: Sequence[pd.DataFrame], paths: Sequence[str]) -> None:
    expected = set(tables[0]["question_id"])
    for table, path in zip(tables, paths, strict=True):
        if set(table["question_id"]) != expected:
            raise UserError(
                f"{path} and {paths[0]} hold different questions. Train all seeds on the same set."
            )
