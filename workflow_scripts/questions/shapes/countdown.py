"""Countdown: reach a target from given numbers. The hub's form, d1's, and the one in d1's published outputs."""

from __future__ import annotations

from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import missing, row_id
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.tables import Row


def countdown(origin: Origin) -> Converter:
    """Rows {target, nums}, {input: "30,100,93", output: "23"} or {ground_truth: [[30, 100, 93], 23]}.

    `meta` holds `numbers` and `target`; the answer is the target, which any expression of that value reaches.
    """

    def convert(row: Row) -> Question:
        numbers, target = _task(row)
        return Question(
            id=row_id(row, origin.name, ("id",)),
            source=origin.name,
            text=f"Numbers: {', '.join(map(str, numbers))}\nTarget: {target}",
            options=None,
            answer_kind="countdown",
            meta={"numbers": numbers, "target": target},
            answer=str(target),
        )

    return convert


def _task(row: Row) -> tuple[list[int], int]:
    values = row.values
    truth = values.get("ground_truth")
    if not missing(values.get("target")) or not missing(values.get("nums")):
        numbers, target = values.get("nums"), values.get("target")
    elif isinstance(values.get("input"), str):
        numbers, target = values["input"].split(","), values.get("output")
    elif isinstance(truth, list) and len(truth) == 2:
        numbers, target = truth
    else:
        raise UserError(
            f"{row.where}: neither `nums` and `target`, nor `input` and `output`, nor a `ground_truth` of both. "
            "Check `shape` of the question set."
        )
    if not isinstance(numbers, list) or len(numbers) < 2:
        raise UserError(f"{row.where}: need a list of at least two numbers.")
    return [_natural(row, number) for number in numbers], _natural(row, target)


def _natural(row: Row, value: Any) -> int:
    shown = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    if not (shown.isascii() and shown.isdigit() and len(shown) <= 18):
        raise UserError(f"{row.where}: the numbers and the target must be whole and not negative.")
    return int(shown)
