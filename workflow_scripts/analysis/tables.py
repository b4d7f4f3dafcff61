"""Reading the tables that runs and evaluations write; a file that cannot be used is named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet

from workflow_scripts.errors import UserError

CURVE_COLUMNS = (
    "step",
    "question_id",
    "n",
    "n_correct",
    "majority_correct",
    "n_unparseable",
    "n_distinct_responses",
    "n_distinct_answers",
    "answer_entropy",
)
ROLLOUT_COLUMNS = ("step", "question_id", "reward", "advantage")
SAMPLE_COLUMNS = ("question_id", "sample", "answer", "correct")
JUDGED_COLUMNS = ("step", "question_id", "answer", "correct", "label", "reward")
PER_QUESTION_COLUMNS = tuple(column for column in CURVE_COLUMNS if column != "step")
SCORED_COLUMNS = ("bon_correct", "sc_rm_correct")
"""Empty where the evaluated samples have no step scores."""
COLLISION = "wrong_collision"
"""Whether two wrong samples agree; empty for a question that does not have two. Older evaluations lack it."""


def _read_parquet(path: str | Path, columns: tuple[str, ...], if_there: tuple[str, ...] = ()) -> pd.DataFrame:
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.")
    try:
        names = set(parquet.read_schema(path).names)
        missing = sorted(set(columns) - names)
        wanted = [*columns, *(column for column in if_there if column in names)]
        table = pd.DataFrame() if missing else pd.read_parquet(path, columns=wanted)
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise UserError(
            f"{path} is not a readable parquet file. Delete it and run Snakemake again."
        ) from error
    if missing:
        raise UserError(f"{path}: no column {', '.join(missing)}. Delete it and run Snakemake again.")
    if table.empty:
        raise UserError(f"{path} holds no row. Delete it and run Snakemake again.")
    return table


def read_curve(path: str | Path) -> pd.DataFrame:
    """Return a run's `curve.parquet`: one row per evaluation step and question."""
    table = _read_parquet(path, CURVE_COLUMNS)
    if table.duplicated(["step", "question_id"]).any():
        raise UserError(f"{path}: a question occurs twice at one step. Delete the run and train again.")
    return table


def read_per_question(path: str | Path) -> pd.DataFrame:
    """Return an evaluation's `per_question.parquet`: one row per question."""
    table = _read_parquet(path, PER_QUESTION_COLUMNS, (*SCORED_COLUMNS, COLLISION))
    if table.duplicated(["question_id"]).any():
        raise UserError(f"{path}: a question occurs twice. Delete the evaluation and run it again.")
    return table


def read_trained_rollouts(path: str | Path) -> pd.DataFrame:
    """Return a run's `rollouts.parquet` without the rollouts that only voted, which have no advantage."""
    table = _read_parquet(path, ROLLOUT_COLUMNS)
    return table[table["advantage"].notna()]


def read_judged_rollouts(path: str | Path) -> pd.DataFrame:
    """Return all rollouts of a run's `rollouts.parquet` that have a reward, with labels and truth."""
    table = _read_parquet(path, JUDGED_COLUMNS)
    return table[table["reward"].notna()]


def read_samples(path: str | Path) -> pd.DataFrame:
    """Return the answers of sampled responses, in order of question and sample."""
    return _read_parquet(path, SAMPLE_COLUMNS).sort_values(["question_id", "sample"]).reset_index(drop=True)


def read_step_auc(path: str | Path) -> tuple[float, int] | None:
    """Return the step AUC of an evaluation's `report.json` and its number of steps; None where no truth is known.

    The AUC is that of the process reward model's p(+) on the steps of the evaluated responses.
    """
    path = Path(path)
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        if report.get("auc") is None:
            return None
        return float(report["auc"]), int(report["n_right"]) + int(report["n_wrong"])
    except FileNotFoundError as error:
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.") from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise UserError(
            f"{path} is not a report of the step `score_steps`. Delete it and run Snakemake again."
        ) from error


def read_prm_aucs(path: str | Path) -> dict[str, tuple[float, int]]:
    """Return, by kind of held-out response, the step AUC of a process reward model's `report.json` and its steps.

    Kinds: `reasoner` (as the imperfect reasoner writes) and `corrupted`. Empty for a model that was not trained here.
    """
    path = Path(path)
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        kinds = {name: report[name] for name in ("reasoner", "corrupted") if report.get(name) is not None}
        return {
            name: (float(kind["auc"]), int(kind["n_right"]) + int(kind["n_wrong"]))
            for name, kind in kinds.items()
            if kind.get("auc") is not None
        }
    except FileNotFoundError as error:
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.") from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise UserError(
            f"{path} is not a report of the step `train_prm`. Delete it and run Snakemake again."
        ) from error


def read_training_metrics(path: str | Path) -> pd.DataFrame:
    """Return a run's `metrics.jsonl`: one row per optimiser step, in order of `step`."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.")
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise UserError(f"{path}, line {number}: not JSON. Delete the run and train again.") from error
        if not isinstance(row, dict) or not isinstance(row.get("step"), int):
            raise UserError(f"{path}, line {number}: no whole number `step`. Delete the run and train again.")
        rows.append(row)
    if not rows:
        raise UserError(f"{path} holds no step. Delete the run and train again.")
    table = pd.DataFrame(rows).sort_values("step", kind="stable").reset_index(drop=True)
    if table["step"].duplicated().any():
        raise UserError(f"{path}: a step occurs twice. Delete the run and train again.")
    return table


def training_metric(table: pd.DataFrame, name: str, path: str | Path) -> np.ndarray:
    """Return one metric over the optimiser steps, shape (steps,); NaN where it was not defined."""
    if name not in table.columns:
        raise UserError(f"{path}: no metric `{name}`. It has: {', '.join(sorted(table.columns))}.")
    return pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=float)
