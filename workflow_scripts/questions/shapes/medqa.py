"""Official MedQA: `question`, `options` (letter to text, or a list of {key, value}), `answer_idx` and `answer`.

Letters of the 4- and 5-option sets differ for one answer; the text is checked against the letter.
"""

from __future__ import annotations

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import field, missing, text
from workflow_scripts.questions.shapes.lettered import (
    choice,
    letter_of_text,
    lettered_options,
    require_option,
)
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.tables import Row


def medqa(origin: Origin) -> Converter:
    """Rows of MedQA, and of what is published in its form."""
    return lambda row: medqa_question(row, origin.name)


def medqa_question(row: Row, name: str) -> Question:
    """Return the question of one row; `answer_idx` or `answer` may be absent, but not both."""
    options = lettered_options(row, field(row, "options"))
    letter, answer = row.values.get("answer_idx"), row.values.get("answer")
    if missing(letter) and missing(answer):
        raise UserError(f"{row.where}: neither answer_idx nor answer: the gold answer is missing.")
    if missing(letter):
        letter = letter_of_text(row, options, answer)
    letter = require_option(row, options, str(letter).strip().upper(), "answer_idx")
    if not missing(answer) and str(answer).strip() not in (options[letter], letter):
        raise UserError(
            f"{row.where}: answer is not the text of option {letter}, which answer_idx names. Correct the row."
        )
    return choice(row, name, text(row, "question"), options, letter)
