"""Splitting a response into the steps that a process reward model judges."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

Split = Literal["line", "step_number"]

STEP_NUMBER = re.compile(r"(?:## ?)?Step \d+:")


def split_steps(text: str, how: Split) -> list[str]:
    """Return the steps of a response, in order, without surrounding space; an empty text has none.

    line
        Each non-empty line is a step.
    step_number
        Med-PRM: newlines count as spaces, a step begins at each `Step N:`; what stands before the first belongs to
        it, and a text without any marker is a single step.
    """
    if how == "line":
        return [line.strip() for line in text.split("\n") if line.strip()]
    flat = " ".join(text.split())
    starts = [match.start() for match in STEP_NUMBER.finditer(flat)]
    if not starts:
        return [flat] if flat else []
    bounds = [0, *starts[1:], len(flat)]
    return [flat[a:b].strip() for a, b in pairwise(bounds)]
