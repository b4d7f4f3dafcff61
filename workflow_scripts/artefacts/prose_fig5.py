"""PROSE, Figure 5: min against mean aggregation, accuracy beside the reward that training sees."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.analysis.recipes import MOVING_AVERAGE_STEPS
from workflow_scripts.artefacts.curves import (
    draw_curves,
    finish,
    select,
    set_share_limits,
    shown_metric,
    what_it_rests_on,
)
from workflow_scripts.artefacts.style import FULL_WIDTH, method_look
from workflow_scripts.settings.evidence import Render

ACCURACY = "avg@k"
RAW = "train.reward"
SMOOTH = "train.reward_moving_average"
STEP_AUC = "step_auc"

LABELS = {"prose": "min aggregation (PROSE)", "prose_mean": "mean aggregation"}
"""Here the methods differ in their aggregation alone, so that is what the legend says."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    config = config.model_copy(update={"method_labels": {**config.method_labels, **LABELS}})
    plotted = select(table, config, (ACCURACY, RAW, SMOOTH, STEP_AUC))
    figure = Figure(figsize=(FULL_WIDTH, 2.85), layout="constrained")
    accuracy, reward = figure.subplots(1, 2)

    draw_curves(accuracy, plotted, config, ACCURACY)
    accuracy.set_title(f"(a) {shown_metric(plotted, ACCURACY)}")
    accuracy.set_ylabel("share of samples correct")
    set_share_limits([accuracy], plotted, [ACCURACY])

    for position, method in enumerate(config.entry.methods):
        rows = plotted[(plotted["method"] == method) & (plotted["metric"] == RAW)].sort_values("step")
        reward.plot(
            rows["step"].to_numpy(dtype=float),
            rows["value"].to_numpy(dtype=float),
            color=method_look(method, position).colour,
            alpha=0.35,
            linewidth=0.6,
        )
    draw_curves(reward, plotted, config, SMOOTH, markers=False, base=False)
    reward.set_title(f"(b) PRM reward (thick: {MOVING_AVERAGE_STEPS}-step average)")
    reward.set_ylabel("mean reward of the rollouts")
    reward.set_ylim(0, 1.02)

    notes = what_it_rests_on(plotted, config, ACCURACY, "(a) ")
    finish(figure, config, accuracy, [*notes, *rollouts_per_step(plotted, config), *step_auc_note(plotted)])
    return figure, plotted


def rollouts_per_step(plotted: pd.DataFrame, config: Render) -> list[str]:
    """Return a clause on what one optimiser step of panel (b) rests on; none where nothing ran."""
    sizes = plotted.loc[plotted["metric"] == RAW, ["n", "k"]].dropna()
    if sizes.empty:
        return []
    n, k = sizes.iloc[0]
    return [f"(b) {n} questions × {k} rollouts per step at T = {config.training_temperature:g}"]


def step_aucs(plotted: pd.DataFrame) -> dict[str, float]:
    """Return the step AUC of the process reward model on the final responses, by the name of their policy."""
    rows = plotted[plotted["metric"] == STEP_AUC]
    values = zip(rows["method"].astype(str), rows["value"].astype(float), strict=True)
    return {LABELS.get(method, method): value for method, value in values}


def step_auc_note(plotted: pd.DataFrame) -> list[str]:
    """Return a clause for the footer; none where the truth of steps is not known."""
    texts = [f"{name} {value:.3f}" for name, value in step_aucs(plotted).items()]
    return [f"step AUC of the PRM at the end: {', '.join(texts)}"] if texts else []
