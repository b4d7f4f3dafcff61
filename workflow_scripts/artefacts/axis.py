"""Figures over an entry's axis: one setting is varied, each value is a point with an interval over questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from workflow_scripts.artefacts.curves import select_means
from workflow_scripts.artefacts.literal import one_line
from workflow_scripts.artefacts.style import BASE_COLOUR, Look
from workflow_scripts.errors import UserError
from workflow_scripts.settings.claims import MINUS
from workflow_scripts.settings.evidence import Axis, Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMN_OF = {"policies": "policy_role", "question_sets": "questions_role", "methods": "method"}
"""What an axis varies -> the column of the tidy table that names it."""

BASE_LOOK = Look(BASE_COLOUR, "D")


def axis_of(config: Render) -> Axis:
    """Return the entry's axis; raise UserError where it has none."""
    if config.entry.axis is None:
        raise UserError(
            f"{config.artefact} is drawn over an axis, but its entry in config/artefacts has none."
        )
    return config.entry.axis


def axis_values(config: Render) -> dict[str, float]:
    """Return role or method -> the number that it stands for."""
    return axis_of(config).at


def along_axis(table: pd.DataFrame, config: Render, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the rows of `metrics` that the figure plots: means over seeds, and the base.

    The column `x` is the axis value; it is empty for the base of an axis over methods, which belongs to all of them.
    """
    axis = axis_of(config)
    plotted = select_means(table, config, metrics)
    plotted = plotted[plotted["method"].isin([*config.entry.methods, "base"])]
    plotted = plotted.assign(x=plotted[COLUMN_OF[axis.over]].map(axis_values(config)).astype(float))
    return plotted.sort_values("x", kind="stable").reset_index(drop=True)


def points(plotted: pd.DataFrame, metric: str, method: str | None = None) -> pd.DataFrame:
    """Return the rows of one line (`method` None: of all), in order of the axis; those without a value are left out."""
    rows = plotted[(plotted["metric"] == metric) & ((plotted["method"] == method) | (method is None))]
    return rows[rows["value"].notna() & rows["x"].notna()].sort_values("x")


def draw_points(
    axes: Axes,
    rows: pd.DataFrame,
    look: Look,
    label: str,
    *,
    shift: float = 0.0,
    line: str = "-",
    hollow: bool = False,
) -> None:
    """Draw a line through `rows` at their `x`, bars from low to high where they have them.

    shift: of all points along a linear axis, so that the bars of two lines do not cover each other.
    """
    if rows.empty:
        return
    x = rows["x"].to_numpy(dtype=float) + shift
    value = rows["value"].to_numpy(dtype=float)
    low, high = (rows[bound].to_numpy(dtype=float) for bound in ("low", "high"))
    axes.errorbar(
        x,
        value,
        yerr=None if pd.isna(low).all() else [np.maximum(0, value - low), np.maximum(0, high - value)],
        color=look.colour,
        marker=look.marker,
        markerfacecolor="white" if hollow else look.colour,
        markeredgecolor=look.colour if hollow else "white",
        markeredgewidth=0.9 if hollow else 0.4,
        linestyle=line,
        linewidth=1.3,
        elinewidth=0.9,
        capsize=2,
        label=label,
    )


def draw_zero(axes: Axes) -> None:
    """Draw the line between a gain and a loss."""
    axes.axhline(0, color=BASE_COLOUR, linewidth=0.8, linestyle=(0, (4, 2.5)))


def set_ticks(axes: Axes, config: Render, *, log: bool = False, percent: bool = False) -> None:
    """Put a tick at every value of the axis, run or not, and its name below."""
    values = sorted(set(axis_values(config).values()))
    if log:
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xlim(values[0] / 1.35, values[-1] * 1.35)
    else:
        margin = 0.1 * (values[-1] - values[0] or 1.0)  # a single place stands in the middle
        axes.set_xlim(values[0] - margin, values[-1] + margin)
    axes.set_xticks(values, labels=[f"{100 * value:g} %" if percent else f"{value:g}" for value in values])
    axes.set_xlabel(one_line(axis_of(config).label))


def say_if_empty(axes: Axes) -> None:
    """Write `not run` into a panel that shows no point."""
    if not axes.containers:
        axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color=BASE_COLOUR)


def absent_note(plotted: pd.DataFrame, config: Render) -> list[str]:
    """Return a clause on the roles or methods of the axis of which a part was not run; none where all were.

    None either where nothing was: the other notes say so.
    """
    if not plotted["value"].notna().any():
        return []
    absent = set(plotted.loc[plotted["metric"] == "not_run", COLUMN_OF[axis_of(config).over]])
    return [f"not run: {', '.join(name for name in axis_values(config) if name in absent)}"] if absent else []


def signed(row: pd.Series) -> str:
    """Return a gain with its interval, e.g. `+0.12 [+0.05, +0.19]`."""
    text = f"{row['value']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]"
    return text.replace("-", MINUS)
