"""Published numbers, from config/paper_numbers.csv: each with its paper and its place there."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.errors import UserError

COLUMNS = ("paper", "place", "row", "metric", "question_set", "policy", "value", "note")


@dataclass(frozen=True)
class PublishedNumber:
    """One row; (paper, place, row, metric, question_set, policy) is unique."""

    paper: str
    place: str
    row: str
    metric: str
    question_set: str
    policy: str
    value: float
    note: str


def read_paper_numbers(path: str | Path) -> list[PublishedNumber]:
    """Return all rows of the file; raise UserError naming the line of a bad one."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no file {path}. Give the published numbers with --paper-numbers.")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise UserError(f"{path}: the columns must be {', '.join(COLUMNS)}.")
        numbers, seen = [], set()
        for row in reader:
            place = f"{path}, line {reader.line_num}"
            if None in row or None in row.values():
                raise UserError(f"{place}: not {len(COLUMNS)} fields. Quote a text that holds a comma.")
            try:
                number = PublishedNumber(
                    row["paper"],
                    row["place"],
                    row["row"],
                    row["metric"],
                    row["question_set"],
                    row["policy"],
                    float(row["value"]),
                    row["note"],
                )
            except ValueError as error:
                raise UserError(f"{place}: `{row['value']}` is not a number.") from error
            key = tuple(row[column] for column in COLUMNS[:6])
            if key in seen:
                raise UserError(f"{place}: the same number is given twice.")
            seen.add(key)
            numbers.append(number)
    return numbers


def find_number(
    numbers: Iterable[PublishedNumber], paper: str, place: str, row: str, metric: str
) -> PublishedNumber | None:
    """Return the first number at that place, or None where the paper gives none."""
    for number in numbers:
        if (number.paper, number.place, number.row, number.metric) == (paper, place, row, metric):
            return number
    return None
