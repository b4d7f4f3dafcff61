"""Published numbers, from config/paper_numbers.csv: each with its paper and its place there; which is beside what."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.errors import UserError

if TYPE_CHECKING:
    from workflow_scripts.analysis.claims import CheckedPart

COLUMNS = ("paper", "place", "row", "metric", "question_set", "policy", "value", "note")

PAPER_QUESTION_SETS = {
    "medqa_5op": "MedQA-5op",
    "medmcqa": "MedMCQA",
    "ddxplus": "DDXPlus",
    "medqa_4op": "MedQA-4op",
    "amc_free": "AMC",
    "amc_4op": "AMC, 4 options",
}
"""Question set role -> its name in the file."""

PAPER_POLICIES = {
    "main_policy": "Llama-3.1-8B",
    "second_policy": "Qwen3-8B",
    "small_policy_1": "Qwen3-4B",
    "small_policy_2": "Qwen3-1.7B",
}
"""Policy role -> its name in the file."""

AVERAGE, UNNAMED = "Avg.", "unnamed"
"""Names in the file: of the mean over question sets, and of a policy that the paper does not name."""


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
    numbers: Iterable[PublishedNumber],
    paper: str,
    place: str,
    row: str,
    metric: str,
    question_set: str,
    policy: str,
) -> PublishedNumber | None:
    """Return the number at that place, or None where the paper gives none; all names are the paper's."""
    wanted = (paper, place, row, metric, question_set, policy)
    for number in numbers:
        found = (
            number.paper,
            number.place,
            number.row,
            number.metric,
            number.question_set,
            number.policy,
        )
        if wanted == found:
            return number
    return None


def published_number(checked: CheckedPart, numbers: Sequence[PublishedNumber]) -> PublishedNumber | None:
    """Return the paper's number for the cell in which a claim was checked, or None where it gives none there."""
    wanted = checked.part.published
    if wanted is None:
        return None
    question_set = wanted.question_set
    if question_set is None:
        is_mean = checked.part.across == "mean"
        question_set = AVERAGE if is_mean else PAPER_QUESTION_SETS.get(checked.questions_role, UNNAMED)
    policy = wanted.policy or PAPER_POLICIES.get(checked.policy_role, UNNAMED)
    place = (wanted.paper, wanted.place, wanted.row, wanted.metric, question_set)
    return find_number(numbers, *place, policy) or find_number(numbers, *place, UNNAMED)


def stands_for(role: str, name: str) -> str | None:
    """Return the paper's name for a role, or None where there is none, or `name` at this scale says the same."""
    paper_name = (PAPER_QUESTION_SETS | PAPER_POLICIES).get(role)
    return None if paper_name is None or _plain(paper_name) == _plain(name) else paper_name


def printed_name(role: str, name: str) -> str:
    """Return the paper's spelling where `name` says the same as the paper, or else `name` in words."""
    paper_name = (PAPER_QUESTION_SETS | PAPER_POLICIES).get(role, "")
    return paper_name if _plain(paper_name) == _plain(name) else name.replace("_", " ")


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
