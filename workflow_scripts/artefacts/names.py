"""Which artefacts can be rendered: what can be said of an entry before anything is run."""

from __future__ import annotations

from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import ArtefactEntry
from workflow_scripts.settings.messages import did_you_mean

AXIS_FIGURES = ("beyond_answer_space", "beyond_misconceptions", "beyond_prm_quality")
FIGURES = ("prose_fig1", "prose_fig2", "prose_fig3", "prose_fig4", "prose_fig5", *AXIS_FIGURES)
TABLES = ("medqa_smollm2", "prose_table1", "prose_table2", "prose_table3", "prose_table4")


def check_renderable(artefact: str, entry: ArtefactEntry) -> None:
    """Raise UserError where no renderer of the entry's kind is written for it, or its axis is not drawn or missing."""
    known = FIGURES if entry.kind == "figure" else TABLES
    if artefact not in known:
        raise UserError(
            f"artefact {artefact}: no {entry.kind} of that name is written.{did_you_mean(artefact, known)} A new one "
            "is added to workflow_scripts/artefacts (names.py, registry.py)."
        )
    needs_axis = artefact in AXIS_FIGURES
    if needs_axis and entry.axis is None:
        raise UserError(f"artefact {artefact}: axis: is missing: the figure shows what varies along it.")
    if entry.axis is not None and not needs_axis:
        raise UserError(f"artefact {artefact}: axis: is not drawn by this {entry.kind}. Leave it out.")
