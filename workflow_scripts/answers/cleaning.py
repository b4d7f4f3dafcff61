"""An extracted answer without what says nothing: spacing, units, currency, per cent and degree signs, styles."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "×": r"\times ", "·": r"\cdot ", "÷": "/", "π": r"\pi ", "∞": r"\infty ", "°": "",
        "²": "^2", "³": "^3", "½": r"\frac{1}{2}", "≤": r"\le ", "≥": r"\ge ", "≠": r"\neq ", "∪": r"\cup ",
        "∈": r"\in ", "√": r"\sqrt ", "，": ",", "（": "(", "）": ")", "\u00a0": " ", "\u2009": " ", "\u202f": " ",
    }
)  # fmt: skip
_SPELLINGS = [("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\varnothing", "\\emptyset")]
_DROPPED = re.compile(
    r"(?<!\\)\\(?:(?:left|right|big|Big|bigg|Bigg|displaystyle|textstyle|limits|quad|qquad)(?![A-Za-z])|[!;:,> ()\[\]])"
    r"|\^\s*(?:\\circ|\{\s*\\circ\s*\})|\\degree\b|\\?%|\\?\$|`|\*\*"
)
TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|operatorname)\s*\{([^{}]*)\}")
_CONJUNCTION = re.compile(r",?\s*\\text\s*\{\s*,?\s*(?:and|or)\s*\}\s*|,?\s+(?:and|or)\s+(?=[^a-z])")
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3}(?:[, ]\d{3})+)(?![\d,])")
_NAME = re.compile(
    r"^\s*(?:\\[A-Za-z]+\s*)?(?:[A-Za-z]\s*){0,3}(?:_\s*(?:\w|\{[^{}]*\}))?(?:\([^()=]*\))?\s*(?:=|\\approx|\\simeq|\\sim)\s*"
)
_RELATION = re.compile(r"=|\\approx|\\simeq|\\sim(?![A-Za-z])")
_NUMBER_HEAD = r"[-+]?\s*(?:\d[\d.,/ ]*|\\frac\s*\{?\d+\}?\s*\{?\d+\}?)"
_UNIT = re.compile(
    rf"^({_NUMBER_HEAD})(?:\s*{TEXT.pattern.replace('([^{}]*)', '(?![ie] *})[^{}]*')}|(?<=\s)[A-Za-z]{{2,}}[A-Za-z .]*)"
    r"(?:\^\s*\{?[23]\}?)?$"
)
"""A number with its unit: words in a text command, or of two letters and more after a space."""


def clean(answer: str) -> str:
    """Return an extracted answer without what says nothing: spacing, signs of currency and per cent, units, styles."""
    text = answer if answer.isascii() else _ascii_digits(answer).translate(_SIGNS)
    text = "".join(sign for sign in text if sign.isprintable() or sign in "\n\t ")
    text = re.sub(r",\s*\\!\s*|\{,\}", ",", text)
    for written, meant in _SPELLINGS:
        text = text.replace(written, meant)
    text = _CONJUNCTION.sub(",", text)
    text = _DROPPED.sub(" ", text)
    if len(_RELATION.findall(text)) == 1 and "," not in text:
        text = _NAME.sub("", text, count=1)
    if not re.search(r"[(\[]", text):  # in a tuple commas part the values
        text = _THOUSANDS.sub(lambda match: re.sub(r"\D", "", match.group(1)), text)
    text = " ".join(text.split()).rstrip(".,;: ")
    with_unit = _UNIT.match(text)
    return with_unit.group(1).strip() if with_unit else text


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in text)
