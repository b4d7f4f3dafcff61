"""Which artefacts can be rendered: what can be said of an entry before anything is run."""

from __future__ import annotations

from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import ArtefactEntry
from workflow_scripts.settings.messages import did_you_mean

AXIS_FIGURES = {
    "beyond_answer_space": "question_sets",
    "beyond_misconceptions": "policies",
    "beyond_prm_quality": "methods",
}
"""Figures over an axis, and what they vary along it."""

FIGURES = (
    *(f"prose_fig{number}" for number in range(1, 6)),
    *(f"urlvr_fig{number}" for number in (2, 3, 6, 7, 8, 9, 10, 11)),
    "urlvr_sweep",
    *AXIS_FIGURES,
)
ANSWER_SPACES = ("beyond_answer_space",)
"""Figures whose axis is a number of different answers, drawn on a logarithmic scale."""

TABLES = ("medqa_smollm2", "prose_table1", "prose_table2", "prose_table3", "prose_table4", "urlvr_table3")


def check_renderable(artefact: str, entry: ArtefactEntry) -> None:
    """Raise UserError where no renderer of the entry's kind is written for it, or its axis is not drawn or missing."""
    known = FIGURES if entry.kind == "figure" else TABLES
    drawn_as = entry.drawn_as(artefact)
    if drawn_as not in known:
        raise UserError(
            f"artefact {artefact}: {'like: ' if entry.like else ''}no {entry.kind} of that name is written."
            f"{did_you_mean(drawn_as, known)} Draw it like one of these (key `like`), or add one to "
            "workflow_scripts/artefacts (names.py, registry.py)."
        )
    over = AXIS_FIGURES.get(drawn_as)
    if entry.axis is None:
        if over is not None:
            raise UserError(f"artefact {artefact}: axis: is missing: the figure shows what varies along it.")
        return
    if over is None:
        raise UserError(f"artefact {artefact}: axis: is not drawn by this {entry.kind}. Leave it out.")
    if entry.axis.over != over:
        raise UserError(f"artefact {artefact}: axis.over: is {entry.axis.over}; the figure is over {over}.")
    if drawn_as in ANSWER_SPACES:
        for role, place in entry.axis.at.items():
            if place < 2:
                raise UserError(
                    f"artefact {artefact}: axis.at.{role} is {place:g}. Give the number of different answers, 2 or "
                    "more: with fewer there is no wrong one."
                )
