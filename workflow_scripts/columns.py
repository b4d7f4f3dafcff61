"""What a column of a table holds, and the check that it does: a damaged file is named before it becomes a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from workflow_scripts.errors import UserError

Kind = Literal["text", "truth", "whole", "number"]

_IS = {
    "text": lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind),
    "truth": pa.types.is_boolean,
    "whole": pa.types.is_integer,
    "number": lambda kind: pa.types.is_floating(kind) or pa.types.is_integer(kind),
}
_SAID = {"text": "text", "truth": "true or false", "whole": "a whole number", "number": "a number"}


@dataclass(frozen=True)
class Column:
    """One column: what its values are, their range (both ends included), and whether one may be missing.

    `of`: another column whose value in the same row it cannot exceed. Infinity is never allowed.
    """

    kind: Kind
    low: float = -np.inf
    high: float = np.inf
    missing: bool = False
    of: str | None = None


TEXT, TRUTH, NUMBER = Column("text"), Column("truth"), Column("number")
COUNT = Column("whole", low=0)


def check_types(path: Path, schema: pa.Schema, columns: Mapping[str, Column]) -> None:
    """Raise UserError if a column of a parquet file is stored as another type."""
    for name, column in columns.items():
        stored = schema.field(name).type
        if not (_IS[column.kind](stored) or (column.missing and pa.types.is_null(stored))):
            raise _damaged(path, name, f"is stored as {stored}, not as {_SAID[column.kind]}")


def check_values(path: Path, table: pd.DataFrame, columns: Mapping[str, Column]) -> None:
    """Raise UserError at the first value that is missing, infinite or out of range, with its row (1 = the first)."""
    for name, column in columns.items():
        empty = table[name].isna().to_numpy()
        if not column.missing:
            _refuse(path, name, empty, "is empty")
        if column.kind in ("text", "truth"):
            continue
        values = table[name].to_numpy(dtype=float, na_value=np.nan)
        _refuse(path, name, np.isinf(values), "is infinite")
        outside = (values < column.low) | (values > column.high)
        _refuse(path, name, outside, f"is not within {column.low:g} and {column.high:g}")
        if column.of is not None:
            _refuse(path, name, values > table[column.of].to_numpy(dtype=float), f"exceeds {column.of}")


def _refuse(path: Path, name: str, wrong: np.ndarray, what: str) -> None:
    if wrong.any():
        raise _damaged(path, name, f"{what} in row {wrong.argmax() + 1}")


def _damaged(path: Path, column: str, what: str) -> UserError:
    return UserError(
        f"{path}: column {column} {what}. The file is damaged: delete it and run Snakemake again."
    )
