"""Where a response states a number or a LaTeX expression.

The attempts, as far as the rule's `accept` goes:

1. `boxed`: the last box; several boxes that only commas or `and` part are one answer. A last box that is never closed
   is a response that was cut off: it has no answer, and no earlier box is used in its place, nor of a last box that is
   empty;
2. `stated`: the last `the answer is ...`, `Answer: ...`, `#### ...`, or the line below a heading `Final Answer`;
3. `last_number`: the last number of the response.

Where the response marks its answer with `<answer>` tags, they are made inside the last pair first, and outside only if
they find nothing there. What stands inside `<think>`, closed or not, is not searched.
"""

from __future__ import annotations

import re
from typing import Literal

from workflow_scripts.answers.boxes import Box, find_boxes
from workflow_scripts.answers.plain import after_thinking, last_tagged

Accept = Literal["boxed", "stated", "last_number"]

_SPACING = r"(?:[\s$,;*]|\\[()\[\],;:! ]|\\q?quad)*"
_BETWEEN_BOXES = re.compile(rf"{_SPACING}(?:\\text\s*\{{\s*)?(?:,|;|and|or|和|或)(?:\s*\}})?{_SPACING}")
_NAME_BEFORE = re.compile(r"[A-Za-z]\w?\s*=\s*\Z")
_HEADING = r"^[ \t#>*_]*(?:the +)?(?:final +)?answer[ \t*_]*\n\s*(?=[*_(\[{]*(?:[-+−]?[$.]?\d|[$\\]))"
_STATEMENT = re.compile(
    r"\banswer\b[^\S\n]*(?:\*\*)?[^\S\n]*(?:to\b[^\n.]{0,60}?[^\S\n])?(?:is\b|was\b|equals\b|:|=)[^\S\n]*:?"
    rf"|####|<answer>|^[ \t>*]*A:|答案(?:是|为)?[:：]?|{_HEADING}",
    re.IGNORECASE | re.MULTILINE,
)
_SEARCHED = 20_000
"""Characters at the end of a response in which a statement in words is looked for."""
LONGEST = 1000
"""Characters of the longest answer that is stated in words."""
_MATH = re.compile(r"\$\$?([^$\n]+)\$\$?(?!\d)|\\\((.+?)\\\)|\\\[\s*(.+?)\s*\\\]", re.DOTALL)
_BOLD = re.compile(r"(?:\*\*\s+)?\*\*(?![\s*])([^*\n]{1,1000})\*\*")
_STOP = re.compile(
    r"</answer>|\n|[.。;](?=\s|$)|,?\s+(?:because|since|so|as|which|where|when|if|but|by)\b|<\|",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.])(?:(?<![^\s(\[{=,:$*])[-−](?:\\?[$€£¥])?)?"
    r"(?:\d+(?:(?:,|\{,\}|,?\\[,!])\d+)*(?:\.\d+)?(?:/\d+)?|\.\d+)"
)


def find_math(text: str, accept: Accept) -> tuple[str | None, str]:
    """Return the words that state the answer, or None, and the rule that found them or why there are none."""
    text = after_thinking(text)
    tagged = last_tagged(text)
    if tagged is not None:
        found = _find(text[slice(*tagged)], accept, tagged=True)
        if found[1] != "nothing stated":
            return found
    return _find(text, accept)


def _find(text: str, accept: Accept, tagged: bool = False) -> tuple[str | None, str]:
    boxes = find_boxes(text)
    if boxes:
        if boxes[-1].content is None:
            return None, "unclosed box"
        content = _last_boxes(text, boxes)
        return (content, "box") if content else (None, "empty box")
    if accept != "boxed":
        stated = _stated(text[-_SEARCHED:], tagged)
        if stated:
            return stated, "statement"
    if accept == "last_number":
        numbers = _NUMBER.findall(text[-_SEARCHED:])
        if numbers:
            return numbers[-1], "last number"
    return None, "nothing stated"


def _last_boxes(text: str, boxes: list[Box]) -> str:
    """The last box, or the last enumeration of different ones."""
    contents = [(boxes[-1].content or "").strip()]
    first = boxes[-1]
    for box in reversed(boxes[:-1]):
        if not contents[-1] or box.content is None or not _are_listed(text, box, first):
            break
        contents.append(box.content.strip())
        first = box
    different = list(dict.fromkeys(content for content in reversed(contents) if content))
    like_thousands = any(re.match(r"\d{3}(?!\d)", content) for content in different[1:])
    return (", " if like_thousands else ",").join(different)


def _are_listed(text: str, box: Box, following: Box) -> bool:
    """Are they two of several answers: `\\boxed{1} or \\boxed{2}`, `x = \\boxed{1}, x = \\boxed{2}`?"""
    between = text[box.end : following.start][:40]
    name = _NAME_BEFORE.search(text[max(0, box.start - 10) : box.start])
    return bool(_BETWEEN_BOXES.fullmatch(between.removesuffix(name.group()) if name else between))


def _stated(text: str, tagged: bool) -> str | None:
    statements = list(_STATEMENT.finditer(text))
    if not statements and not tagged:
        return None
    said = text[statements[-1].end() if statements else 0 :].lstrip(" \t:=\n")[:LONGEST]
    bold = _BOLD.match(said)
    said = bold.group(1) if bold else said.lstrip(" \t:*=\n")
    math = _MATH.search(said)
    stop = _STOP.search(said)
    if math and not re.search(r"[\d\n]", said[: math.start()]):
        return next(filter(None, math.groups())).strip()
    return (said[: stop.start()] if stop else said).strip(" *_`$").rstrip(" ,;") or None
