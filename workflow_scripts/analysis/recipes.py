"""Which numbers each artefact shows: the metrics of its curves, of its optimiser steps and of its last checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

from workflow_scripts.errors import UserError

MOVING_AVERAGE_STEPS = 5
"""PROSE, Figure 5: thick lines are 5-step moving averages (here over the step and the four before it)."""


@dataclass(frozen=True)
class Recipe:
    """Names from `analysis.metrics.QUESTION_METRICS` (curve, final) and from metrics.jsonl (training).

    step_auc: also that of the process reward model on the evaluated responses, where they have step scores.
    """

    curve: tuple[str, ...] = ()
    training: tuple[str, ...] = ()
    final: tuple[str, ...] = ()
    step_auc: bool = False


RECIPES: dict[str, Recipe] = {
    "prose_fig1": Recipe(
        curve=("avg@k", "maj@k", "distinct_responses", "distinct_answers", "answer_entropy", "unparseable")
    ),
    "prose_fig5": Recipe(curve=("avg@k", "unparseable"), training=("reward",), step_auc=True),
    "prose_table3": Recipe(final=("avg@k", "maj@k")),
    "medqa_smollm2": Recipe(
        final=("avg@k", "maj@k", "unparseable", "distinct_responses", "distinct_answers", "answer_entropy")
    ),
}


def recipe(artefact: str) -> Recipe:
    """Return the recipe of `artefact`; raise UserError where there is none."""
    if artefact not in RECIPES:
        raise UserError(
            f"no analysis is written for `{artefact}`. Known: {', '.join(RECIPES)}; "
            "add one to workflow_scripts/analysis/recipes.py."
        )
    return RECIPES[artefact]
