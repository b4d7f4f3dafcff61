"""From the files behind an artefact to one tidy table: a row per method, seed, step and metric.

Rows with `seed` "mean" hold the mean over seeds: `sd` is the standard deviation between seeds (empty for
one seed), `low` and `high` bound it by a bootstrap over questions. Rows with a seed's number hold that seed
alone. The base is the method "base" at step 0, without a seed. What a scale cannot run is a row with metric
`not_run`.

`n` counts questions and `k` samples per question (`train.*`: of one optimiser step); for `step_auc` `n` counts
the steps of the evaluated responses, over all seeds in the row "mean".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import question_values, samples_per_question
from workflow_scripts.analysis.recipes import MOVING_AVERAGE_STEPS, Recipe
from workflow_scripts.analysis.tables import (
    read_curve,
    read_per_question,
    read_step_auc,
    read_training_metrics,
    training_metric,
)
from workflow_scripts.errors import UserError
from workflow_scripts.evaluation.intervals import bootstrap_mean
from workflow_scripts.settings.evidence import Analyse, BaseEvidence, RunEvidence
from workflow_scripts.settings.training import StatisticsSpec

COLUMNS = [
    "artefact",
    "policy_role",
    "questions_role",
    "method",
    "seed",
    "step",
    "metric",
    "value",
    "sd",
    "low",
    "high",
    "n",
    "k",
    "n_seeds",
]

Row = dict[str, object]


def collect(config: Analyse, recipe: Recipe) -> pd.DataFrame:
    """Return the tidy table of one artefact, columns `COLUMNS`, in the order of the evidence.

    Raises UserError where a file is missing or damaged, or where runs that are averaged differ in their steps
    or questions.
    """
    rows: list[Row] = []
    for base in config.evidence.base:
        rows += _base_rows(base, recipe, config.statistics)
    for runs in _by_method(config.evidence.runs):
        if recipe.curve:
            rows += _curve_rows(runs, recipe.curve, config.statistics)
        if recipe.training:
            rows += _training_rows(runs, recipe.training)
        if recipe.final:
            rows += _final_rows(runs, recipe.final, config.statistics)
        if recipe.step_auc:
            rows += _step_auc_rows(runs)
    for absent in config.evidence.not_run:
        rows.append(
            {
                "policy_role": absent.policy_role,
                "questions_role": absent.questions_role,
                "method": absent.method or "base",
                "metric": "not_run",
            }
        )
    table = pd.DataFrame([{"artefact": config.artefact, **row} for row in rows], columns=COLUMNS)
    return table.astype({"n": "Int64", "k": "Int64", "n_seeds": "Int64", "step": "Int64"})


def _by_method(runs: Iterable[RunEvidence]) -> list[list[RunEvidence]]:
    groups: dict[tuple[str, str, str], list[RunEvidence]] = {}
    for run in runs:
        groups.setdefault((run.policy_role, run.questions_role, run.method), []).append(run)
    return [sorted(group, key=lambda run: run.seed) for group in groups.values()]


def _summary(values: pd.DataFrame, statistics: StatisticsSpec) -> Row:
    """Mean of `values` (seeds x questions), its interval over questions, and the spread of seeds."""
    interval = bootstrap_mean(
        values.to_numpy(dtype=float),
        samples=statistics.bootstrap_samples,
        confidence=statistics.confidence,
        seed=statistics.seed,
    )
    return {
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "sd": _seed_sd(values.mean(axis=1).to_numpy(dtype=float)),
        "n": values.shape[1],
    }


def _seed_sd(by_seed: np.ndarray) -> float:
    return float(by_seed.std(ddof=1)) if len(by_seed) > 1 else float("nan")


def _base_rows(base: BaseEvidence, recipe: Recipe, statistics: StatisticsSpec) -> list[Row]:
    table = read_per_question(base.per_question)
    where = {
        "policy_role": base.policy_role,
        "questions_role": base.questions_role,
        "method": "base",
        "step": 0,
    }
    rows: list[Row] = []
    for metric in dict.fromkeys((*recipe.curve, *recipe.final)):
        values = question_values(table, metric).to_frame().T
        rows.append(
            {**where, "metric": metric, "k": samples_per_question(table), **_summary(values, statistics)}
        )
    if recipe.step_auc and base.step_scores_report is not None:
        found = read_step_auc(base.step_scores_report)
        rows += [{**where, "metric": "step_auc", "value": found[0], "n": found[1]}] if found else []
    return rows


def _sampled_rows(
    where: Row,
    tables: list[pd.DataFrame],
    seeds: list[int],
    metrics: tuple[str, ...],
    statistics: StatisticsSpec,
) -> list[Row]:
    """Rows of one step: the mean over seeds, then each seed."""
    rows: list[Row] = []
    k = min(samples_per_question(table) for table in tables)
    for metric in metrics:
        values = pd.DataFrame([question_values(table, metric) for table in tables], index=seeds)
        common = {**where, "metric": metric, "k": k}
        rows.append({**common, "seed": "mean", "n_seeds": len(seeds), **_summary(values, statistics)})
        for seed in seeds:
            rows.append(
                {**common, "seed": str(seed), "n_seeds": 1, **_summary(values.loc[[seed]], statistics)}
            )
    return rows


def _place(runs: list[RunEvidence]) -> Row:
    first = runs[0]
    return {"policy_role": first.policy_role, "questions_role": first.questions_role, "method": first.method}


def _same_questions(tables: list[pd.DataFrame], paths: list[str]) -> None:
    expected = set(tables[0]["question_id"])
    for table, path in zip(tables, paths, strict=True):
        if set(table["question_id"]) != expected:
            raise UserError(
                f"{path} and {paths[0]} hold different questions. Train all seeds on the same set."
            )


def _curve_rows(runs: list[RunEvidence], metrics: tuple[str, ...], statistics: StatisticsSpec) -> list[Row]:
    paths = [run.curve for run in runs]
    curves = [read_curve(path) for path in paths]
    _same_questions(curves, paths)
    steps = sorted(curves[0]["step"].unique())
    for curve, path in zip(curves, paths, strict=True):
        if sorted(curve["step"].unique()) != steps:
            raise UserError(f"{path} and {paths[0]} are evaluated at different steps. Train all seeds alike.")
    seeds = [run.seed for run in runs]
    rows: list[Row] = []
    for step in steps:
        tables = [curve[curve["step"] == step] for curve in curves]
        rows += _sampled_rows({**_place(runs), "step": int(step)}, tables, seeds, metrics, statistics)
    return rows


def _final_rows(runs: list[RunEvidence], metrics: tuple[str, ...], statistics: StatisticsSpec) -> list[Row]:
    """The last checkpoint's own evaluation where every seed has one, else the last step of the curve."""
    curves = [read_curve(run.curve) for run in runs]
    last = max(int(curve["step"].max()) for curve in curves)
    evaluated = [run.per_question for run in runs if run.per_question is not None]
    if len(evaluated) == len(runs):
        paths = evaluated
        tables = [read_per_question(path) for path in paths]
    else:
        paths = [run.curve for run in runs]
        tables = [curve[curve["step"] == last] for curve in curves]
    _same_questions(tables, paths)
    seeds = [run.seed for run in runs]
    return _sampled_rows({**_place(runs), "step": last}, tables, seeds, metrics, statistics)


def _training_rows(runs: list[RunEvidence], names: tuple[str, ...]) -> list[Row]:
    """Per optimiser step: each seed and the mean over seeds, raw and as a trailing moving average.

    A step's value is a mean over its own few questions, so there is no interval over questions; `sd` is
    between seeds.
    """
    tables = [read_training_metrics(run.metrics) for run in runs]
    steps = tables[0]["step"].to_numpy()
    for table, run in zip(tables, runs, strict=True):
        if not np.array_equal(table["step"].to_numpy(), steps):
            raise UserError(
                f"{run.metrics} and {runs[0].metrics} differ in their steps. Train all seeds alike."
            )
    size = _step_size(tables[0])
    rows: list[Row] = []
    for name in names:
        raw = pd.DataFrame(
            [training_metric(table, name, run.metrics) for table, run in zip(tables, runs, strict=True)]
        )
        smooth = raw.T.rolling(MOVING_AVERAGE_STEPS, min_periods=1).mean().T
        for metric, values in ((f"train.{name}", raw), (f"train.{name}_moving_average", smooth)):
            for column, step in enumerate(steps):
                at_step = values[column].to_numpy(dtype=float)
                common = {**_place(runs), "step": int(step), "metric": metric, **size}
                mean = {
                    "seed": "mean",
                    "n_seeds": len(runs),
                    "value": at_step.mean(),
                    "sd": _seed_sd(at_step),
                }
                rows.append({**common, **mean})
                for run, value in zip(runs, at_step, strict=True):
                    rows.append({**common, "seed": str(run.seed), "n_seeds": 1, "value": value})
    return rows


def _step_auc_rows(runs: list[RunEvidence]) -> list[Row]:
    """The process reward model on the adapted policies' own responses, which is where hacking shows.

    Seeds whose responses hold no right or no wrong step have no AUC.
    """
    found = {run.seed: read_step_auc(run.step_scores_report) for run in runs if run.step_scores_report}
    known = {seed: pair for seed, pair in found.items() if pair is not None}
    if not known:
        return []
    last = max(int(read_curve(run.curve)["step"].max()) for run in runs)
    common: Row = {**_place(runs), "step": last, "metric": "step_auc"}
    values = np.array([auc for auc, _ in known.values()])
    mean = {"seed": "mean", "n_seeds": len(known), "value": values.mean(), "sd": _seed_sd(values)}
    rows = [{**common, **mean, "n": sum(n for _, n in known.values())}]
    return rows + [
        {**common, "seed": str(seed), "n_seeds": 1, "value": auc, "n": n} for seed, (auc, n) in known.items()
    ]


def _step_size(table: pd.DataFrame) -> Row:
    if not {"n_questions", "n_rollouts"} <= set(table.columns):
        return {}
    questions = int(table["n_questions"].iloc[0])
    return {"n": questions, "k": int(table["n_rollouts"].iloc[0]) // max(questions, 1)}
