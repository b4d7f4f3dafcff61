"""Reading the tables that runs and evaluations write; a file that cannot be used is named."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet

from workflow_scripts.columns import COUNT, TEXT, TRUTH, Column, check_types, check_values
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
COLLISION = "wrong_collision"
"""Whether two wrong samples agree; empty for a question that does not have two. Older evaluations lack it."""
OPTIONAL = {
    "bon_correct": Column("truth", missing=True),
    "sc_rm_correct": Column("truth", missing=True),
    COLLISION: Column("number", low=0, high=1, missing=True),
}
"""The first two are empty where the evaluated samples have no step scores."""
CURVE = {"step": COUNT, **PER_QUESTION}
WATCHED, OF_SET = "questions", Column("text", missing=True)
"""Column of a curve: the id of a validation set, empty for the training's own questions. Older curves lack it."""
ROLLOUTS = {
    "step": Column("whole", low=1),
    "question_id": TEXT,
    "reward": Column("number", missing=True),
    "advantage": Column("number", missing=True),
}
JUDGED = {
    **ROLLOUTS,
    "answer": Column("text", missing=True),
    "correct": TRUTH,
    "label": Column("text", missing=True),
}
RESPONSES = {"n_tokens": COUNT, "repetition": Column("number", low=0, high=1), "correct": TRUTH}
SAMPLES = {"question_id": TEXT, "sample": COUNT, "answer": Column("text", missing=True), "correct": TRUTH}
COUNTED = ("step", "n_questions", "n_rollouts")
"""Of metrics.jsonl, in which any other metric is a finite number, or null where it was not defined."""


def _read_parquet(
    path: str | Path,
    columns: dict[str, Column],
    key: Sequence[str] = (),
    if_there: dict[str, Column] | None = None,
) -> pd.DataFrame:
    """Return `columns`, and those of `if_there` that the file has; no two rows have the same `key`."""
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
    columns = columns | {name: column for name, column in (if_there or {}).items() if name in schema.names}
    twice = [name for name in columns if schema.names.count(name) > 1]
    if twice:
        raise UserError(f"{path}: column {twice[0]} is there twice. Delete it and run Snakemake again.")
    check_types(path, schema, columns)
    try:
        stored = parquet.read_table(path, columns=list(columns))
        stored.validate(full=True)  # or text that is not UTF-8 would show only where it is used
        table = stored.to_pandas(ignore_metadata=True)
    except Exception as error:
        raise _unreadable(path) from error
    if table.empty:
        raise UserError(f"{path} holds no row. Delete it and run Snakemake again.")
    check_values(path, table, columns)
    key = [name for name in key if name in table.columns]
    if key and (again := table.duplicated(key)).any():
        raise UserError(
            f"{path}: row {again.argmax() + 1} has the {' and '.join(key)} of an earlier row. Delete it and run "
            "Snakemake again."
        )
    return table


def _unreadable(path: Path) -> UserError:
    return UserError(f"{path} is not a readable parquet file. Delete it and run Snakemake again.")


def read_curve(path: str | Path, validation: str | None = None) -> pd.DataFrame:
    """Return a run's `curve.parquet`: one row per evaluation step and question.

    `validation`: id of the question set; None: the questions of the training.
    """
    table = _read_parquet(path, CURVE, key=("step", "question_id", WATCHED), if_there={WATCHED: OF_SET})
    if WATCHED not in table.columns:
        table[WATCHED] = None
    of_set = table[table[WATCHED].isna() if validation is None else table[WATCHED] == validation]
    if of_set.empty:
        what = "its own questions" if validation is None else validation
        raise UserError(f"{path} has no evaluation on {what}. Delete the run and train again.")
    return of_set.reset_index(drop=True)


def last_evaluated_step(path: str | Path) -> int:
    """Return the last step at which a run was evaluated, on whatever questions."""
    return int(_read_parquet(path, {"step": COUNT})["step"].max())


def read_per_question(path: str | Path) -> pd.DataFrame:
    """Return an evaluation's `per_question.parquet`: one row per question."""
    return _read_parquet(path, PER_QUESTION, key=("question_id",), if_there=OPTIONAL)


def read_trained_rollouts(path: str | Path) -> pd.DataFrame:
    """Return a run's `rollouts.parquet` without the rollouts that only voted, which have no advantage."""
    return _with_value(path, _read_rollouts(path, ROLLOUTS), "advantage")


def read_judged_rollouts(path: str | Path) -> pd.DataFrame:
    """Return all rollouts of a run's `rollouts.parquet` that have a reward, with labels and truth."""
    return _with_value(path, _read_rollouts(path, JUDGED), "reward")


def read_responses(path: str | Path, column: str) -> pd.DataFrame:
    """Return `column` of `RESPONSES` of all rollouts of a run's `rollouts.parquet`, with step and question_id."""
    key = {name: ROLLOUTS[name] for name in ("step", "question_id")}
    return _read_parquet(path, key | {column: RESPONSES[column]})


def _read_rollouts(path: str | Path, columns: dict[str, Column]) -> pd.DataFrame:
    """A reward that was no finite number trains nothing: its rollout has advantage 0, or none. Else it was lost."""
    table = _read_parquet(path, columns)
    lost = table["reward"].isna() & table["advantage"].notna() & (table["advantage"] != 0)
    if lost.any():
        raise UserError(
            f"{path}: column reward is empty in row {lost.argmax() + 1}, which has an advantage. Delete the run and "
            "train again."
        )
    return table


def _with_value(path: str | Path, table: pd.DataFrame, column: str) -> pd.DataFrame:
    known = table[table[column].notna()]
    if known.empty:
        raise UserError(f"{path}: column {column} holds no value. Delete the run and train again.")
    return known


def read_samples(path: str | Path) -> pd.DataFrame:
    """Return the answers of sampled responses, in order of question and sample."""
    key = ["question_id", "sample"]
    return _read_parquet(path, SAMPLES, key).sort_values(key).reset_index(drop=True)


Found = TypeVar("Found")


def read_step_auc(path: str | Path) -> tuple[float, int] | None:
    """Return the step AUC of an evaluation's `report.json` and its number of steps; None where no truth is known.

    The AUC is that of the process reward model's p(+) on the steps of the evaluated responses.
    """
    return _read_report(path, "score_steps", _auc_of)


def read_prm_aucs(path: str | Path) -> dict[str, tuple[float, int]]:
    """Return, by kind of held-out response, the step AUC of a process reward model's `report.json` and its steps.

    Kinds: `reasoner` (as the imperfect reasoner writes) and `corrupted`. Empty for a model that was not trained here.
    """

    def by_kind(report: dict[str, Any]) -> dict[str, tuple[float, int]]:
        kinds = {name: report[name] for name in ("reasoner", "corrupted") if report.get(name) is not None}
        aucs = {name: _auc_of(kind) for name, kind in kinds.items()}
        return {name: auc for name, auc in aucs.items() if auc is not None}

    return _read_report(path, "train_prm", by_kind)


def _read_report(path: str | Path, step: str, take: Callable[[dict[str, Any]], Found]) -> Found:
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.")
    try:
        return take(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        raise UserError(
            f"{path} is not a report of the step `{step}`. Delete it and run Snakemake again."
        ) from error


def _auc_of(report: dict[str, Any]) -> tuple[float, int] | None:
    """The AUC among the values of `step_scores.report`, and the number of steps."""
    auc = report.get("auc")
    if auc is None:
        return None
    counts = report["n_right"], report["n_wrong"]
    if not (_is_number(auc) and 0 <= auc <= 1 and all(map(_is_count, counts))):
        raise ValueError("no AUC of right and wrong steps")
    return float(auc), sum(counts)


def read_training_metrics(path: str | Path) -> pd.DataFrame:
    """Return a run's `metrics.jsonl`: one row per optimiser step, from 1."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no file {path}. Build it with Snakemake, or correct the path.")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8. Delete the run and train again.") from error
    rows: list[dict[str, float | None]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip() and (wrong := _add_step(rows, line)):
            raise UserError(f"{path}, line {number}: {wrong}. Delete the run and train again.")
    if not rows:
        raise UserError(f"{path} holds no step. Delete the run and train again.")
    return pd.DataFrame(rows)


def _add_step(rows: list[dict[str, float | None]], line: str) -> str | None:
    """Add the next step to `rows`, or return what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(row, dict):
        return "not an object"
    for name, value in row.items():
        if value is not None and not _is_number(value):
            return f"`{name}` is {value!r:.40}, not a finite number"
    for name in COUNTED:
        if name in row and not _is_count(row[name]):
            return f"`{name}` is {row[name]}, not a whole number from 1"
    if row.get("step") != len(rows) + 1:
        return f"`step` is {row.get('step')}, but step {len(rows) + 1} is next"
    if rows and (differs := row.keys() ^ rows[0].keys()):
        return f"line 1 and this line do not both have `{min(differs)}`"
    rows.append(row)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def training_metric(table: pd.DataFrame, name: str, path: str | Path) -> np.ndarray:
    """Return one metric over the optimiser steps, shape (steps,); NaN where it was not defined."""
    if name not in table.columns:
        raise UserError(f"{path}: no metric `{name}`. It has: {', '.join(sorted(table.columns))}.")
    return table[name].to_numpy(dtype=float, na_value=np.nan)
