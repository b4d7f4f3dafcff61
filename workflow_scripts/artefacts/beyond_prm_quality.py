"""Beyond the papers: how good must a process reward model be for PROSE to gain?

Quality is the step AUC on held-out responses that are corrupted (foreign, repeated or swapped steps): a policy that is
rewarded leaves the reasoner's own way of writing, on which a model can be nearly perfect and still be exploited.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.artefacts.axis import (
    absent_note,
    along_axis,
    draw_points,
    draw_zero,
    points,
    say_if_empty,
    set_ticks,
    signed,
)
from workflow_scripts.artefacts.curves import shown_metric
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.style import FULL_WIDTH, GREEN, PURPLE, Look, method_look
from workflow_scripts.settings.evidence import Render

ACCURACY, GAIN = "avg@k", "gain.avg@k"
QUALITY = "prm_auc.corrupted"
AUCS = {
    "prm_auc.reasoner": ("held-out responses", Look(GREEN, "o")),
    QUALITY: ("held-out, corrupted", Look(GREEN, "s")),
    "step_auc": ("adapted policy's responses", Look(PURPLE, "^")),
}
"""Metric -> label and look."""

NO_PROOF = (
    "it does not give a threshold for real process reward models: the labels' errors are drawn at random over pairs of "
    "finding and condition, and those of a real model lie where its policy can find them"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    plotted = along_axis(table, config, (ACCURACY, GAIN, *AUCS))
    figure = Figure(figsize=(FULL_WIDTH, 2.9), layout="constrained")
    gain, quality = figure.subplots(1, 2)

    rows = gain_by_quality(plotted)
    draw_points(
        gain, rows.assign(x=rows["auc"]).sort_values("x"), method_look("prose", 0), "PROSE", line="none"
    )
    for position, (_, row) in enumerate(rows.iterrows()):
        above = position % 2 == 1  # in turn, as neighbours can stand close
        gain.annotate(
            f"{100 * row['x']:g} %",
            (row["auc"], row["high"] if above else row["low"]),
            xytext=(0, 3 if above else -3),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            fontsize=6.5,
        )
    draw_zero(gain)
    gain.margins(x=0.1, y=0.12)
    gain.set_xlabel("step AUC on held-out corrupted responses")
    gain.set_ylabel("PROSE − base")
    gain.set_title(f"(a) gain in {shown_metric(plotted, ACCURACY)}, by label noise")

    for metric, (label, look) in AUCS.items():
        found = points(plotted, metric)
        draw_points(quality, found, look, label, hollow=metric == "prm_auc.reasoner")
    quality.axhline(0.5, color="#999999", linewidth=0.8, linestyle=":")
    set_ticks(quality, config, percent=True)
    quality.set_ylabel("step AUC (0.5: guessing)")
    quality.set_title("(b) the process reward model")

    for panel in (gain, quality):
        say_if_empty(panel)
    notes = [*what_it_rests_on(plotted, config, ACCURACY, bars=True), *steps_note(plotted)]
    finish(figure, config, [quality], [*notes, *absent_note(plotted, config)])
    return figure, plotted


def gain_by_quality(plotted: pd.DataFrame) -> pd.DataFrame:
    """Return the gain of each method beside `auc`, that of its process reward model; those without one are left out."""
    auc = points(plotted, QUALITY).set_index("method")["value"]
    gains = plotted[
        (plotted["metric"] == GAIN) & plotted["value"].notna() & plotted["method"].isin(auc.index)
    ]
    return gains.assign(auc=gains["method"].map(auc)).sort_values("auc", ascending=False)


def steps_note(plotted: pd.DataFrame) -> list[str]:
    """Return a clause on how many held-out steps an AUC rests on; none where there is none."""
    n = plotted.loc[plotted["metric"] == QUALITY, "n"].dropna()
    return [f"(b) {int(n.min())} held-out steps in corrupted responses"] if len(n) else []


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots; the noise names the model."""
    rows = gain_by_quality(numbers)
    texts = [
        f"{signed(row)} with a step AUC of {row['auc']:.3f} ({100 * row['x']:g} % of pairs mislabelled)"
        for _, row in rows.iterrows()
    ]
    if not texts:
        return [f"no run of {labels.get('prose', 'prose')} with a process reward model whose AUC is known"]
    return [f"PROSE's gain in {shown_metric(numbers, ACCURACY)} being {', '.join(texts)}"]
