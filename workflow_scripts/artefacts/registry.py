"""Which module renders which artefact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from workflow_scripts.artefacts import medqa_smollm2, prose_fig1, prose_fig5, prose_table3
from workflow_scripts.artefacts.method_table import MethodTable
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[pd.DataFrame, Render], "tuple[Figure, pd.DataFrame]"]

FIGURES: dict[str, Draw] = {"prose_fig1": prose_fig1.draw, "prose_fig5": prose_fig5.draw}
TABLES: dict[str, MethodTable] = {
    "medqa_smollm2": medqa_smollm2.TABLE,
    "prose_table3": prose_table3.TABLE,
}


def check_registered(config: Render) -> None:
    """Raise UserError where no renderer of the entry's kind is written for the artefact."""
    known = FIGURES if config.entry.kind == "figure" else TABLES
    if config.artefact not in known:
        raise UserError(
            f"no {config.entry.kind} is written for `{config.artefact}`. Known: {', '.join(known)}; "
            "add one to workflow_scripts/artefacts/registry.py."
        )
