"""Rows as a shape expects them: those that `keep` names, with the fields that `columns` names."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.tables import Row, Rows
from workflow_scripts.settings.question_sets import Table


@dataclass(frozen=True)
class SelectedRows:
    """The rows that are kept, renamed; they can be walked more than once."""

    rows: Rows
    table: Table

    def __iter__(self) -> Iterator[Row]:
        kept = {column: {_plain(value) for value in values} for column, values in self.table.keep.items()}
        renamed = set(self.table.columns.values())
        for row in self.rows:
            if any(_plain(row.values.get(column)) not in values for column, values in kept.items()):
                continue
            values = {column: value for column, value in row.values.items() if column not in renamed}
            values |= {field: row.values.get(column) for field, column in self.table.columns.items()}
            yield Row(row.where, row.index, values)


def check_columns(name: str, rows: Rows, table: Table) -> None:
    """Raise UserError if `columns` or `keep` names a column that no row has."""
    for key, columns in (("columns", table.columns.values()), ("keep", table.keep)):
        for column in columns:
            if not any(column in row.values for row in rows):
                has = textwrap.shorten(", ".join(next(iter(rows)).values), 120, placeholder=" ...")
                raise UserError(f"question set {name}: source.{key} names {column}, but the rows have {has}.")


def _plain(value: Any) -> str:
    # csv gives the text "3", json the number 3, a table that pandas wrote 3.0.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
