"""A maths problem with a gold answer: GSM8K, MATH, AMC, AIME, DeepScaleR and the many files made of them."""

from __future__ import annotations

from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import described, row_id, text, unique_field
from workflow_scripts.questions.shapes.gold import gold_text
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.tables import Row

TEXT_FIELDS = ("problem", "Problem", "question", "Question", "prompt")


def problem(origin: Origin) -> Converter:
    """Rows with a text and a gold answer; an id field counts where it tells all rows apart."""
    ids = unique_field(origin.rows)

    def convert(row: Row) -> Question:
        return maths_question(
            row, origin, text(row, *TEXT_FIELDS), gold_text(row), row_id(row, origin.name, ids)
        )

    return convert


def maths_question(row: Row, origin: Origin, asked: str, answer: str, identity: str) -> Question:
    """Return a free-form question of the kind that the entry reads, if that is a kind of maths."""
    return Question(
        id=identity,
        source=origin.name,
        text=asked,
        options=None,
        answer_kind=origin.answer_kind if origin.answer_kind in ("number", "latex") else "latex",
        meta=described(row),
        answer=answer,
    )
