"""Beyond the papers: TTRL where nothing changes but how many different answers there are.

The questions, the policy and its responses are the same; answers are compared only modulo m in vote, reward and score.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
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
from workflow_scripts.artefacts.style import BLACK, FULL_WIDTH, GREEN, SKY, Look, method_look
from workflow_scripts.settings.evidence import Render

METHOD = "ttrl"
ACCURACY, GAIN = "avg@k", "gain.avg@k"
COLLISION = "wrong_collision"
STEP_ZERO_GAP = "protection_gap"
GAPS = {
    "train.protection_gap_run_mean": ("protection gap, run mean", Look(GREEN, "s"), False),
    "train.protection_gap_first_pass": ("gap, first pass", Look(GREEN, "s"), True),
    STEP_ZERO_GAP: ("gap, step 0", Look(SKY, "v"), False),
}
"""Metric -> label, look, hollow. At step 0 it is that of the base's samples."""

NO_PROOF = (
    "it does not prove that real benchmarks with few options behave so: comparing answers modulo m also makes a lucky "
    "guess likelier, so base and gain are to be read together, and this is one policy in one world with one seed"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    plotted = along_axis(table, config, (ACCURACY, GAIN, COLLISION, *GAPS))
    figure = Figure(figsize=(FULL_WIDTH, 2.9), layout="constrained")
    accuracy, gain, pairs = figure.subplots(1, 3)
    look = method_look(METHOD, 0)

    draw_points(accuracy, points(plotted, ACCURACY, "base"), BASE_LOOK, "base", line="--")
    draw_points(accuracy, points(plotted, ACCURACY, METHOD), look, "TTRL")
    accuracy.set_title(f"(a) {shown_metric(plotted, ACCURACY)}")
    accuracy.set_ylabel("share of samples correct")

    draw_points(gain, points(plotted, GAIN, METHOD), look, "TTRL")
    draw_zero(gain)
    gain.set_title(f"(b) gain in {shown_metric(plotted, ACCURACY)}")
    gain.set_ylabel("TTRL − base")

    draw_points(pairs, points(plotted, COLLISION, "base"), Look(BLACK, "o"), "two wrong base samples agree")
    for metric, (label, gap_look, hollow) in GAPS.items():
        method = "base" if metric == STEP_ZERO_GAP else METHOD
        draw_points(pairs, points(plotted, metric, method), gap_look, label, hollow=hollow, line=":")
    pairs.set_title("(c) collisions and gap")
    pairs.set_ylabel("probability, or gap")
    draw_zero(pairs)

    for panel in (accuracy, gain, pairs):
        set_ticks(panel, config, log=True)
        say_if_empty(panel)
    draw_chance(accuracy, pairs, config)
    accuracy.set_ylim(0, 1.02)
    notes = [*what_it_rests_on(plotted, config, ACCURACY, bars=True), *panel_c_notes(plotted, config)]
    finish(figure, config, [accuracy, pairs], [*notes, *absent_note(plotted, config)])
    return figure, plotted


def draw_chance(accuracy: Axes, pairs: Axes, config: Render) -> None:
    """Draw what uniform guesses would give: right in 1 of m, and two wrong ones equal in 1 of m - 1."""
    values = axis_values(config).values()
    m = np.geomspace(min(values), max(values), 100)
    for panel, chance in ((accuracy, 1 / m), (pairs, 1 / (m - 1))):
        panel.plot(
            m, chance, color="#999999", linewidth=0.8, linestyle=":", label="uniform guesses", zorder=1
        )


def panel_c_notes(plotted: pd.DataFrame, config: Render) -> list[str]:
    """Return clauses on what panel (c) rests on; none where nothing ran."""
    clauses = []
    pairs = plotted[plotted["metric"] == COLLISION]
    if not pairs.empty:
        fewest, most = int(pairs["n"].min()), int(pairs["n"].max())
        shown = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        clauses.append(f"(c) collisions: n = {shown} questions with two wrong samples")
    run = plotted.loc[plotted["metric"] == "train.protection_gap_run_mean", ["n", "k"]].dropna()
    if not run.empty:
        sizes = f"n = {run['n'].min()} questions, k = {run['k'].min()} rollouts each or more"
        clauses.append(f"gap, run mean: {sizes} at T = {config.training_temperature:g}")
    return clauses


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    gains = points(numbers, GAIN, METHOD)
    texts = [f"{signed(row)} with {row['x']:g} answers" for _, row in gains.iterrows()]
    name = f"{labels.get(METHOD, METHOD)}'s gain in {shown_metric(numbers, ACCURACY)}"
    found = [f"{name} being {', '.join(texts)}" if texts else f"no {name}"]
    for method, metric, what in (
        ("base", COLLISION, "two wrong base samples agreeing with probability"),
        (METHOD, "train.protection_gap_run_mean", "the mean protection gap being"),
    ):
        rows = points(numbers, metric, method)
        if not rows.empty:
            found.append(f"{what} {', '.join(f'{value:.2f}' for value in rows['value'])}")
    return found
