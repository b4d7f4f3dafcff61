"""PROSE, Figure 5: min against mean aggregation, accuracy beside the reward that training sees."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.analysis.recipes import MOVING_AVERAGE_STEPS
from workflow_scripts.artefacts.curves import (
    base_value,
    change,
    draw_curves,
    draw_line,
    select,
    set_share_limits,
    shown_metric,
)
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.style import FULL_WIDTH, method_look
from workflow_scripts.settings.evidence import Render

ACCURACY = "avg@k"
RAW = "train.reward"
SMOOTH = "train.reward_moving_average"
STEP_AUC = "step_auc"

LABELS = {"prose": "min aggregation (PROSE)", "prose_mean": "mean aggregation"}
"""Here the methods differ in their aggregation alone, so that is what the legend says."""

NO_PROOF = (
    "it does not prove that the minimum cannot be exploited, nor that the mean always is: "
    "that depends on what this process reward model was trained on"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    config = config.model_copy(update={"method_labels": {**config.method_labels, **LABELS}})
    plotted = select(table, config, (ACCURACY, RAW, SMOOTH, STEP_AUC))
    figure = Figure(figsize=(FULL_WIDTH, 2.95), layout="constrained")
    accuracy, reward = figure.subplots(1, 2)

    draw_curves(accuracy, plotted, config, ACCURACY)
    accuracy.set_title(f"(a) {shown_metric(plotted, ACCURACY)}")
    accuracy.set_ylabel("share of samples correct")
    set_share_limits([accuracy], plotted, [ACCURACY])

    for position, method in enumerate(config.entry.methods):
        rows = plotted[(plotted["method"] == method) & (plotted["metric"] == RAW)].sort_values("step")
        draw_line(reward, rows, method_look(method, position), method, raw=True)
    draw_curves(reward, plotted, config, SMOOTH, markers=False, base=False)
    reward.set_title(f"(b) PRM reward (thick: {MOVING_AVERAGE_STEPS}-step average)")
    reward.set_ylabel("mean reward of the rollouts")
    reward.set_ylim(0, 1.02)

    notes = what_it_rests_on(plotted, config, ACCURACY, "(a) ")
    finish(figure, config, [accuracy], [*notes, *rollouts_per_step(plotted, config), *step_auc_note(plotted)])
    return figure, plotted


def rollouts_per_step(plotted: pd.DataFrame, config: Render) -> list[str]:
    """Return a clause on what one optimiser step of panel (b) rests on; none where nothing ran."""
    sizes = plotted.loc[plotted["metric"] == RAW, ["n", "k"]].dropna()
    if sizes.empty:
        return []
    n, k = sizes.iloc[0]
    return [f"(b) {n} questions × {k} rollouts per step at T = {config.training_temperature:g}"]


def step_aucs(plotted: pd.DataFrame) -> pd.DataFrame:
    """Return the step AUC of the process reward model on the final responses: `value`, `n` steps, `policy`."""
    rows = plotted[plotted["metric"] == STEP_AUC]
    return rows.assign(policy=rows["method"].map(lambda method: LABELS.get(method, method)))


def step_auc_note(plotted: pd.DataFrame) -> list[str]:
    """Return a clause for the footer; none where the truth of steps is not known."""
    rows = step_aucs(plotted)
    texts = [f"{row['policy']} {row['value']:.3f} ({row['n']} steps)" for _, row in rows.iterrows()]
    return [f"step AUC of the PRM on the final responses: {', '.join(texts)}"] if texts else []


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    labels = {**labels, **LABELS}
    accuracy = f"{change(numbers, ACCURACY, labels)}{base_value(numbers, ACCURACY)}"
    found = [
        f"{shown_metric(numbers, ACCURACY)} going {accuracy}",
        f"the reward ({MOVING_AVERAGE_STEPS}-step average) {change(numbers, SMOOTH, labels)}",
    ]
    aucs = ", ".join(f"{row['value']:.2f} for {row['policy']}" for _, row in step_aucs(numbers).iterrows())
    if aucs:
        found.append(f"on the steps of the final responses, the process reward model's AUC is {aucs}")
    return found
