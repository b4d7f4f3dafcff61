"""GPQA: `Question`, `Correct Answer`, `Incorrect Answer 1` to `3`, `Record ID`.

Its authors ask that no example is shown in public: no message here holds any text of a row, and the options' order is
ours, drawn from (seed, id).
"""

from __future__ import annotations

from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import row_id, text
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.tables import Row

_WRONG = ("Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


def gpqa(origin: Origin) -> Converter:
    """Rows of GPQA, from the hub or its csv files."""
    from workflow_scripts.questions.options import shuffled_options

    built = origin.built_options("gpqa")

    def convert(row: Row) -> Question:
        identity = row_id(row, origin.name, ("Record ID", "id"))
        answer = text(row, "Correct Answer")
        texts = [answer, *(text(row, name) for name in _WRONG)]
        options, letter = shuffled_options(texts, answer, built.seed, identity)
        return Question(
            id=identity,
            source=origin.name,
            text=text(row, "Question"),
            options=options,
            answer_kind="choice",
            meta={},
            answer=letter,
        )

    return convert
