"""Read the rows of a json, jsonl, csv or parquet file, each with a name to show in messages."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.errors import UserError


@dataclass(frozen=True)
class Row:
    """One row of a source; `where` names it for messages (file and line or row, counted from 1)."""

    where: str
    index: int
    values: dict[str, Any]


def read_rows(path: str | Path) -> list[Row]:
    """Return the rows of the file `path`, in order.

    json files hold a list of objects or one object per line (both are published under that ending).

    Raises
    ------
    UserError
        If the file is missing, of an unknown kind, truncated or empty.
    """
    path = Path(path)
    readers = {".json": _json, ".jsonl": _json_lines, ".csv": _csv, ".parquet": _parquet}
    if path.suffix not in readers:
        raise UserError(
            f"{path}: cannot read {path.suffix or 'a file without ending'}; give {', '.join(readers)}."
        )
    if not path.is_file():
        raise UserError(f"no data file {path}. Check `path` of the question set (from {Path.cwd()}).")
    try:
        rows = readers[path.suffix](path)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text (byte {error.start}). Convert it first.") from error
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise UserError(f"{path}: cannot be read: {error}.") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}.") from error
    if not rows:
        raise UserError(f"{path} has no rows.")
    return rows


def _json(path: Path) -> list[Row]:
    text = path.read_text(encoding="utf-8-sig")
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return _json_lines(path)
        raise UserError(
            f"{path}, line {error.lineno}: not JSON ({error.msg}); is the file truncated?"
        ) from error
    if isinstance(values, dict):
        values = [values]
    if not isinstance(values, list):
        raise UserError(f"{path}: need a list of objects, one per question.")
    return [_row(f"{path}, row {i + 1}", i, value) for i, value in enumerate(values)]


def _json_lines(path: Path) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise UserError(
                f"{path}, line {number}: not JSON ({error.msg}); is the file truncated?"
            ) from error
        rows.append(_row(f"{path}, line {number}", len(rows), value))
    return rows


def _csv(path: Path) -> list[Row]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        rows = []
        try:
            for i, values in enumerate(reader):
                if None in values or None in values.values():
                    raise UserError(
                        f"{path}, line {reader.line_num}: number of cells differs from the header's."
                    )
                cells = {name: cell if cell != "" else None for name, cell in values.items()}
                rows.append(Row(f"{path}, line {reader.line_num}", i, cells))
        except csv.Error as error:
            raise UserError(
                f"{path}, line {reader.line_num}: not csv ({error}); is the file truncated?"
            ) from error
    return rows


def _parquet(path: Path) -> list[Row]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is not a readable parquet file; is it truncated? Fetch it again.") from error
    return [Row(f"{path}, row {i + 1}", i, values) for i, values in enumerate(table.to_pylist())]


def _row(where: str, index: int, value: Any) -> Row:
    if not isinstance(value, dict):
        raise UserError(f"{where}: need an object with named fields.")
    return Row(where, index, value)
