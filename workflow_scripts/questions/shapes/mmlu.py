"""MMLU (`choices`, `answer` 0 to 3) and MMLU-Pro (up to ten `options`, `answer` a letter, `answer_index`)."""

from __future__ import annotations

from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import field, missing, text
from workflow_scripts.questions.shapes.lettered import (
    choice,
    letter_of_number,
    letter_of_text,
    lettered_options,
    require_option,
)
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.tables import Row


def mmlu(origin: Origin) -> Converter:
    """Rows of MMLU: `question`, `subject`, `choices`, `answer` (a number from 0, or a letter)."""

    def convert(row: Row) -> Question:
        options = lettered_options(row, field(row, "choices"))
        letter = letter_of_number(row, options, field(row, "answer"))
        return choice(row, origin.name, text(row, "question"), options, letter)

    return convert


def mmlu_pro(origin: Origin) -> Converter:
    """Rows of MMLU-Pro: options as a list or by letter; the gold as a letter, a number or an option's text.

    An old revision pads the options to ten with `N/A`; what is padding is dropped.
    """

    def convert(row: Row) -> Question:
        options = lettered_options(row, _without_padding(field(row, "options")))
        found = []
        if not missing(row.values.get("answer_index")):
            found.append(letter_of_number(row, options, row.values["answer_index"]))
        if not missing(row.values.get("answer_idx")):
            found.append(require_option(row, options, str(row.values["answer_idx"]).strip(), "answer_idx"))
        if not missing(row.values.get("answer")):
            found.append(letter_of_text(row, options, row.values["answer"]))
        if not found:
            raise UserError(f"{row.where}: neither answer nor answer_index: the gold answer is missing.")
        if len(set(found)) > 1:
            raise UserError(f"{row.where}: the gold answer is {' in one field and '.join(found)} in another.")
        return choice(row, origin.name, text(row, "question"), options, found[0])

    return convert


def _without_padding(options: Any) -> Any:
    if not isinstance(options, list):
        return options
    kept = list(options)
    while kept and kept[-1] == "N/A":
        kept.pop()
    return kept
