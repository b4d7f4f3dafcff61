"""Columns of a table in anybody's format: a path to a value, and values as texts, options, golds and scores."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from workflow_scripts.answers.maths import find_math
from workflow_scripts.answers.plain import key
from workflow_scripts.errors import UserError
from workflow_scripts.questions.options import LETTERS
from workflow_scripts.questions.tables import Row


def column(row: Row, path: str) -> Any:
    """Return the value of the column `path`: its name, or a path of names and positions (`extra.0.text`).

    Raises
    ------
    UserError
        If the row has no such column, with the names of those it has.
    """
    value = _at(row.values, path)
    if value is _ABSENT:
        raise UserError(f"{row.where}: no column {path}; there are {_names(row.values, path)}.")
    return value


_ABSENT = object()


def _at(value: Any, path: str) -> Any:
    if isinstance(value, Mapping) and path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    while dot:  # names may hold dots themselves
        inner = _step(value, head)
        found = _ABSENT if inner is _ABSENT else _at(inner, rest)
        if found is not _ABSENT:
            return found
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return _step(value, path)


def _step(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return value[int(name)] if name.isdecimal() and int(name) < len(value) else _ABSENT
    return value.get(name, _ABSENT) if isinstance(value, Mapping) else _ABSENT


def _names(values: Mapping[str, Any], path: str) -> str:
    inner = values.get(path.partition(".")[0])
    if isinstance(inner, Mapping):
        return ", ".join(f"{path.partition('.')[0]}.{name}" for name in list(inner)[:12])
    return ", ".join(list(values)[:20])


def texts(row: Row, path: str) -> tuple[list[str], bool]:
    """Return the responses of a row and whether the column holds a list; null is an empty response."""
    value = column(row, path)
    listed = isinstance(value, list)
    responses = value if listed else [value]
    if not responses:
        raise UserError(f"{row.where}: {path} is an empty list: the row has no response. Leave the row out.")
    for response in responses:
        if isinstance(response, (list, Mapping)):
            raise UserError(
                f"{row.where}: {path} holds no text but {_short(response)}. Name the text inside."
            )
    return ["" if response is None else _utf8(str(response)) for response in responses], listed


def scores(row: Row, path: str, n: int, listed: bool) -> list[float]:
    """Return the n scores of a row, one per response; `[0.3]` is the score 0.3.

    Raises
    ------
    UserError
        If there are more or fewer than n, or one is missing, NaN, infinite or no number.
    """
    value = _json(column(row, path))
    given = value if listed and isinstance(value, list) else [value]
    if len(given) != n:
        raise UserError(f"{row.where}: {path} holds {len(given)} scores for {n} responses.")
    return [_score(row, path, i, score) for i, score in enumerate(given)]


def _score(row: Row, path: str, i: int, value: Any) -> float:
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list):
        raise UserError(
            f"{row.where}: score {i} of {path} is a list of {len(value)} numbers. Aggregate step scores first."
        )
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise UserError(
            f"{row.where}: score {i} of {path} is {_short(value)}, no finite number. Score that response, or leave "
            "its row out."
        )
    return score


def options(row: Row, path: str) -> dict[str, str]:
    """Return letter to text: from an object, a list of texts, or a list of {key, value}; JSON text of these, too.

    Raises
    ------
    UserError
        If there are fewer than two options, or their letters are not A, B, ... in order.
    """
    value = _json(column(row, path))
    if isinstance(value, list):
        pairs = all(isinstance(item, Mapping) and {"key", "value"} <= item.keys() for item in value)
        value = (
            {item["key"]: item["value"] for item in value}
            if pairs
            else dict(zip(LETTERS, value, strict=False))
            if len(value) <= len(LETTERS)
            else None
        )
    if not isinstance(value, Mapping):
        raise UserError(f"{row.where}: {path} holds no options: need letter: text, or a list of at most ten.")
    # A parquet struct lists every letter of the file; a question with fewer options has nulls there.
    found = {
        str(letter).strip().upper(): str(text).strip() for letter, text in value.items() if text is not None
    }
    if len(found) < 2 or list(found) != list(LETTERS[: len(found)]):
        raise UserError(
            f"{row.where}: {path}: options must be lettered A, B, ... in order, not {', '.join(found) or 'empty'}."
        )
    return found


def gold_letter(
    row: Row, path: str, options: Mapping[str, str], letters: bool, base: int | None
) -> str | None:
    """Return the letter that a gold answer means, None if it means none or several.

    Parameters
    ----------
    path
        Column of a letter (`B`, `(b)`), an option's text, or, with `base`, the number of an option.
    letters
        Whether a letter comes before a text: one column holds letters or texts, and an option's text may be a letter.
    base
        The number of the first option.

    Raises
    ------
    UserError
        If a number may be an option's number, and no `base` says where they begin.
    """
    value = column(row, path)
    said = text(value)
    if base is None and isinstance(value, int) and not isinstance(value, bool):
        raise UserError(
            f"{row.where}: {path} is the number {value}. Say with --gold-base whether the options count from 0 or 1."
        )
    if base is not None:
        number = said.removesuffix(".0")
        place = int(number) - base if number.isdecimal() else -1
        return list(options)[place] if 0 <= place < len(options) else None
    letter = as_letter(said, options)
    same = [own for own, option in options.items() if key(option) == key(said)]
    named = same[0] if len(same) == 1 else None
    return (letter or named) if letters else (named or letter)


def as_letter(value: Any, options: Mapping[str, str]) -> str | None:
    """Return the option's letter that `value` is, with or without brackets."""
    letter = text(value).strip(" ().").upper()
    return letter if letter in options else None


def gold_text(value: Any) -> str:
    """Return a gold answer's text; of a worked solution its last box, `####` or answer statement.

    Empty where there is none. A list of one is its element; of a list of several no one is the answer.
    """
    if isinstance(value, list):
        return gold_text(value[0]) if len(value) == 1 else ""
    said = text(value)
    return (find_math(said, "stated")[0] or said) if "\n" in said.strip() else said


def text(value: Any) -> str:
    """Return a cell as text; null and NaN are empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return _utf8(str(value)).strip()


def numbers(row: Row, path: str) -> list[int]:
    """Return the given numbers of a countdown question: a list of whole numbers, or JSON text of one."""
    value = _json(column(row, path))
    if not isinstance(value, list) or not value:
        raise UserError(f"{row.where}: {path} holds no list of numbers but {_short(value)}.")
    try:
        given = [float(item) for item in value]
    except (TypeError, ValueError, OverflowError) as error:
        raise UserError(f"{row.where}: {path} holds no whole numbers but {_short(value)}.") from error
    if not all(item.is_integer() for item in given):
        raise UserError(f"{row.where}: {path} holds no whole numbers but {_short(value)}.")
    return [int(item) for item in given]


def _json(value: Any) -> Any:
    """Lists and objects that a table keeps as text."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _utf8(value: str) -> str:
    """Half of a character, which JSON can hold and no file of ours can, becomes a question mark."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
