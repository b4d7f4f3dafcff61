"""Which numbers each artefact shows: the metrics of its curves, of its optimiser steps and of its last checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

from workflow_scripts.errors import UserError

MOVING_AVERAGE_STEPS = 5
"""PROSE, Figure 5: thick lines are 5-step moving averages (here over the step and the four before it)."""

LUCKY_HITS = ("lucky_label_right", "lucky_wrong_label_missed", "lucky_unparseable")
"""Of the rightly rewarded rollouts: the label was right, a wrong answer missed a wrong label, nothing was readable."""


@dataclass(frozen=True)
class Recipe:
    """Names from `analysis.metrics.QUESTION_METRICS` (curve, validation, final, base) and from metrics.jsonl (others).

    curve: of the training's own questions, at each evaluated step. validation: of the entry's validation sets.
    final: of the last checkpoints, on the questions of the training and on those of a transfer.
    base: of the unadapted policy alone, where its samples have step scores.
    average: also the mean of `final` and `base` over the question sets, where a method has all of them.
    training_if_logged: like training, but a run whose metrics lack the name has no rows instead of an error.
    agreement: from `analysis.agreement_rows.SHARES`, at step 0 and in parts of the run.
    letters: also how far one letter leads, among answers and among right answers (`analysis.letter_rows`).
    gains: of `final`, minus the base; on validation sets of the last evaluation, minus the first.
    collisions: also how often two wrong samples of the base agree.
    step_auc: also that of the process reward model on the evaluated responses, where they have step scores.
    prm_auc: also that of the process reward models which rewarded, on held-out responses.
    collapse: also when reward accuracy collapses, and the tokens sampled until then.
    """

    curve: tuple[str, ...] = ()
    validation: tuple[str, ...] = ()
    training: tuple[str, ...] = ()
    training_if_logged: tuple[str, ...] = ()
    final: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()
    gains: tuple[str, ...] = ()
    average: bool = False
    letters: bool = False
    collisions: bool = False
    step_auc: bool = False
    prm_auc: bool = False
    collapse: bool = False


SELECTION = Recipe(final=("maj@k",), base=("bon@k", "sc_rm@k"), average=True)

RECIPES: dict[str, Recipe] = {
    "prose_fig1": Recipe(
        curve=("avg@k", "maj@k", "distinct_responses", "distinct_answers", "answer_entropy", "unparseable")
    ),
    "prose_fig2": Recipe(
        curve=("avg@k",),
        training=(
            "label_accuracy",
            "reward_accuracy",
            "protection_gap",
            "protection_rate",
            "majority_ratio",
            "answer_entropy",
        ),
        training_if_logged=LUCKY_HITS,
        agreement=("protection_gap", "protection_rate", *LUCKY_HITS),
        letters=True,
    ),
    "prose_fig3": Recipe(),
    "prose_fig4": Recipe(final=("avg@k", "maj@k")),
    "prose_fig5": Recipe(curve=("avg@k", "unparseable"), training=("reward",), step_auc=True),
    "prose_table1": Recipe(final=("avg@k",), average=True),
    "prose_table2": SELECTION,
    "prose_table3": Recipe(final=("avg@k", "maj@k")),
    "prose_table4": SELECTION,
    "beyond_answer_space": Recipe(
        final=("avg@k",), gains=("avg@k",), agreement=("protection_gap",), collisions=True
    ),
    "beyond_misconceptions": Recipe(final=("avg@k", "maj@k"), gains=("avg@k", "maj@k")),
    "beyond_prm_quality": Recipe(final=("avg@k",), gains=("avg@k",), step_auc=True, prm_auc=True),
    "urlvr_fig2": Recipe(
        validation=("avg@k",),
        training=("reward", "majority_ratio", "label_accuracy", "reward_accuracy", "accuracy", "entropy"),
    ),
    "urlvr_fig3": Recipe(
        validation=("avg@k",),
        training=("reward", "label_accuracy", "accuracy", "entropy", "tokens", "repetition"),
    ),
    "urlvr_fig6": Recipe(validation=("avg@k",), training=("accuracy", "majority_ratio", "reward_accuracy")),
    "urlvr_fig7": Recipe(training=("kl_token", "kl_sequence")),
    "urlvr_fig8": Recipe(validation=("avg@k",), training=("accuracy", "majority_ratio")),
    "urlvr_fig9": Recipe(validation=("avg@k",), training=("label_accuracy", "majority_ratio")),
    "urlvr_fig10": Recipe(validation=("avg@k",), training=("reward_accuracy", "entropy")),
    "urlvr_fig11": Recipe(
        validation=("avg@k",), final=("avg@k", "pass_gain@k"), gains=("avg@k",), collapse=True
    ),
    "urlvr_sweep": Recipe(validation=("avg@k",), training=("label_accuracy", "majority_ratio", "entropy")),
    "urlvr_table3": Recipe(training=("tokens",), collapse=True),
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
