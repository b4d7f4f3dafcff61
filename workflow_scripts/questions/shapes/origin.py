"""What a shape gets and gives: the origin of the rows, and a function from one row to a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.tables import Row
from workflow_scripts.settings.question_sets import BuiltOptions

Converter = Callable[[Row], Question]
"""From one row to a question; raises Unlabelled for a row to drop, UserError for a broken one."""


class Unlabelled(Exception):
    """The row has no answer that can be used: it is dropped and counted, not an error.

    Its text is the reason. Rows are counted by it, so it names neither the row nor its content.
    """


@dataclass(frozen=True)
class Origin:
    """What a shape knows beside the row.

    Attributes
    ----------
    name
        The question set's name.
    rows
        All rows of the source; they can be walked more than once.
    answer_kind
        The kind that the entry's `answer` reads.
    options
        How options are drawn, for shapes that publish none in a fixed order.
    side_files
        Path of each further file by its name.
    """

    name: str
    rows: Iterable[Row]
    answer_kind: str
    options: BuiltOptions | None
    side_files: Mapping[str, Path]

    def built_options(self, shape: str) -> BuiltOptions:
        """Return `options`, which `shape` needs."""
        if self.options is None:
            raise UserError(
                f"question set {self.name}: rows of the shape {shape} have no order of options. "
                "Give the entry `options: {seed: 0}`."
            )
        return self.options

    def side_file(self, name: str) -> Path:
        """Return the path of the side file `name`."""
        if name not in self.side_files:
            raise UserError(
                f"question set {self.name}: the file of the {name} is missing. "
                f"Name it under `source.side_files.{name}`."
            )
        return self.side_files[name]
