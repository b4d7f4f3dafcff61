"""LaTeX boxes: `\\boxed{...}`, with nested braces, in one pass over the text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"\\{1,2}(?:boxed|fbox|framebox)(?![A-Za-z])\s*(?:(\{)|(\d+|[A-Za-z])(?![A-Za-z0-9]))?|\\\\|\\[{}]|[{}]"
)


@dataclass(frozen=True)
class Box:
    """One box of a text; `start` and `end` are where its command begins and where its closing brace ends."""

    text: str = field(repr=False)
    start: int
    end: int
    inside: tuple[int, int] | None

    @property
    def content(self) -> str | None:
        """What stands between its braces; None where the box is never closed."""
        return None if self.inside is None else self.text[slice(*self.inside)]


def find_boxes(text: str) -> list[Box]:
    """Return the boxes of `text` in the order of their beginning; a bare command without braces is none.

    A box in a box is one of its own. Escaped braces (`\\{`) do not count.
    """
    boxes: list[Box] = []
    open_braces: list[
        tuple[int, int] | None
    ] = []  # a box's index and where its content begins; None: other braces
    for match in _TOKEN.finditer(text):
        sign = match.group()
        if sign == "{":
            open_braces.append(None)
        elif sign == "}":
            opened = open_braces.pop() if open_braces else None
            if opened is not None:
                index, begin = opened
                boxes[index] = Box(text, boxes[index].start, match.end(), (begin, match.start()))
        elif match.group(1):
            open_braces.append((len(boxes), match.end()))
            boxes.append(Box(text, match.start(), len(text), None))
        elif match.group(2):
            boxes.append(Box(text, match.start(), match.end(), match.span(2)))
    return boxes
