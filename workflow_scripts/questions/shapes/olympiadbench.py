"""OlympiadBench: of its open-ended problems those in English, on maths, from competitions and in text only."""

from __future__ import annotations

from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import field, missing, row_id, text
from workflow_scripts.questions.shapes.gold import as_text, require_gold
from workflow_scripts.questions.shapes.origin import Converter, Origin, Unlabelled
from workflow_scripts.questions.shapes.problem import maths_question
from workflow_scripts.questions.tables import Row

_WANTED = {
    "modality": ("Text-only", "the problem has images"),
    "subject": ("Math", "not on maths"),
    "language": ("English", "not in English"),
    "question_type": ("Open-ended", "a proof, not an answer, is asked for"),
}
"""Field: the value that is kept, and the reason for dropping any other. Files that hold one kind lack the field."""


def olympiadbench(origin: Origin) -> Converter:
    """Rows of the configuration OE_TO_maths_en_COMP, or of files with others among them.

    Several answers become one comma-separated gold. An answer within a tolerance is dropped: votes need an equality
    that is an equivalence, which "close to" is not.
    """

    def convert(row: Row) -> Question:
        for name, (wanted, reason) in _WANTED.items():
            value = row.values.get(name)
            if not missing(value) and str(value).strip().lower() != wanted.lower():
                raise Unlabelled(reason)
        if any(name.startswith("image") and not missing(value) for name, value in row.values.items()):
            raise Unlabelled("the problem has images")
        if not missing(row.values.get("error")):
            raise Unlabelled("the answer has a tolerance")
        if "human" in str(row.values.get("answer_type")).lower():
            raise Unlabelled("the answer needs a human judge")
        final = row.values.get("final_answer")
        if missing(final) or final == []:
            raise Unlabelled("no gold answer")
        answer = require_gold(as_text(row, field(row, "final_answer")))
        asked = text(row, "question")
        if not missing(row.values.get("context")):
            asked = f"{text(row, 'context')}\n\n{asked}"
        return maths_question(row, origin, asked, answer, row_id(row, origin.name))

    return convert
