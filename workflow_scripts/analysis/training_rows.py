"""Rows of the tidy table that come from metrics.jsonl: what each optimiser step of a run looked like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from workflow_scripts.analysis.recipes import MOVING_AVERAGE_STEPS, Recipe
from workflow_scripts.analysis.tables import read_training_metrics, training_metric
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import RunEvidence

Row = dict[str, object]


def training_rows(runs: Sequence[RunEvidence], recipe: Recipe, place: Row) -> list[Row]:
    """Return the rows of one method's seeds; `place` says which policy, questions and method they are.

    A step's value is a mean over its own few questions, so there is no interval over questions; `sd` is between
    seeds. A seed in which the value is not defined (a protection rate without a wrong label) is left out of the mean.
    """
    if not (recipe.training or recipe.training_if_logged):
        return []
    tables = [read_training_metrics(run.metrics) for run in runs]
    steps = tables[0]["step"].to_numpy()
    for table, run in zip(tables, runs, strict=True):
        if not np.array_equal(table["step"].to_numpy(), steps):
            raise UserError(
                f"{run.metrics} and {runs[0].metrics} differ in their steps. Train all seeds alike."
            )
    common = {**place, **_step_size(tables[0])}
    seeds = [run.seed for run in runs]
    logged = [
        name
        for name in recipe.training_if_logged
        if all(name in table.columns and table[name].notna().any() for table in tables)
    ]
    rows: list[Row] = []
    for name in (*recipe.training, *logged):
        raw = pd.DataFrame(
            [training_metric(table, name, run.metrics) for table, run in zip(tables, runs, strict=True)]
        )
        smooth = raw.T.rolling(MOVING_AVERAGE_STEPS, min_periods=1).mean().T
        for metric, values in ((f"train.{name}", raw), (f"train.{name}_moving_average", smooth)):
            for column, step in enumerate(steps):
                at_step = values[column].to_numpy(dtype=float)
                rows += over_seeds({**common, "step": int(step), "metric": metric}, at_step, seeds)
    return rows


def over_seeds(common: Row, by_seed: np.ndarray, seeds: Sequence[int]) -> list[Row]:
    """Return the mean of the seeds that have a value, then each seed."""
    known = by_seed[np.isfinite(by_seed)]
    mean: Row = {
        "seed": "mean",
        "n_seeds": len(known),
        "value": known.mean() if len(known) else np.nan,
        "sd": seed_sd(known),
    }
    return [
        {**common, **mean},
        *(
            {**common, "seed": str(seed), "n_seeds": 1, "value": value}
            for seed, value in zip(seeds, by_seed, strict=True)
        ),
    ]


def seed_sd(by_seed: np.ndarray) -> float:
    """Return the standard deviation between seeds; NaN for fewer than two."""
    return float(by_seed.std(ddof=1)) if len(by_seed) > 1 else float("nan")


def _step_size(table: pd.DataFrame) -> Row:
    if not {"n_questions", "n_rollouts"} <= set(table.columns):
        return {}
    questions = int(table["n_questions"].iloc[0])
    return {"n": questions, "k": int(table["n_rollouts"].iloc[0]) // max(questions, 1)}
