"""From the published row formats of question sets to `Question`.

medqa
    Official MedQA: `question`, `options` (letter to text, or a list of {key, value}), `answer_idx` (letter)
    and `answer` (text). Letters of the 4- and 5-option sets differ for one answer; the text is checked
    against the letter.
medmcqa
    The hub's form `opa` ... `opd` with `cop`; a list of `choices` (with or without `A. ` in front) with a
    number as `answer`; or the fields of medqa. Numbers count from 0 as on the hub; a file that uses 4 and
    never 0 counts from 1. -1 means that the authors keep the answer back.
questions
    Our own columns: `text`, `options` (letter to text), `answer`; `id`, `source`, `answer_kind`, `meta` may
    be absent.
"""

from __future__ import annotations

import json
import math
import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import ANSWER_KINDS, Question
from workflow_scripts.questions.tables import Row

LETTERS = string.ascii_uppercase
_ID_FIELDS = ("id", "realidx", "question_id")


class Unlabelled(Exception):
    """The row's authors keep its answer back: it is dropped and counted, not an error."""


def row_converter(shape: str, name: str, rows: Sequence[Row]) -> Callable[[Row], Question]:
    """Return the function that converts the rows of one source; `name` is the question set's."""
    if shape == "medqa":
        return lambda row: _medqa(row, name)
    if shape == "medmcqa":
        base = _number_base(rows)
        return lambda row: _medmcqa(row, name, base)
    if shape == "questions":
        return lambda row: _own(row, name)
    raise ValueError(f"unknown shape {shape}")


def _medqa(row: Row, name: str) -> Question:
    options = _options(row, _field(row, "options"))
    letter, text = row.values.get("answer_idx"), row.values.get("answer")
    if letter is None and text is None:
        raise UserError(f"{row.where}: neither answer_idx nor answer: the gold answer is missing.")
    if letter is None:
        letter = _letter_of_text(row, options, text)
    letter = str(letter).strip().upper()
    _require_option(row, options, letter, "answer_idx")
    if text is not None and str(text).strip() not in (options[letter], letter):
        raise UserError(
            f"{row.where}: answer_idx {letter} is {_short(options[letter])!r}, "
            f"but answer is {_short(str(text))!r}."
        )
    return _choice(
        row, name, str(_field(row, "question")), options, letter, used=("options", "answer_idx", "answer")
    )


def _medmcqa(row: Row, name: str, base: int) -> Question:
    values = row.values
    if "cop" in values or "opa" in values:
        fields = [f"op{letter}" for letter in "abcd"]
        options = _options(row, {f[-1].upper(): _field(row, f) for f in fields})
        number, used = _field(row, "cop"), (*fields, "cop")
    elif "choices" in values:
        if not isinstance(values["choices"], list):
            raise UserError(f"{row.where}: choices must be a list of texts.")
        options = _options(row, _without_labels([str(text) for text in values["choices"]]))
        number, used = _field(row, "answer"), ("choices", "answer")
    else:
        return _medqa(row, name)
    text = str(number).strip()
    if re.fullmatch(r"[A-Da-d]", text):
        letter = text.upper()
    else:
        index = _whole_number(row, number) - base
        if index + base == -1:
            raise Unlabelled("no gold answer (cop is -1)")
        if not 0 <= index < len(options):
            raise UserError(f"{row.where}: gold answer {number} is not among the {len(options)} options.")
        letter = list(options)[index]
    return _choice(row, name, str(_field(row, "question")), options, letter, used=used)


def _own(row: Row, name: str) -> Question:
    values = row.values
    kind = values.get("answer_kind") or "choice"
    if kind not in ANSWER_KINDS:
        raise UserError(f"{row.where}: answer_kind {kind!r} is none of {', '.join(ANSWER_KINDS)}.")
    answer = str(_field(row, "answer")).strip()
    options = None
    if kind == "choice":
        options = _options(row, _maybe_json(row, "options"))
        _require_option(row, options, answer, "answer")
    meta = _maybe_json(row, "meta") or {}
    if not isinstance(meta, dict):
        raise UserError(f"{row.where}: meta must be an object.")
    return Question(
        id=_id(row, name),
        source=str(values.get("source") or name),
        text=str(_field(row, "text")).strip(),
        options=options,
        answer_kind=kind,
        meta=meta,
        answer=answer,
    )


def _number_base(rows: Sequence[Row]) -> int:
    numbers = {str(value).removesuffix(".0") for row in rows if (value := _number_field(row)) is not None}
    if {"0", "4"} <= numbers:
        raise UserError(
            f"{rows[0].where.rpartition(',')[0]}: gold answers use both 0 and 4 for four options."
        )
    return 1 if "4" in numbers else 0


def _number_field(row: Row) -> Any:
    if "cop" in row.values:
        return row.values["cop"]
    # Lists of five and more choices count from 0 and may use 4.
    choices = row.values.get("choices")
    return row.values.get("answer") if isinstance(choices, list) and len(choices) == 4 else None


def _choice(
    row: Row, name: str, text: str, options: dict[str, str], answer: str, used: tuple[str, ...]
) -> Question:
    kept = {
        key: value
        for key, value in row.values.items()
        if key not in {"question", *used, *_ID_FIELDS}
        and isinstance(value, (str, int, float, bool))
        # Tables that pandas wrote hold NaN where a cell is empty.
        and (not isinstance(value, float) or math.isfinite(value))
        # Explanations name the right option; rewards see `meta`.
        and key not in {"exp", "explanation", "cot_content"}
    }
    return Question(
        id=_id(row, name),
        source=name,
        text=text.strip(),
        options=options,
        answer_kind="choice",
        meta=kept,
        answer=answer,
    )


def _id(row: Row, name: str) -> str:
    value = next((row.values[key] for key in _ID_FIELDS if row.values.get(key) is not None), row.index)
    return f"{name}-{value:05d}" if isinstance(value, int) else str(value)


def _options(row: Row, value: Any) -> dict[str, str]:
    if isinstance(value, list):
        if all(isinstance(item, dict) and {"key", "value"} <= item.keys() for item in value):
            value = {item["key"]: item["value"] for item in value}
        else:
            value = dict(zip(LETTERS, value, strict=False))
    if not isinstance(value, dict) or not value:
        raise UserError(f"{row.where}: the question has no options.")
    # A parquet struct lists every letter of the file; a question with fewer options has nulls there.
    options = {str(key).strip().upper(): str(text).strip() for key, text in value.items() if text is not None}
    if len(options) < 2 or not all(options.values()):
        raise UserError(f"{row.where}: a question needs at least two options, none of them empty.")
    if list(options) != list(LETTERS[: len(options)]):
        raise UserError(
            f"{row.where}: options must be lettered A, B, ... in order, not {', '.join(options)}."
        )
    return options


def _without_labels(choices: list[str]) -> list[str]:
    labelled = all(
        re.match(rf"\(?{letter}[.):]\s", text) for letter, text in zip(LETTERS, choices, strict=False)
    )
    return [re.sub(r"^\(?[A-Z][.):]\s+", "", text) for text in choices] if labelled else choices


def _letter_of_text(row: Row, options: dict[str, str], value: Any) -> str:
    text = str(value).strip()
    letters = [letter for letter, option in options.items() if option == text]
    if not letters and text.upper() in options:
        return text.upper()
    if len(letters) != 1:
        found = "is not among the options" if not letters else f"is the text of {' and '.join(letters)}"
        raise UserError(f"{row.where}: the gold answer {_short(text)!r} {found}.")
    return letters[0]


def _require_option(row: Row, options: dict[str, str], letter: str, field: str) -> None:
    if letter not in options:
        raise UserError(
            f"{row.where}: gold answer {field}={letter!r} is not among the options {', '.join(options)}."
        )


def _field(row: Row, name: str) -> Any:
    value = row.values.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise UserError(
            f"{row.where}: the field {name} is missing or empty. Check `shape` of the question set."
        )
    return value


def _maybe_json(row: Row, name: str) -> Any:
    value = row.values.get(name)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError as error:
        raise UserError(f"{row.where}: {name} is not JSON ({error.msg}).") from error


def _whole_number(row: Row, value: Any) -> int:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not math.isfinite(number) or number != int(number):
        raise UserError(f"{row.where}: gold answer {value!r} is neither a whole number nor a letter.")
    return int(number)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
