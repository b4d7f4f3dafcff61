"""Rows of the tidy table on when runs collapse, and on the tokens that they sample (URLVR, section 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workflow_scripts.analysis.collapse import NEVER, collapse_step
from workflow_scripts.analysis.tables import read_training_metrics, training_metric
from workflow_scripts.analysis.training_rows import Row, over_seeds
from workflow_scripts.settings.evidence import RunEvidence
from workflow_scripts.settings.training import COLLAPSE_THRESHOLDS


def collapse_name(threshold: float) -> str:
    """Return the metric of the step at which reward accuracy falls below `threshold`, e.g. `collapse_step@5%`."""
    return f"collapse_step@{100 * threshold:g}%"


def collapse_rows(runs: Sequence[RunEvidence], place: Row) -> list[Row]:
    """Return the Model Collapse Step of one method's seeds at each threshold, and the tokens that they sampled.

    A run that does not collapse has no value. `train.tokens_sampled` is of all steps; `tokens_to_collapse@...` of those
    up to the collapse, or of all without one: what it costs to watch the run until then.
    """
    seeds = [run.seed for run in runs]
    steps: dict[str, list[float]] = {}
    for run in runs:
        table = read_training_metrics(run.metrics)
        accuracy = training_metric(table, "reward_accuracy", run.metrics)
        sampled = training_metric(table, "tokens", run.metrics) * training_metric(
            table, "n_rollouts", run.metrics
        )
        steps.setdefault("train.tokens_sampled", []).append(float(sampled.sum()))
        steps.setdefault("train.steps", []).append(float(len(table)))
        for threshold in COLLAPSE_THRESHOLDS:
            step = collapse_step(np.nan_to_num(accuracy, nan=1.0).tolist(), threshold)
            watched = len(sampled) if step == NEVER else int(step)
            name = collapse_name(threshold)
            steps.setdefault(name, []).append(math.nan if step == NEVER else step)
            steps.setdefault(f"tokens_to_{name}", []).append(float(sampled[:watched].sum()))
    rows: list[Row] = []
    for name, by_seed in steps.items():
        rows += over_seeds({**place, "metric": name}, np.array(by_seed), seeds)
    return rows
