"""The files that a run writes while it trains: metrics, curve and rollouts, cut back to a resume point."""

from __future__ import annotations

import json
import logging
import math
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import torch

from workflow_scripts.errors import UserError
from workflow_scripts.evaluation.per_question import SCHEMA as QUESTION_SCHEMA
from workflow_scripts.files import atomic_path, write_text
from workflow_scripts.policies.rollouts import SCHEMA
from workflow_scripts.training.diagnostics import GroupRecord
from workflow_scripts.training.metric_names import METRICS

logger = logging.getLogger(__name__)

ROLLOUTS = pa.schema(
    [
        ("step", pa.int32()),
        *SCHEMA,
        ("label", pa.string()),
        ("reward", pa.float64()),
        ("advantage", pa.float64()),
        ("repetition", pa.float64()),
    ]
)
"""Columns of a run's rollouts.parquet; `label` is the question's pseudo-label at that step, null without one."""

CURVE = pa.schema(
    [("step", pa.int32()), *QUESTION_SCHEMA, ("mean_tokens", pa.float64()), ("questions", pa.string())]
)
"""Columns of curve.parquet; `questions` is the id of a validation set, null for the training's own questions."""


class Journal:
    """Writes into the run's state folder, step by step; `collect` makes the run's outputs of it."""

    def __init__(self, state: Path) -> None:
        self.metrics = state / "metrics.jsonl"
        self.curve = state / "curve.jsonl"
        self.rollouts = state / "rollouts"
        self.rollouts.mkdir(parents=True, exist_ok=True)
        self.nonfinite_gradients = 0
        self._started = time.monotonic()
        self._first_step: int | None = None

    def cut_back(self, step: int) -> None:
        """Forget everything after `step`, the resume point; at 0, everything.

        Raises
        ------
        UserError
            If what was written up to `step` is damaged or not all there.
        """
        kept = {path: self._rows(path, step) for path in (self.metrics, self.curve)}
        done = kept[self.metrics]
        if [row["step"] for row in done] != list(range(1, step + 1)):
            raise self._damaged(f"{self.metrics} does not hold steps 1 to {step} of the run")
        for path, rows in kept.items():
            write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
        for part in self._parts():
            if int(part.stem) > step:
                part.unlink()
        self.nonfinite_gradients = done[-1]["nonfinite_gradients"] if done else 0

    def _parts(self) -> list[Path]:
        """The rollouts of each step; a killed process may have left a temporary file, named with a dot."""
        return sorted(part for part in self.rollouts.glob("*.parquet") if part.stem.isdecimal())

    def _rows(self, path: Path, last: float = math.inf) -> list[dict[str, Any]]:
        """The complete lines up to step `last`; a killed process may have left half a line at the end."""
        if last == 0 or not path.exists():
            return []
        rows = []
        for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
            if line.endswith(b"\n"):
                try:
                    row = json.loads(line)
                    if row["step"] <= last:
                        rows.append(row)
                except (ValueError, TypeError, KeyError, RecursionError) as error:
                    raise self._damaged(f"{path}, line {number}: not a line of a run") from error
        return rows

    def _damaged(self, what: str) -> UserError:
        return UserError(f"{what}. Delete the folder {self.metrics.parent} and train again.")

    def write_metrics(self, values: dict[str, Any], last_step: int) -> None:
        """Append one step, and say so on the log."""
        values = {**values, "nonfinite_gradients": self.nonfinite_gradients}
        row = {name: _finite(values[name]) for name in METRICS}
        self._append(self.metrics, row)
        step = row["step"]
        if self._first_step is None:
            self._first_step = step - 1
        eta = (time.monotonic() - self._started) / (step - self._first_step) * (last_step - step)
        logger.info(
            "step %d/%d reward %.3f accuracy %.3f ETA %d:%02d",
            *(step, last_step, row["reward"] or 0.0, row["accuracy"]),
            *divmod(round(eta), 60),
        )

    def write_curve(self, rows: list[dict[str, Any]]) -> None:
        """Append the rows of one evaluation."""
        for row in rows:
            self._append(self.curve, row)

    def write_rollouts(
        self, step: int, records: list[GroupRecord], advantages: torch.Tensor, n_trained: int
    ) -> None:
        """Write all rollouts of one step; those that only voted have no advantage."""
        rows = [
            {
                "step": step,
                **rollout.row(record.question.answer),
                "label": record.label,
                "reward": reward,
                "advantage": advantages[i, k].item() if k < n_trained else None,
                "repetition": record.repetition[k],
            }
            for i, record in enumerate(records)
            for k, (rollout, reward) in enumerate(zip(record.rollouts, record.rewards, strict=True))
        ]
        with atomic_path(self.rollouts / f"{step:07d}.parquet") as temporary:
            pq.write_table(pa.Table.from_pylist(rows, schema=ROLLOUTS), temporary)

    def collect(self, out: Path) -> None:
        """Write metrics.jsonl, curve.parquet and rollouts.parquet of the finished run."""
        write_text(out / "metrics.jsonl", self.metrics.read_text())
        curve = self._rows(self.curve)
        with atomic_path(out / "curve.parquet") as temporary:
            pq.write_table(pa.Table.from_pylist(curve, schema=CURVE), temporary)
        with (
            atomic_path(out / "rollouts.parquet") as temporary,
            pq.ParquetWriter(temporary, ROLLOUTS) as writer,
        ):
            for part in self._parts():
                try:
                    rows = pq.read_table(part, schema=ROLLOUTS)
                except (pa.ArrowException, OSError) as error:
                    raise self._damaged(f"{part} is not a readable parquet file") from error
                writer.write_table(rows)

    @staticmethod
    def _append(path: Path, row: dict[str, Any]) -> None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row, allow_nan=False) + "\n")


def _finite(value: Any) -> Any:
    """JSON knows no NaN: what is not finite is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
