"""An extracted answer without what says nothing: spacing, units, currency, per cent and degree signs, styles."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "×": r"\times ", "·": r"\cdot ", "÷": "/", "π": r"\pi ", "∞": r"\infty ", "°": "",
        "²": "^2", "³": "^3", "½": r"\frac{1}{2}", "≤": r"\le ", "≥": r"\ge ", "≠": r"\neq ", "∪": r"\cup ",
        "∈": r"\in ", "√": r"\sqrt ", "，": ",", "€": "", "£": "", "¥": "",
        "（": "(", "）": ")", "\u00a0": " ", "\u2009": " ", "\u202f": " ",
    }
)  # fmt: skip
_SPELLINGS = [("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\varnothing", "\\emptyset")]
_DROPPED = re.compile(
    r"(?<!\\)\\(?:(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|quad|qquad)(?![A-Za-z])|[!;:,> ()\[\]])"
    r"|\^\s*(?:\\circ|\{\s*\\circ\s*\})|\\degree\b|\\?%|\\?\$|`|\*\*"
)
TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|operatorname)\s*\{([^{}]*)\}")
_CONJUNCTION = re.compile(
    r",?\s*\\text\s*\{\s*,?\s*(?:and|or)\s*\}\s*|,?\s+(?:and|or)\s+(?=[^a-z]|[a-z]\s*(?:[<>=]|\\[lg]))"
)
_INEQUALITY = re.compile(r"[<>]|\\[lg](?:eq?(?:slant)?|t)(?![A-Za-z])")
_BUILDER = re.compile(
    r"\s*\\\{\s*[A-Za-z]\s*(?:\\in\s*\\mathbb\s*\{?\s*R\s*\}?\s*)?(?:\\mid|\\colon|[|:])(?![A-Za-z])([^|:]+)\\\}\s*"
)
_NUMERAL = re.compile(r"\\(?:mathrm|mathit|operatorname)\s*\{\s*([ei])\s*\}")
_PI = re.compile(r"(?<![A-Za-z\\])pi(?![A-Za-z])")
_BASE_IN_WORDS = re.compile(
    r"^(\d+)\s*(?:_\s*\{\s*)?(?:\\text\s*\{\s*)?,?\s*\(?\s*(?:in )?base\s*\}?\s*(\d{1,2})[\s)}]*$"
)
_TERSE_FRACTION = re.compile(r"\\frac\s*(\\pi(?![A-Za-z])|[A-Za-z0-9])\s*(\\pi(?![A-Za-z])|[A-Za-z0-9])")
_OPTION_LABEL = re.compile(r"^\\(?:text|textbf|textrm|mathrm|mathbf)\s*\{\s*\([A-J]\)\s*\}\s*(?=[^\s.])")
_SAID_OF = re.compile(
    r"^(?:[A-Za-z][A-Za-z'’-]*,? ){1,10}(?:is|are|was|equals) +(?:equal to )?(?=[^A-Za-z ])"
)
_CALCULATION = re.compile(
    r"(?=[^=]*\d)(?:[^A-Za-z\\=<>]|\\(?:times|cdot|div|frac)(?![A-Za-z]))+=\s*((?:[^A-Za-z\\=<>]|\\[a-z]+)+)$"
)
_QUALIFIER = re.compile(
    r"(?<=\S)\s*(?:,\s*)?(?:\\text\s*\{\s*,?\s*)?\bfor (?:any|all|every|each|some)\b.*$", re.DOTALL
)
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3}(?:[, ]\d{3})+)(?![\d,])")
_NAME = re.compile(
    r"^\s*(?:\\[A-Za-z]+\s*)?(?:[A-Za-z]\s*){0,3}(?:_\s*(?:\w|\{[^{}]*\}))?(?:\([^()=]*\))?\s*(?:=|\\approx|\\simeq|\\sim)\s*"
)
_RELATION = re.compile(r"=|\\approx|\\simeq|\\sim(?![A-Za-z])")
_NUMBER_HEAD = r"[-+]?\s*(?:\d[\d.,/ ]*|\\frac\s*\{?\d+\}?\s*\{?\d+\}?)"
_NO_UNIT = r"(?!\s*(?:and|or|if|when|to|plus|minus|times)\b)"
_UNIT = re.compile(
    rf"^({_NUMBER_HEAD})(?:\s*{TEXT.pattern.replace('([^{}]*)', f'(?![ie] *}}){_NO_UNIT}[^{{}}]*')}"
    rf"|(?<=\s){_NO_UNIT}[A-Za-z]{{2,}}[A-Za-z .]*(?:, [a-z]{{2,}}[a-z ]*)?)"
    r"(?:\^\s*\{?[23]\}?)?$"
)
"""A number with its unit: words in a text command, or of two letters and more after a space."""


def clean(answer: str) -> str:
    """Return an extracted answer without what says nothing: spacing, signs of currency and per cent, units, styles."""
    text = answer if answer.isascii() else _ascii_digits(answer).translate(_SIGNS)
    text = "".join(sign for sign in text if (sign.isprintable() and not _is_picture(sign)) or sign in "\n\t ")
    text = re.sub(r",\s*\\!\s*|\{,\}", ",", text)
    for written, meant in _SPELLINGS:
        text = text.replace(written, meant)
    text = _NUMERAL.sub(r" \1 ", _TERSE_FRACTION.sub(r"\\frac{\1}{\2}", text))
    text = _QUALIFIER.sub("", _PI.sub(r"\\pi ", text))
    unequal = bool(_INEQUALITY.search(text))
    text = _CONJUNCTION.sub(lambda match: _conjunction(match.group(), unequal), text)
    builder = _BUILDER.fullmatch(text) if unequal else None
    text = _DROPPED.sub(" ", builder.group(1) if builder else text).strip()
    text = _SAID_OF.sub("", _OPTION_LABEL.sub("", text))
    if len(_RELATION.findall(text)) == 1 and "," not in text:
        text = _NAME.sub("", text, count=1)
    if not re.search(r"[(\[]", text):  # in a tuple commas part the values
        text = _THOUSANDS.sub(lambda match: re.sub(r"\D", "", match.group(1)), text)
    text = " ".join(text.split()).rstrip(".,;: ")
    text = _BASE_IN_WORDS.sub(r"\1_\2", text)
    calculation = _CALCULATION.match(text)
    text = calculation.group(1) if calculation else text
    with_unit = _UNIT.match(text)
    return with_unit.group(1).strip() if with_unit else text


def _conjunction(words: str, unequal: bool) -> str:
    return "," if not unequal else r" \lor " if "or" in words else r" \land "


def _is_picture(sign: str) -> bool:
    return not sign.isascii() and unicodedata.category(sign) == "So"


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in text)
