"""Panels of training curves: mean over seeds as a line, one standard deviation as a band, the base dashed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from workflow_scripts.analysis.metrics import metric_label
from workflow_scripts.artefacts.literal import legend_label
from workflow_scripts.artefacts.style import BAND_ALPHA, BASE_COLOUR, RAW_ALPHA, Look, method_look
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP_LABEL = "optimiser step"


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
    return select_means(table, config, metrics)


def select_means(table: pd.DataFrame, config: Render, metrics: Sequence[str]) -> pd.DataFrame:
    """Return means over seeds, and the base, of the entry's policies on its question sets."""
    plotted = table[
        table["policy_role"].isin(config.entry.policies)
        & table["questions_role"].isin(config.entry.question_sets)
        & table["metric"].isin([*metrics, "not_run"])
        & ((table["seed"] == "mean") | table["seed"].isna())
    ]
    return plotted.reset_index(drop=True)


def draw_curves(
    axes: Axes, plotted: pd.DataFrame, config: Render, metric: str, *, markers: bool = True, base: bool = True
) -> None:
    """Draw one metric of every method of the entry; a method without rows is named as not run."""
    for position, method in enumerate(config.entry.methods):
        rows = plotted[(plotted["method"] == method) & (plotted["metric"] == metric)].sort_values("step")
        label = legend_label(config.method_labels.get(method, method))
        draw_or_name(axes, rows, method_look(method, position), label, markers=markers)
    if base:
        draw_base(axes, plotted, metric)
    shown = plotted[(plotted["metric"] == metric) & (plotted["method"].isin([*config.entry.methods, "base"]))]
    finish_panel(axes, is_empty=shown.empty)


def draw_or_name(axes: Axes, rows: pd.DataFrame, look: Look, label: str, *, markers: bool) -> None:
    """Draw one curve; without rows, name it as not run."""
    if rows.empty:
        axes.plot([], [], color=look.colour, linestyle=":", label=f"{label} (not run)")
    else:
        draw_line(axes, rows, look, label, markers=markers)


def draw_line(
    axes: Axes, rows: pd.DataFrame, look: Look, label: str, *, markers: bool = True, raw: bool = False
) -> None:
    """Draw the means of one curve with their band; `raw`: a faint line alone, without a label."""
    import seaborn

    steps, values = rows["step"].to_numpy(dtype=float), rows["value"].to_numpy(dtype=float)
    if raw:
        axes.plot(steps, values, color=look.colour, alpha=RAW_ALPHA, linewidth=0.6)
        return
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


def finish_panel(axes: Axes, *, is_empty: bool, most_ticks: int | None = None) -> None:
    """Name the steps below a panel, or say in it that nothing was run."""
    from matplotlib.ticker import MaxNLocator

    if is_empty:
        axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color=BASE_COLOUR)
        axes.set_xticks([])
        axes.set_yticks([])
    else:
        axes.xaxis.set_major_locator(MaxNLocator(most_ticks or "auto", integer=True, steps=[1, 2, 5, 10]))
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


def change(numbers: pd.DataFrame, metric: str, labels: Mapping[str, str], column: str = "method") -> str:
    """Return in words from where to where a curve's mean goes with each method; `not run` where none did.

    column: what tells the curves apart.
    """
    texts = []
    for name in dict.fromkeys(numbers[column]):
        rows = numbers[(numbers[column] == name) & (numbers["metric"] == metric)].sort_values("step")
        if name != "base" and len(rows):
            first, last = rows["value"].iloc[[0, -1]]
            texts.append(f"from {first:.2f} to {last:.2f} with {labels.get(name, name)}")
    return " and ".join(texts) or "not run"


def base_value(numbers: pd.DataFrame, metric: str) -> str:
    """Return the unadapted policy's value in words, with a space before it; empty where there is none."""
    rows = numbers[(numbers["method"] == "base") & (numbers["metric"] == metric)]
    return "" if rows.empty else f" (base {rows['value'].iloc[0]:.2f})"
