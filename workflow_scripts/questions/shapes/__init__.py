"""From the published row formats of question sets to `Question`: one function per shape.

A new shape is a function from the `Origin` of the rows to a converter of one row, and a line in `SHAPES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from workflow_scripts.questions.shapes.chat import chat
from workflow_scripts.questions.shapes.commonsenseqa import commonsenseqa
from workflow_scripts.questions.shapes.countdown import countdown
from workflow_scripts.questions.shapes.ddxplus import ddxplus
from workflow_scripts.questions.shapes.gpqa import gpqa
from workflow_scripts.questions.shapes.listed import med_prm, options_in_text
from workflow_scripts.questions.shapes.medmcqa import medmcqa
from workflow_scripts.questions.shapes.medqa import medqa
from workflow_scripts.questions.shapes.mmlu import mmlu, mmlu_pro
from workflow_scripts.questions.shapes.olympiadbench import olympiadbench
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.shapes.origin import Unlabelled as Unlabelled
from workflow_scripts.questions.shapes.own import own
from workflow_scripts.questions.shapes.problem import problem
from workflow_scripts.questions.tables import Row
from workflow_scripts.settings.question_sets import BuiltOptions, Shape

SHAPES: dict[Shape, Callable[[Origin], Converter]] = {
    "chat": chat,
    "commonsenseqa": commonsenseqa,
    "countdown": countdown,
    "ddxplus": ddxplus,
    "gpqa": gpqa,
    "med_prm": med_prm,
    "medmcqa": medmcqa,
    "medqa": medqa,
    "mmlu": mmlu,
    "mmlu_pro": mmlu_pro,
    "olympiadbench": olympiadbench,
    "options_in_text": options_in_text,
    "problem": problem,
    "questions": own,
}


def row_converter(
    shape: Shape,
    name: str,
    rows: Iterable[Row],
    options: BuiltOptions | None = None,
    side_files: Mapping[str, Path] | None = None,
    answer_kind: str = "choice",
) -> Converter:
    """Return the function that converts the rows of one source into questions of the set `name`.

    Parameters
    ----------
    rows
        The rows, which a shape may walk before the first is converted.
    options
        How options are drawn; the shapes ddxplus and gpqa need it.
    side_files
        Path of each further file by its name; the shape ddxplus needs `evidences` and `conditions`.
    answer_kind
        The entry's kind of answer, for shapes that hold more than one.

    Raises
    ------
    UserError
        If something that the shape needs is not given. The converter itself raises it for a broken row, and
        `Unlabelled` for a row to drop.
    """
    return SHAPES[shape](Origin(name, rows, answer_kind, options, side_files or {}))
