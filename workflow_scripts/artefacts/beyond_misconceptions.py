"""Beyond the papers: TTRL against the share of systematic misconceptions, where consensus turns from help to harm."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.artefacts.axis import (
    BASE_LOOK,
    absent_note,
    along_axis,
    axis_values,
    draw_points,
    draw_zero,
    points,
    say_if_empty,
    set_ticks,
    signed,
)
from workflow_scripts.artefacts.curves import shown_metric
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.style import FULL_WIDTH, SKY, Look, method_look
from workflow_scripts.settings.evidence import Render

METHOD = "ttrl"
METRICS = ("avg@k", "maj@k")

NO_PROOF = (
    "it does not say at which share a real model's consensus turns: the shares are settings of four invented worlds, "
    "whose policies also differ in how often they are right before training"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    gains = [f"gain.{metric}" for metric in METRICS]
    plotted = along_axis(table, config, (*METRICS, *gains))
    figure = Figure(figsize=(FULL_WIDTH, 2.85), layout="constrained")
    *levels, gain = figure.subplots(1, 3)
    look = method_look(METHOD, 0)
    apart = 0.006 * max(axis_values(config).values())

    for panel, metric, letter in zip(levels, METRICS, "ab", strict=True):
        draw_points(panel, points(plotted, metric, "base"), BASE_LOOK, "base", shift=-apart, line="--")
        draw_points(panel, points(plotted, metric, METHOD), look, "TTRL", shift=apart)
        panel.set_title(f"({letter}) {shown_metric(plotted, metric)}")
        panel.set_ylim(0, 1.02)
    levels[0].set_ylabel("share of samples correct")
    levels[1].set_ylabel("share of votes correct")

    for metric, gain_look, shift in zip(gains, (look, Look(SKY, "D")), (-apart, apart), strict=True):
        label = shown_metric(plotted, metric.removeprefix("gain."))
        draw_points(gain, points(plotted, metric, METHOD), gain_look, label, shift=shift)
    draw_zero(gain)
    if gain.containers:
        gain.legend(loc="best", fontsize=6.5)
    gain.set_title("(c) gain of TTRL")
    gain.set_ylabel("TTRL − base")

    for panel in (*levels, gain):
        set_ticks(panel, config, percent=True)
        say_if_empty(panel)
    notes = [*what_it_rests_on(plotted, config, "avg@k", bars=True), *absent_note(plotted, config)]
    finish(figure, config, [levels[0]], notes)
    return figure, plotted


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    found = []
    for metric in METRICS:
        rows = points(numbers, f"gain.{metric}", METHOD)
        texts = [f"{signed(row)} at {100 * row['x']:g} %" for _, row in rows.iterrows()]
        if texts:
            found.append(f"gain in {shown_metric(numbers, metric)} {', '.join(texts)}")
    if found:
        found[0] = f"{labels.get(METHOD, METHOD)}'s {found[0]} of findings with a systematic error"
    return found or ["no run of TTRL beside its base"]
