"""MedMCQA: `opa` ... `opd` with `cop`; a list of `choices` with a number as `answer`; or the fields of MedQA.

Numbers count from 0 as on the hub; a file that uses 4 and never 0 counts from 1. -1 means that the authors keep the
answer back. `choices` come with or without `A. ` in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.shapes.fields import field, missing, text
from workflow_scripts.questions.shapes.lettered import LETTERS, choice, letter_of_number, lettered_options
from workflow_scripts.questions.shapes.medqa import medqa_question
from workflow_scripts.questions.shapes.origin import Converter, Origin, Unlabelled
from workflow_scripts.questions.tables import Row

_OPTIONS = {letter.upper(): f"op{letter}" for letter in "abcd"}


def medmcqa(origin: Origin) -> Converter:
    """Rows of MedMCQA in its three published forms."""
    base = _number_base(origin.rows)

    def convert(row: Row) -> Any:
        if "cop" in row.values or "opa" in row.values:
            options = lettered_options(row, {letter: field(row, name) for letter, name in _OPTIONS.items()})
            number = field(row, "cop")
        elif "choices" in row.values:
            if not isinstance(row.values["choices"], list):
                raise UserError(f"{row.where}: choices must be a list of texts.")
            options = lettered_options(row, _without_labels([str(item) for item in row.values["choices"]]))
            number = field(row, "answer")
        else:
            return medqa_question(row, origin.name)
        if str(number).strip() in ("-1", "-1.0"):
            raise Unlabelled("no gold answer (cop is -1)")
        letter = letter_of_number(row, options, number, base)
        return choice(row, origin.name, text(row, "question"), options, letter)

    return convert


def _number_base(rows: Iterable[Row]) -> int:
    numbers: set[str] = set()
    where = ""
    for row in rows:
        where = where or row.where
        value = _number_field(row)
        if not missing(value):
            numbers.add(str(value).removesuffix(".0"))
    if {"0", "4"} <= numbers:
        raise UserError(f"{where.rpartition(',')[0]}: gold answers use both 0 and 4 for four options.")
    return 1 if "4" in numbers else 0


def _number_field(row: Row) -> Any:
    if "cop" in row.values:
        return row.values["cop"]
    # Lists of five and more choices count from 0 and may use 4.
    choices = row.values.get("choices")
    return row.values.get("answer") if isinstance(choices, list) and len(choices) == 4 else None


def _without_labels(choices: list[str]) -> list[str]:
    labelled = all(
        re.match(rf"\(?{letter}[.):]\s", text) for letter, text in zip(LETTERS, choices, strict=False)
    )
    return [re.sub(r"^\(?[A-Z][.):]\s+", "", text) for text in choices] if labelled else choices
