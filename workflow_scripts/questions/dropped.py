"""Source rows that did not become questions: how many for which reason, and a few of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

EXAMPLES = 5
"""Rows named per reason; a source may repeat each of its questions a hundred times."""


@dataclass
class Dropped:
    """Counts of rows per reason, in the order in which the reasons came up, with the first few rows of each."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, row: str) -> None:
        """Count the row (file and line, or a question's id) that is dropped for `reason`."""
        self.counts[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < EXAMPLES:
            examples.append(row)

    def total(self) -> int:
        """Return the number of rows dropped for any reason."""
        return self.counts.total()
