"""The gold answer of a maths problem as text, out of the many forms in which it is published."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from workflow_scripts.answers.maths import find_math
from workflow_scripts.answers.reading import find_gold
from workflow_scripts.errors import UserError
from workflow_scripts.questions.shapes.fields import first_present, missing
from workflow_scripts.questions.shapes.origin import Unlabelled
from workflow_scripts.questions.tables import Row

ANSWER_FIELDS = ("ground_truth_answer", "ground_truth", "answer", "Answer", "final_answer")
"""A ground truth comes first: files with a model's outputs hold the model's own `answer` beside it."""

SOLUTION_FIELDS = ("solution", "Solution")

_MARK = re.compile(r"(?:####|^A:)[ \t]*([^\n]*)", re.MULTILINE)
_DOLLAR = re.compile(r"(?<!\\)\$")


def gold_text(row: Row) -> str:
    """Return the gold answer of a row, as its source writes it.

    It is the answer field's content; else what a solution puts behind GSM8K's `####` (`A:` in the outputs published
    with it) or into its last box.

    Raises
    ------
    Unlabelled
        If there is none.
    UserError
        If the field holds something else than texts and numbers.
    """
    answer = first_present(row, ANSWER_FIELDS)
    if answer is not None and answer != []:
        return published_gold(row, answer)
    solution = first_present(row, SOLUTION_FIELDS)
    if not isinstance(solution, str):
        raise Unlabelled("no gold answer")
    if "####" in solution:
        return require_gold(after_mark(solution))
    boxed, rule = find_math(solution, "boxed")
    return require_gold(boxed if boxed and rule == "box" else "")


def published_gold(row: Row, value: Any) -> str:
    """Return the gold answer that an answer field holds, out of its box or from behind its mark."""
    return require_gold(find_gold(after_mark(as_text(row, value))))


def require_gold(text: str) -> str:
    """Return `text` without LaTeX's dollar signs; raise Unlabelled if nothing is left, or pandas' NaN."""
    text = _DOLLAR.sub("", text).strip()
    if not text or text.lower() == "nan":
        raise Unlabelled("no gold answer")
    return text


def as_text(row: Row, value: Any) -> str:
    """Return an answer (text, number, or a list of these) as one text; several are joined by commas."""
    if isinstance(value, (list, tuple)):
        return ", ".join(as_text(row, item) for item in value if not missing(item))
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return str(value)
    raise UserError(f"{row.where}: the gold answer is neither text nor a finite number.")


def after_mark(text: str) -> str:
    """Return what follows GSM8K's last mark, or the whole text where there is none."""
    marks = list(_MARK.finditer(text))
    return marks[-1].group(1).strip() if marks else text
