"""Panels of training curves: mean over seeds as a line, one standard deviation as a band, the base dashed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from workflow_scripts.analysis.metrics import metric_label
from workflow_scripts.artefacts.style import BAND_ALPHA, BASE_COLOUR, method_look
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEP_LABEL = "optimiser step"

FOOTER_CHARACTERS = 155
"""What fits the full width at 6 points."""

FOOTER_GAP = "  ·  "


def select(table: pd.DataFrame, config: Render, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the rows that a figure of one policy on one question set plots: means over seeds, and the base.

    Raises UserError where the entry asks for several policies or question sets.
    """
    entry = config.entry
    if len(entry.policies) > 1 or len(entry.question_sets) > 1:
        raise UserError(
            f"{config.artefact} shows one policy on one question set, but its entry in config/artefacts "
            f"names {len(entry.policies)} x {len(entry.question_sets)}. Name one of each."
        )
    plotted = table[
        (table["policy_role"] == entry.policies[0])
        & (table["questions_role"] == entry.question_sets[0])
        & table["metric"].isin([*metrics, "not_run"])
        & ((table["seed"] == "mean") | table["seed"].isna())
    ]
    return plotted.reset_index(drop=True)


def draw_curves(
    axes: Axes, plotted: pd.DataFrame, config: Render, metric: str, *, markers: bool = True, base: bool = True
) -> None:
    """Draw one metric of every method of the entry; a method without rows is named as not run."""
    import seaborn
    from matplotlib.ticker import MaxNLocator

    for position, method in enumerate(config.entry.methods):
        rows = plotted[(plotted["method"] == method) & (plotted["metric"] == metric)].sort_values("step")
        look = method_look(method, position)
        label = config.method_labels.get(method, method)
        if rows.empty:
            axes.plot([], [], color=look.colour, linestyle=":", label=f"{label} (not run)")
            continue
        steps, values = rows["step"].to_numpy(dtype=float), rows["value"].to_numpy(dtype=float)
        seaborn.lineplot(
            x=steps,
            y=values,
            ax=axes,
            color=look.colour,
            label=label,
            errorbar=None,
            legend=False,
            marker=look.marker if markers else None,
            markeredgecolor="white",
            markeredgewidth=0.4,
        )
        sd = rows["sd"].to_numpy(dtype=float)
        axes.fill_between(steps, values - sd, values + sd, color=look.colour, alpha=BAND_ALPHA, linewidth=0)
    if base:
        draw_base(axes, plotted, metric)
    shown = plotted[(plotted["metric"] == metric) & (plotted["method"].isin([*config.entry.methods, "base"]))]
    if shown.empty:
        axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color=BASE_COLOUR)
        axes.set_xticks([])
        axes.set_yticks([])
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(STEP_LABEL)


def draw_base(axes: Axes, plotted: pd.DataFrame, metric: str) -> None:
    """Draw the unadapted policy's value as a dashed line across the panel, where there is one."""
    rows = plotted[(plotted["method"] == "base") & (plotted["metric"] == metric)]
    if not rows.empty:
        axes.axhline(
            float(rows["value"].iloc[0]),
            color=BASE_COLOUR,
            linestyle=(0, (4, 2.5)),
            linewidth=1.1,
            label="base",
        )


def sampling_k(plotted: pd.DataFrame, metric: str) -> int | None:
    """Return the samples per question behind `metric`, or None where nothing ran."""
    k = plotted.loc[plotted["metric"] == metric, "k"].dropna()
    return int(k.iloc[0]) if len(k) else None


def shown_metric(plotted: pd.DataFrame, metric: str) -> str:
    """Return the metric's name with its k, e.g. `avg@16`."""
    return metric_label(metric, sampling_k(plotted, metric))


def set_share_limits(axes: Sequence[Axes], plotted: pd.DataFrame, metrics: Sequence[str]) -> None:
    """Give all `axes` one range, within 0 ... 1, that holds the bands and base lines of `metrics`."""
    rows = plotted[plotted["metric"].isin(metrics)]
    sd = rows["sd"].fillna(0)
    low, high = (rows["value"] - sd).min(), (rows["value"] + sd).max()
    if pd.isna(low):
        low, high = 0.0, 1.0
    margin = max(0.08 * (high - low), 0.02)
    for panel in axes:
        panel.set_ylim(max(low - margin, -0.02), min(high + margin, 1.02))


def what_it_rests_on(plotted: pd.DataFrame, config: Render, metric: str, panel: str = "") -> list[str]:
    """Return clauses on what a curve of `metric` in `panel` rests on: seeds; questions, samples, temperature."""
    rows = plotted[(plotted["metric"] == metric) & (plotted["seed"] == "mean")]
    if rows.empty:
        return ["nothing was run at this scale"]
    seeds = int(rows["n_seeds"].max())
    spread = f"mean of {seeds} training seeds, band ± 1 sd" if seeds > 1 else "1 training seed, so no band"
    n, k = int(rows["n"].iloc[0]), int(rows["k"].iloc[0])
    return [
        spread,
        f"{panel}n = {n} questions, k = {k} samples each at T = {config.evaluation_temperature:g}",
    ]


def finish(figure: Figure, config: Render, axes_of_legend: Axes, notes: Sequence[str]) -> None:
    """Put the shared legend above the panels, and below them what they rest on and the artefact's id."""
    handles, labels = axes_of_legend.get_legend_handles_labels()
    if labels:
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), handlelength=2.4)
    policy = config.policy_labels.get(config.entry.policies[0], f"no {config.entry.policies[0]}")
    questions = config.question_set_labels.get(
        config.entry.question_sets[0], f"no {config.entry.question_sets[0]}"
    )
    clauses = [f"{policy} on {questions} [{config.artefact}, scale {config.scale}]", *notes]
    figure.supxlabel(footer(clauses), fontsize=6, color=BASE_COLOUR)


def footer(clauses: Sequence[str]) -> str:
    """Return the clauses, set apart, on as many lines as they need; no clause is broken."""
    lines = [clauses[0]]
    for clause in clauses[1:]:
        longer = f"{lines[-1]}{FOOTER_GAP}{clause}"
        if len(longer) <= FOOTER_CHARACTERS:
            lines[-1] = longer
        else:
            lines.append(clause)
    return "\n".join(lines)
