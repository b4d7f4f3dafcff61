"""Read sampled responses and their step scores, and refuse what would give a number without saying so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.columns import COUNT, TEXT, TRUTH, Column, check_types, check_values
from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.methods import Aggregation
from workflow_scripts.step_scores.aggregate import aggregate

SAMPLES = {
    "question_id": TEXT,
    "sample": COUNT,
    "text": TEXT,
    "answer": Column("text", missing=True),
    "correct": TRUTH,
}
STEP_SCORES = {"question_id": TEXT, "sample": COUNT, "step": COUNT, "p": Column("number", low=0, high=1)}


@dataclass(frozen=True)
class SampledQuestion:
    """A question with its samples in sample order; `scores` holds one per sample, or is None."""

    question: Question
    answers: list[str | None]
    texts: list[str]
    scores: list[float] | None = None


def read_samples(path: Path, questions: Sequence[Question]) -> list[SampledQuestion]:
    """Read rollouts.parquet for exactly these questions, in their order.

    Raises
    ------
    UserError
        If the file is unreadable, lacks a question or a sample, holds a stranger's rows, or its `correct`
        contradicts the questions' answers.
    """
    by_id = {question.id: question for question in questions}
    groups: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for row in _rows(path, SAMPLES):
        key, sample = row["question_id"], row["sample"]
        if key not in by_id:
            raise UserError(f"{path}: question {key} is not in the question file. Do they belong together?")
        if sample in groups[key]:
            raise UserError(f"{path}: question {key} has two samples number {sample}. Sample again.")
        if row["correct"] != (row["answer"] == by_id[key].answer):
            raise UserError(
                f"{path}: `correct` of question {key} contradicts the question file. Sample again."
            )
        groups[key][sample] = row
    missing = [question.id for question in questions if question.id not in groups]
    if missing:
        raise UserError(f"{path}: no sample of question {missing[0]} ({len(missing)} missing). Sample again.")
    k = max(len(group) for group in groups.values())
    sampled = []
    for question in questions:
        group = groups[question.id]
        if sorted(group) != list(range(k)):
            raise UserError(f"{path}: question {question.id} has {len(group)} of {k} samples. Sample again.")
        rows = [group[sample] for sample in range(k)]
        sampled.append(
            SampledQuestion(question, [row["answer"] for row in rows], [row["text"] for row in rows])
        )
    return sampled


def add_scores(
    sampled: Sequence[SampledQuestion], path: Path, how: Aggregation
) -> tuple[list[SampledQuestion], int]:
    """Return the samples with their step scores aggregated, and how many answered samples have no step.

    A sample without steps scores 0, as in training.

    Raises
    ------
    UserError
        If the file is unreadable, scores other samples, scores none of these, or holds a score outside [0,
        1].
    """
    steps: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for row in _rows(path, STEP_SCORES):
        key = (row["question_id"], row["sample"])
        if row["step"] in steps[key]:
            raise UserError(
                f"{path}: question {key[0]}, sample {key[1]}: step {row['step']} is scored twice."
            )
        steps[key][row["step"]] = row["p"]
    known = {(item.question.id, sample) for item in sampled for sample in range(len(item.answers))}
    strangers = steps.keys() - known
    if strangers:
        question, sample = min(strangers)
        raise UserError(
            f"{path}: question {question}, sample {sample} is not among the samples. Score these again."
        )
    if not steps:
        raise UserError(f"{path} has no scores. Score the samples again.")
    scored, without_steps = [], 0
    for item in sampled:
        of_question = [steps.get((item.question.id, sample), {}) for sample in range(len(item.answers))]
        scores = [aggregate([own[step] for step in sorted(own)], how) for own in of_question]
        without_steps += sum(
            not own and a is not None for own, a in zip(of_question, item.answers, strict=True)
        )
        scored.append(SampledQuestion(item.question, item.answers, item.texts, scores))
    return scored, without_steps


def _rows(path: Path, columns: dict[str, Column]) -> list[dict[str, Any]]:
    if not path.is_file():
        raise UserError(f"no file {path}. Run the step that makes it first.")
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(
            f"{path} is not a readable parquet file (truncated?). Delete it and make it again."
        ) from error
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise UserError(f"{path} lacks the column {missing[0]}.")
    table = table.select(list(columns))
    check_types(path, table.schema, columns)
    check_values(path, table.to_pandas(), columns)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
