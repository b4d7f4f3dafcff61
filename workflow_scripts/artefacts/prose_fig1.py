"""PROSE, Figure 1: accuracy and diversity of TTRL and PROSE over training."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.artefacts.curves import (
    base_value,
    change,
    draw_curves,
    select,
    set_share_limits,
    shown_metric,
)
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.style import FULL_WIDTH
from workflow_scripts.settings.evidence import Render

METRICS = ("avg@k", "maj@k", "distinct_responses")

NO_PROOF = (
    "it does not prove that majority voting fails on real medical questions, nor that process rewards help there: "
    "policy, questions and process reward model belong to this scale"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    plotted = select(table, config, METRICS)
    figure = Figure(figsize=(FULL_WIDTH, 2.65), layout="constrained")
    panels = figure.subplots(1, 3)
    titles = (
        f"(a) {shown_metric(plotted, 'avg@k')}",
        f"(b) {shown_metric(plotted, 'maj@k')}",
        "(c) diversity",
    )
    units = ("share of samples correct", "share of votes correct", "distinct responses / samples")
    for axes, metric, title, unit in zip(panels, METRICS, titles, units, strict=True):
        draw_curves(axes, plotted, config, metric)
        axes.set_title(title)
        axes.set_ylabel(unit)
    set_share_limits(panels[:2], plotted, METRICS[:2])
    panels[2].set_ylim(0, 1.02)
    finish(figure, config, panels[:1], what_it_rests_on(plotted, config, "avg@k"))
    return figure, plotted


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    average, majority = (
        f"{change(numbers, metric, labels)}{base_value(numbers, metric)}" for metric in METRICS[:2]
    )
    return [
        f"{shown_metric(numbers, 'avg@k')} going {average}",
        f"{shown_metric(numbers, 'maj@k')} {majority}",
        f"distinct responses {change(numbers, 'distinct_responses', labels)}",
    ]
