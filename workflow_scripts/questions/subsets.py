"""Part of a question set: its first questions, or seeded parts of which the smaller lie in the larger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.question_sets import Subset


def subset_of(name: str, questions: Sequence[Question], subset: int | Subset | None) -> list[Question]:
    """Return the part of `questions` that `subset` names; a number means the first ones, None all.

    With a seed the questions are first ordered by the SHA-256 of (seed, text, options). Parts of one seed are then
    nested (equal `skip`) or disjoint (`skip` at least the other's end), also as two entries of one source, whose ids
    may begin with the entry's name; and a question that leaves the source moves no other.

    Raises
    ------
    UserError
        If there are too few questions.
    """
    if subset is None:
        return list(questions)
    if isinstance(subset, int):
        subset = Subset(n=subset)
    end = subset.skip + subset.n
    if end > len(questions):
        asked = f"subset {subset.n}" + (f" after {subset.skip} skipped" if subset.skip else "")
        raise UserError(f"question set {name}: {asked} is more than its {len(questions)} questions.")
    ordered = list(questions)
    if subset.seed is not None:
        ordered.sort(key=lambda question: _rank(subset.seed, question))
    return ordered[subset.skip : end]


def _rank(seed: int | None, question: Question) -> bytes:
    content = json.dumps([seed, question.text, question.options], separators=(",", ":"))
    return hashlib.sha256(content.encode()).digest()
