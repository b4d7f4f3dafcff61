"""The normal form of a number or a LaTeX answer: what votes, rewards and scores compare.

Plain answers are read at once (quick_form.py), the others parsed by a worker process (workers.py, value.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from workflow_scripts.answers import workers
from workflow_scripts.answers.cleaning import clean
from workflow_scripts.answers.found import NormalForm, not_understood
from workflow_scripts.answers.quick_form import quick_form

LONGEST = 1000
"""Characters of the longest answer; a longer one is no answer but a text."""
_DEEPEST = 25
"""Nested brackets; the parser's time grows exponentially with them."""
_REMEMBERED = 100_000

_known: dict[tuple[str, str], NormalForm] = {}


def normal_forms(answers: Sequence[str], kind: Literal["number", "latex"]) -> list[NormalForm]:
    """Return the normal form of each extracted answer, in order. Equal texts are parsed once per process."""
    found: dict[str, NormalForm] = {}
    waiting: dict[str, str] = {}
    for answer in dict.fromkeys(answers):
        known = _known.get((kind, answer))
        if known is not None:
            found[answer] = known
            continue
        text = clean(answer) if len(answer) <= LONGEST else ""
        quick = quick_form(text, kind)
        if quick is not None:
            found[answer] = quick
        elif _depth(text) > _DEEPEST:
            found[answer] = not_understood(text)
        else:
            waiting[answer] = text
    values = workers.values(list(waiting.values()))
    for (answer, text), value in zip(waiting.items(), values, strict=True):
        found[answer] = not_understood(text) if value is None else NormalForm(value, True)
    if len(_known) > _REMEMBERED:
        _known.clear()
    _known.update({(kind, answer): form for answer, form in found.items()})
    return [found[answer] for answer in answers]


def _depth(text: str) -> int:
    depth = deepest = 0
    for sign in text:
        depth += (sign in "{([") - (sign in "})]")
        deepest = max(deepest, depth)
    return deepest
