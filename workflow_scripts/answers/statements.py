"""Where in a response an answer may be stated."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINK = (
    r"'?(?:\s*(?:is|was|(?:would|should|must|will|has\s+to)\s+be)\b|\s*[:=]|\s+[-\u2013\u2014](?=\s))\s*[:=]?"
)

ANSWER = re.compile(
    rf"\banswer(?:[\s_-]?(?:choice|option|letter|key|idx|index))?{_LINK}"
    r"|\banswer\s+(?=\(\s*[A-Za-z]\s*\))"
    r"|\banswer\s+(?=[A-Z][ .]*$)"
    rf"|\b(?:correct|best|right|final|appropriate)\s+(?:choice|option|letter){_LINK}"
    r"|\b(?:i|we)(?:\s+would|\s+will|'d|'ll)?\s+(?:choose|chose|select|pick|go\s+with)\b"
    r"|答案(?:应该|应)?(?:是|为|选)?\s*:?"
    r"|选(?:择)?(?!项)\s*:?"
    r"|选项(?:应该|应)?(?:是|为)\s*:?"
    r"|\b(?:is|be)\s*:\s*$",
    re.IGNORECASE,
)
"""An answer statement, within one line; what follows it is read by `OptionReader.statement`."""

AFFIRMATION = re.compile(
    r"(?:\b(?:option|choice)\s+[(\[]?|(?:^|[.!?:;]\s+)[(\[]?|[(\[])([A-Z])[)\]]?\s+is\s+"
    r"(?:(?:therefore|thus|clearly|the|most|single|only)\s+)*(?:correct|right|best)\b"
    r"|(?:选项|选)\s*([A-Z])\s*(?:才)?(?:是|为)?\s*(?:对的|对|正确|最佳|最合适)"
    r"|([A-Z])\s*(?:是|为)\s*(?:正确|最佳)(?:答案|选项)"
)
"""One option called right; the letter is in one of its groups."""

_BOX = re.compile(r"\\(?:f?boxed|framebox)\s*(?:\{|([A-Za-z])\b)")


def find_boxes(text: str) -> Iterator[str]:
    """Yield the contents of the LaTeX boxes of `text` in order; a box that is never closed is none."""
    for match in _BOX.finditer(text):
        if match.group(1):
            yield match.group(1)
            continue
        depth = 1
        for position in range(match.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[position], 0)
            if depth == 0:
                yield text[match.end() : position]
                break
