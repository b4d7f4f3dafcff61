"""Read the rows of a json, jsonl, csv or parquet file, each with a name to show in messages.

Parquet is read in batches, as often as it is walked: the two million rows of a file that repeats every question a
hundred times need not fit into memory.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.errors import UserError


@dataclass(frozen=True)
class Row:
    """One row of a source; `where` names it for messages (file and line or row, counted from 1)."""

    where: str
    index: int
    values: dict[str, Any]


class Rows(Protocol):
    """The rows of a source in their order; they can be walked more than once."""

    def __iter__(self) -> Iterator[Row]: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True)
class StreamedRows:
    """Rows that are read anew at each walk; `walk` starts at the first."""

    where: str
    length: int
    walk: Callable[[], Iterator[dict[str, Any]]]

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Row]:
        for i, values in enumerate(self.walk()):
            yield Row(f"{self.where}, row {i + 1}", i, values)


_ROW_LISTS = ("data", "rows", "generations")
"""Keys under which a json object keeps its rows beside other things."""


def read_rows(path: str | Path) -> list[Row]:
    """Return the rows of the file `path`, in order, as `open_rows` does, all in memory."""
    return list(open_rows(path))


def open_rows(path: str | Path) -> Rows:
    """Return the rows of the file `path`, in order.

    json files hold a list of objects, one object per line (both are published under that ending), or one object with
    such a list under `data`, `rows` or `generations`. A row that is a list of chat turns comes as `{"turns": [...]}`.

    Raises
    ------
    UserError
        If the file is missing, of an unknown kind, truncated or empty.
    """
    path = Path(path)
    readers: dict[str, Callable[[Path], Rows]] = {
        ".json": _json,
        ".jsonl": _json_lines,
        ".csv": _csv,
        ".parquet": _parquet,
    }
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
    if not len(rows):
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
        inner = [values[key] for key in _ROW_LISTS if _is_table(values.get(key))]
        values = inner[0] if inner else [values]
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
            header = [name for name in reader.fieldnames or [] if name]
            if len(set(header)) < len(header):
                raise UserError(f"{path}: two columns have the same name. Rename one.")
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


def _parquet(path: Path) -> StreamedRows:
    broken = f"{path} is not a readable parquet file; is it truncated? Fetch it again."

    def walk() -> Iterator[dict[str, Any]]:
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=1000):
                    yield from batch.to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise UserError(broken) from error

    try:
        length = pq.read_metadata(path).num_rows
    except (pa.ArrowException, OSError) as error:
        raise UserError(broken) from error
    return StreamedRows(str(path), length, walk)


def _row(where: str, index: int, value: Any) -> Row:
    if (
        isinstance(value, list)
        and _is_table(value)
        and all("from" in turn or "role" in turn for turn in value)
    ):
        value = {"turns": value}
    if not isinstance(value, dict):
        raise UserError(f"{where}: need an object with named fields.")
    return Row(where, index, value)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
