"""The most frequent wrong answers of a base policy, from its samples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.errors import UserError

_COLUMNS = ["question_id", "answer", "correct"]


def frequent_wrong_answers(path: Path) -> dict[str, list[str]]:
    """Return question id to wrong answers in normal form, most frequent first, ties in the order of the samples.

    Raises
    ------
    UserError
        If rollouts.parquet is missing, truncated or lacks a column.
    """
    if not path.is_file():
        raise UserError(f"no samples {path}. Make them with the step sample.")
    try:
        found = pq.read_schema(path).names
        table = pq.read_table(path, columns=[name for name in _COLUMNS if name in found])
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is not a readable rollouts.parquet (truncated?). Make it again.") from error
    missing = [name for name in _COLUMNS if name not in table.column_names]
    if missing:
        raise UserError(f"{path} lacks the column {missing[0]}: it was not written by the step sample.")
    wrong: dict[str, Counter[str]] = {}
    for row in table.to_pylist():
        if row["answer"] is not None and row["correct"] is False:
            wrong.setdefault(row["question_id"], Counter())[row["answer"]] += 1
    return {identity: [answer for answer, _ in answers.most_common()] for identity, answers in wrong.items()}
