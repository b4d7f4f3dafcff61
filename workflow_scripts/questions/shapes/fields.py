"""Reading the fields of a row: what counts as missing, ids, and what is kept beside the question."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.tables import Row

ID_FIELDS = ("id", "unique_id", "realidx", "question_id", "ID", "idx")

DESCRIPTORS = frozenset({
    "category", "choice_type", "data_source", "difficulty", "level", "meta_info", "question_concept", "source", "src",
    "subfield", "subject", "subject_name", "topic_name", "type", "unit", "url", "year",
})  # fmt: skip
"""Fields kept in `meta`, which rewards see. A list of what may pass: rows also hold solutions and explanations."""


def missing(value: Any) -> bool:
    """Whether a cell is empty; tables that pandas wrote hold NaN there."""
    return (
        value is None
        or (isinstance(value, str) and not value.strip())
        or (isinstance(value, float) and math.isnan(value))
    )


def first_present(row: Row, names: Sequence[str]) -> Any:
    """Return the first of the fields `names` that holds something, or None."""
    return next((row.values[name] for name in names if not missing(row.values.get(name))), None)


def field(row: Row, *names: str) -> Any:
    """Return the first of the fields `names` that holds something; raise UserError if none does."""
    value = first_present(row, names)
    if value is None:
        which = f"the field {names[0]} is" if len(names) == 1 else f"the fields {', '.join(names)} are"
        raise UserError(
            f"{row.where}: {which} missing or empty. Check `shape` and `columns` of the question set."
        )
    return value


def text(row: Row, *names: str) -> str:
    """Return the first of the fields `names` that holds something as text without outer spaces."""
    value = field(row, *names)
    if not isinstance(value, str):
        name = next(name for name in names if not missing(row.values.get(name)))
        raise UserError(
            f"{row.where}: the field {name} is no text. Check `shape` and `columns` of the question set."
        )
    return value.strip()


def described(row: Row) -> dict[str, Any]:
    """Return what `meta` keeps of the row."""
    return {
        key: value
        for key, value in row.values.items()
        if key in DESCRIPTORS and not missing(value) and isinstance(value, (str, int, float, bool))
    }


def row_id(row: Row, name: str, fields: Sequence[str] = ID_FIELDS) -> str:
    """Return the row's own id, or its place in the source; numbers become `<name>-00017`."""
    value = first_present(row, fields)
    return made_id(row, name, row.index if value is None else value)


def made_id(row: Row, name: str, value: Any) -> str:
    """Return `value` as the id of the row's question."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    shown = str(value).strip()
    if not shown.isprintable() or len(shown) > 200:
        raise UserError(
            f"{row.where}: its id is no printable text of at most 200 characters. Correct the row."
        )
    return f"{name}-{int(shown):05d}" if re.fullmatch(r"0|[1-9][0-9]{0,17}", shown) else shown


def unique_field(rows: Iterable[Row], names: Sequence[str] = ID_FIELDS) -> tuple[str, ...]:
    """Return the first of the fields `names` that tells all rows apart, as a tuple of one; else ()."""
    first = next(iter(rows), None)
    for name in names:
        if first is None or missing(first.values.get(name)):
            continue
        seen: set[str] = set()
        if all(not missing(value := row.values.get(name)) and _is_new(str(value), seen) for row in rows):
            return (name,)
    return ()


def _is_new(value: str, seen: set[str]) -> bool:
    before = len(seen)
    seen.add(value)
    return len(seen) > before


def maybe_json(row: Row, name: str) -> Any:
    """Return the field `name`, decoded where it is text: csv files hold JSON in their cells."""
    value = row.values.get(name)
    if not isinstance(value, str) or not value.strip():
        return None if missing(value) else value
    try:
        return json.loads(value)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise UserError(f"{row.where}: {name} is not JSON ({reason}).") from error


def whole_number(row: Row, value: Any) -> int:
    """Return `value` (2, 2.0, "2.0") as int."""
    try:
        number = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number != int(number):
        raise UserError(
            f"{row.where}: the gold answer {quoted(value)} is neither a whole number nor a letter."
        )
    return int(number)


def quoted(value: Any) -> str:
    """Return `value` in quotes if it may be a letter or number, else its length: some sets must not be quoted."""
    shown = str(value).strip()
    return repr(shown) if len(shown) <= 4 else f"(of {len(shown)} characters)"
