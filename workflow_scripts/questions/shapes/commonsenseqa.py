"""CommonsenseQA: `choices` as {label: [...], text: [...]} or a list of {label, text}; `answerKey` is a letter."""

from __future__ import annotations

from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import field, missing, text
from workflow_scripts.questions.shapes.lettered import choice, lettered_options, require_option
from workflow_scripts.questions.shapes.origin import Converter, Origin, Unlabelled
from workflow_scripts.questions.tables import Row


def commonsenseqa(origin: Origin) -> Converter:
    """Rows of CommonsenseQA; the test split's answers are kept back."""

    def convert(row: Row) -> Question:
        options = lettered_options(row, _by_letter(row, field(row, "choices")))
        if missing(row.values.get("answerKey")):
            raise Unlabelled("no gold answer (answerKey is empty)")
        letter = require_option(row, options, str(row.values["answerKey"]).strip().upper(), "answerKey")
        return choice(row, origin.name, text(row, "question"), options, letter)

    return convert


def _by_letter(row: Row, choices: Any) -> dict[str, Any]:
    if isinstance(choices, list) and all(isinstance(item, dict) for item in choices):
        choices = {name: [item.get(name) for item in choices] for name in ("label", "text")}
    labels, texts = (choices.get("label"), choices.get("text")) if isinstance(choices, dict) else (None, None)
    if not isinstance(labels, list) or not isinstance(texts, list) or len(labels) != len(texts):
        raise UserError(f"{row.where}: choices need a list `label` and a list `text` of equal length.")
    return {str(label): "" if missing(text) else text for label, text in zip(labels, texts, strict=True)}
