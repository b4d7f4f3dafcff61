"""Where a response states a number or a LaTeX expression.

The attempts, as far as the rule's `accept` goes:

1. `boxed`: the last box; several boxes that only commas or `and` part are one answer. A last box that is never closed
   is a response that was cut off: it has no answer, and no earlier box is used in its place;
2. `stated`: the last `the answer is ...`, `Answer: ...`, `#### ...` or `<answer>` tag;
3. `last_number`: the last number of the response.

What stands inside `<think>`, closed or not, is not searched.
"""

from __future__ import annotations

import re
from typing import Literal

from workflow_scripts.answers.boxes import Box, find_boxes
from workflow_scripts.answers.plain import after_thinking

Accept = Literal["boxed", "stated", "last_number"]

_BETWEEN_BOXES = re.compile(r"[\s$,;]*(?:\\text\s*\{\s*)?(?:,|;|and|or|和|或)(?:\s*\})?[\s$,;]*")
_STATEMENT = re.compile(
    r"\banswer\b[^\S\n]*(?:\*\*)?[^\S\n]*(?:to\b[^\n.]{0,60}?[^\S\n])?(?:is\b|was\b|equals\b|:|=)[^\S\n]*:?"
    r"|####|<answer>|^[ \t>*]*A:|答案(?:是|为)?[:：]?",
    re.IGNORECASE | re.MULTILINE,
)
_SEARCHED = 20_000
"""Characters at the end of a response in which a statement in words is looked for."""
LONGEST = 1000
"""Characters of the longest answer that is stated in words."""
_MATH = re.compile(r"\$\$?([^$\n]+)\$\$?|\\\((.+?)\\\)|\\\[\s*(.+?)\s*\\\]", re.DOTALL)
_STOP = re.compile(
    r"</answer>|\n|[.。;](?=\s|$)|,?\s+(?:because|since|so|as|which|where|when|if|but|by)\b|<\|",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])(?:(?<![^\s(\[{=,:$])[-−])?(?:\d[\d,]*(?:\.\d+)?(?:/\d+)?|\.\d+)")


def find_math(text: str, accept: Accept) -> tuple[str | None, str]:
    """Return the words that state the answer, or None, and the rule that found them or why there are none."""
    text = after_thinking(text)
    boxes = find_boxes(text)
    if boxes:
        if boxes[-1].content is None:
            return None, "unclosed box"
        content = _last_boxes(text, boxes)
        return (content, "box") if content else (None, "empty box")
    if accept != "boxed":
        stated = _stated(text[-_SEARCHED:])
        if stated:
            return stated, "statement"
    if accept == "last_number":
        numbers = _NUMBER.findall(text[-_SEARCHED:])
        if numbers:
            return numbers[-1].rstrip(","), "last number"
    return None, "nothing stated"


def _last_boxes(text: str, boxes: list[Box]) -> str:
    """The last box, or the last enumeration of different ones."""
    contents = [boxes[-1].content or ""]
    first = boxes[-1]
    for box in reversed(boxes[:-1]):
        if box.content is None or not _BETWEEN_BOXES.fullmatch(text[box.end : first.start][:40]):
            break
        contents.insert(0, box.content)
        first = box
    return ",".join(dict.fromkeys(content.strip() for content in contents))


def _stated(text: str) -> str | None:
    statements = list(_STATEMENT.finditer(text))
    if not statements:
        return None
    said = text[statements[-1].end() :].lstrip(" \t:*=\n")[:LONGEST]
    math = _MATH.search(said)
    stop = _STOP.search(said)
    if math and not re.search(r"[\d\n]", said[: math.start()]):
        return next(filter(None, math.groups())).strip()
    return (said[: stop.start()] if stop else said).strip(" *_`$") or None
