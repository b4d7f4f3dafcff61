"""Reading the tables that runs and evaluations write; a file that cannot be used is named."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet

from workflow_scripts.analysis.columns import COUNT, TEXT, TRUTH, Column, check_types, check_values
from workflow_scripts.errors import UserError

PER_QUESTION: dict[str, Column] = {
    "question_id": TEXT,
    "n": Column("whole", low=1),
    "n_correct": Column("whole", low=0, of="n"),
    "majority_correct": TRUTH,
    "n_unparseable": Column("whole", low=0, of="n"),
    "n_distinct_responses": Column("whole", low=1, of="n"),
    "n_distinct_answers": Column("whole", low=0, of="n"),
    "answer_entropy": Column("number", low=0),
}
SCORED = {name: Column("truth", missing=True) for name in ("bon_correct", "sc_rm_correct")}
"""Empty where the evaluated samples have no step scores."""
COLLISION = "wrong_collision"
"""Whether two wrong samples agree; empty for a question that does not have two. Older evaluations lack it."""
CURVE = {"step": COUNT, **PER_QUESTION}
ROLLOUTS = {
    "step": Column("whole", low=1),
    "question_id": TEXT,
    "reward": Column("number", missing=True),
    "advantage": Column("number", missing=True),
}
JUDGED = {
    "step": Column("whole", low=1),
    "question_id": TEXT,
    "answer": Column("text", missing=True),
    "correct": TRUTH,
    "label": Column("text", missing=True),
    "reward": Column("number", missing=True),
}
SAMPLES = {"question_id": TEXT, "sample": COUNT, "answer": Column("text", missing=True), "correct": TRUTH}


def _read_parquet(
    path: str | Path, columns: dict[str, Column], if_there: dict[str, Column] | None = None
) -> pd.DataFrame:
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.")
    try:
        schema = parquet.read_schema(path)
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise _unreadable(path) from error
    missing = sorted(set(columns) - set(schema.names))
    if missing:
        raise UserError(f"{path}: no column {', '.join(missing)}. Delete it and run Snakemake again.")
    extra = {name: column for name, column in (if_there or {}).items() if name in schema.names}
    check_types(path, schema, columns | extra)
    try:
        table = pd.read_parquet(path, columns=[*columns, *extra])
    except Exception as error:
        raise _unreadable(path) from error
    if table.empty:
        raise UserError(f"{path} holds no row. Delete it and run Snakemake again.")
    check_values(path, table, columns | extra)
    return table


def _unreadable(path: Path) -> UserError:
    return UserError(f"{path} is not a readable parquet file. Delete it and run Snakemake again.")


def read_curve(path: str | Path) -> pd.DataFrame:
    """Return a run's `curve.parquet`: one row per evaluation step and question."""
    table = _read_parquet(path, CURVE)
    if table.duplicated(["step", "question_id"]).any():
        raise UserError(f"{path}: a question occurs twice at one step. Delete the run and train again.")
    return table


def read_per_question(path: str | Path) -> pd.DataFrame:
    """Return an evaluation's `per_question.parquet`: one row per question."""
    table = _read_parquet(path, PER_QUESTION, {**SCORED, COLLISION: Column("number", 0, 1, missing=True)})
    if table.duplicated(["question_id"]).any():
        raise UserError(f"{path}: a question occurs twice. Delete the evaluation and run it again.")
    return table


def read_trained_rollouts(path: str | Path) -> pd.DataFrame:
    """Return a run's `rollouts.parquet` without the rollouts that only voted, which have no advantage."""
    table = _read_parquet(path, ROLLOUTS)
    return table[table["advantage"].notna()]


def read_judged_rollouts(path: str | Path) -> pd.DataFrame:
    """Return all rollouts of a run's `rollouts.parquet` that have a reward, with labels and truth."""
    table = _read_parquet(path, JUDGED)
    judged = table[table["reward"].notna()]
    if judged.empty:
        raise UserError(f"{path}: column reward holds no value. Delete the run and train again.")
    return judged


def read_samples(path: str | Path) -> pd.DataFrame:
    """Return the answers of sampled responses, in order of question and sample."""
    return _read_parquet(path, SAMPLES).sort_values(["question_id", "sample"]).reset_index(drop=True)


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
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8. Delete the run and train again.") from error
    rows: list[dict[str, float | None]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise UserError(f"{path}, line {number}: not JSON. Delete the run and train again.") from error
        if not isinstance(row, dict) or not _is_whole(row.get("step")):
            raise UserError(f"{path}, line {number}: no whole number `step`. Delete the run and train again.")
        if rows and row["step"] <= (rows[-1]["step"] or 0):
            raise UserError(
                f"{path}, line {number}: step {row['step']} does not come after step {rows[-1]['step']}. Delete the "
                "run and train again."
            )
        odd = next((name for name, value in row.items() if not _is_finite(value)), None)
        if odd is not None:
            raise UserError(
                f"{path}, line {number}: `{odd}` is {row[odd]!r:.40}, not a finite number. Delete the run and train "
                "again."
            )
        rows.append(row)
    if not rows:
        raise UserError(f"{path} holds no step. Delete the run and train again.")
    return pd.DataFrame(rows)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(value: object) -> bool:
    """Whether a metric is a number, or null where it was not defined."""
    return value is None or (isinstance(value, float) and math.isfinite(value)) or _is_whole(value)


def training_metric(table: pd.DataFrame, name: str, path: str | Path) -> np.ndarray:
    """Return one metric over the optimiser steps, shape (steps,); NaN where it was not defined."""
    if name not in table.columns:
        raise UserError(f"{path}: no metric `{name}`. It has: {', '.join(sorted(table.columns))}.")
    return table[name].to_numpy(dtype=float, na_value=np.nan)
