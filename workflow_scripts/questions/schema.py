"""The one form in which every part of the pipeline sees a question, and its parquet file.

`UnlabelledQuestion` is what policies, rewards and process reward models get; only `Question` knows the
answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_path
from workflow_scripts.questions.prompts import render_prompt as render_prompt

AnswerKind = Literal["choice", "number", "latex", "countdown"]
ANSWER_KINDS: tuple[str, ...] = get_args(AnswerKind)

TRUTH = "truth"
"""Key of `meta` for what would give the answer away, such as a world's truth and the gold answer as published.

No unlabelled question has it.
"""

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("options", pa.string()),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("answer_kind", pa.string(), nullable=False),
        pa.field("meta", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True)
class UnlabelledQuestion:
    """A question as it may be shown to a policy or a reward: without its answer.

    Attributes
    ----------
    options
        Letter to text in the order of the options; None for a free-form question.
    meta
        What else the source says; JSON values only.
    """

    id: str
    source: str
    text: str
    options: dict[str, str] | None
    answer_kind: str
    meta: dict[str, Any]


@dataclass(frozen=True)
class Question(UnlabelledQuestion):
    """A question with its answer in normal form (answers/reading.py): the option letter for a choice."""

    answer: str

    def unlabelled(self) -> UnlabelledQuestion:
        """Return the question without its answer and without `meta["truth"]`."""
        return UnlabelledQuestion(
            id=self.id,
            source=self.source,
            text=self.text,
            options=None if self.options is None else dict(self.options),
            answer_kind=self.answer_kind,
            meta={key: value for key, value in self.meta.items() if key != TRUTH},
        )


def write_questions(path: str | Path, questions: Sequence[Question]) -> None:
    """Write `questions` as parquet in the given order, atomically; equal questions give equal bytes."""
    rows = [
        {
            "id": question.id,
            "source": question.source,
            "text": question.text,
            "options": None if question.options is None else _json(question.options, sort=False),
            "answer": question.answer,
            "answer_kind": question.answer_kind,
            "meta": _json(question.meta, sort=True),
        }
        for question in questions
    ]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def read_questions(path: str | Path) -> list[Question]:
    """Read a question file written by `write_questions`.

    Raises
    ------
    UserError
        If the file is missing, truncated, lacks a column or holds a broken row.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no question file {path}. Build it with the step prepare_questions.")
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(
            f"{path} is not a readable parquet file (truncated?). Delete it and build it again."
        ) from error
    missing = [name for name in SCHEMA.names if name not in table.column_names]
    if missing:
        raise UserError(f"{path} lacks the column {missing[0]}: it was not written by prepare_questions.")
    return [_question(row, path) for row in table.select(SCHEMA.names).to_pylist()]


def _question(row: dict[str, Any], path: Path) -> Question:
    try:
        options = None if row["options"] is None else json.loads(row["options"])
        return Question(**{**row, "options": options, "meta": json.loads(row["meta"])})
    except (TypeError, ValueError) as error:
        raise UserError(
            f"{path}: question {row['id']}: options or meta is not JSON. Build it again."
        ) from error


def _json(value: Any, sort: bool) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=sort, allow_nan=False, separators=(",", ":"))
