"""PROSE, Figure 2: TTRL on the same questions in two answer spaces, and what its rewards reward there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.analysis.letter_rows import OF_GOLD, OF_PASS
from workflow_scripts.analysis.recipes import LUCKY_HITS, MOVING_AVERAGE_STEPS
from workflow_scripts.artefacts.agreement_panel import (
    FORM_LOOKS,
    GAP,
    LUCKY_LOOKS,
    MISSED,
    RATE,
    STEP_ZERO,
    SUMMARY,
    WINDOWS,
    draw_summary,
    form_name,
    interval,
    number,
    of_role,
    summary_notes,
    window_metric,
    window_rows,
)
from workflow_scripts.artefacts.curves import (
    draw_line,
    finish_panel,
    select_means,
    set_share_limits,
    shown_metric,
)
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.style import BASE_COLOUR, FULL_WIDTH
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACCURACY = "avg@k"

STEP_PANELS = {
    "b": (GAP, "(b) protection gap", "reward −\nlabel accuracy"),
    "c": (RATE, "(c) protection rate", "P(reward right |\nlabel wrong)"),
    "d": ("majority_ratio", "(d) majority ratio", "share of the votes"),
    "e": ("answer_entropy", "(e) answer entropy", "nats"),
}
"""Panel -> metric of training, title, unit."""

ROWS = {"ab": 1.2, "cdef": 1.05, "gh": 0.85, "i": 1.35}
"""The panels of a row -> its relative height."""

NO_PROOF = (
    "it does not prove that few options are what makes majority votes fail elsewhere: a choice among options also adds "
    "lucky guesses and letters, and a step's gap is that of a few questions only"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    steps = [metric for metric, _, _ in STEP_PANELS.values()]
    plotted = select_means(
        table,
        config,
        [
            ACCURACY,
            *(
                f"train.{name}{suffix}"
                for name in (*steps, *LUCKY_HITS)
                for suffix in ("", "_moving_average")
            ),
            *(window_metric(name, window) for name in SUMMARY for window in WINDOWS),
            OF_PASS,
            OF_GOLD,
        ],
    )
    figure = Figure(figsize=(FULL_WIDTH, 7.3), layout="constrained")
    panels: dict[str, Axes] = {}
    grid = figure.add_gridspec(len(ROWS), 1, height_ratios=[*ROWS.values()])
    for position, names in enumerate(ROWS):
        row = grid[position].subgridspec(1, len(names))
        panels |= dict(zip(names, row.subplots(squeeze=False)[0], strict=True))
    _accuracy(panels["a"], plotted, config)
    for name, (metric, title, unit) in STEP_PANELS.items():
        _per_step(panels[name], plotted, config, metric)
        panels[name].set_title(title)
        panels[name].set_ylabel(unit)
    panels["b"].set_title(f"(b) protection gap (thick: {MOVING_AVERAGE_STEPS}-step average)")
    panels["b"].axhline(0, color=BASE_COLOUR, linewidth=0.7)
    _letters(panels["f"], plotted, config)
    for name, role in zip("gh", config.entry.question_sets, strict=False):
        _lucky_hits(
            panels[name], of_role(plotted, role), f"({name}) right rewards by reason, {form_name(role)}"
        )
    panels["h"].set_ylabel("")
    draw_summary(panels["i"], plotted, config)
    sizes = plotted.loc[plotted["metric"] == f"train.{GAP}", ["n", "k"]].dropna()
    notes = what_it_rests_on(plotted, config, ACCURACY, "(a) ")
    if not sizes.empty:
        n, k = sizes.iloc[0]
        notes.append(f"(b)–(h) {n} questions × {k} rollouts per step at T = {config.training_temperature:g}")
    if panels["f"].lines:
        notes.append("(f) letters of a whole pass over the questions; dotted: of the right answers")
    notes += summary_notes(plotted, config)
    finish(figure, config, [panels["a"]], notes)
    return figure, plotted


def _curve(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    found = rows[(rows["metric"] == metric) & (rows["method"] != "base") & rows["value"].notna()]
    return found.sort_values("step")


def _accuracy(axes: Axes, plotted: pd.DataFrame, config: Render) -> None:
    for role, look in zip(config.entry.question_sets, FORM_LOOKS, strict=False):
        rows = _curve(of_role(plotted, role), ACCURACY)
        if rows.empty:
            axes.plot([], [], color=look.colour, linestyle=":", label=f"{form_name(role)} (not run)")
        else:
            draw_line(axes, rows, look, form_name(role))
        base = plotted[
            (plotted["questions_role"] == role)
            & (plotted["method"] == "base")
            & (plotted["metric"] == ACCURACY)
        ]
        for value in base["value"]:
            axes.axhline(
                value,
                color=look.colour,
                linestyle=(0, (4, 2.5)),
                linewidth=1.0,
                label=f"base, {form_name(role)}",
            )
    axes.set_title(f"(a) {shown_metric(plotted, ACCURACY)}")
    axes.set_ylabel("share of samples correct")
    finish_panel(axes, is_empty=plotted[plotted["metric"] == ACCURACY].empty)
    set_share_limits([axes], plotted, [ACCURACY])


def _per_step(axes: Axes, plotted: pd.DataFrame, config: Render, metric: str) -> None:
    drawn = False
    for role, look in zip(config.entry.question_sets, FORM_LOOKS, strict=False):
        rows = of_role(plotted, role)
        smooth = _curve(rows, f"train.{metric}_moving_average")
        if smooth.empty:
            continue
        draw_line(axes, _curve(rows, f"train.{metric}"), look, "", raw=True)
        draw_line(axes, smooth, look, form_name(role), markers=False)
        drawn = True
    finish_panel(axes, is_empty=not drawn, most_ticks=4)


def _letters(axes: Axes, plotted: pd.DataFrame, config: Render) -> None:
    """Draw the most frequent letter's share in each pass; dotted, that among the right answers."""
    drawn = False
    for role, look in zip(config.entry.question_sets, FORM_LOOKS, strict=False):
        rows = of_role(plotted, role)
        curve = _curve(rows, OF_PASS)
        if curve.empty:
            continue
        draw_line(axes, curve, look, form_name(role))
        for value in rows.loc[rows["metric"] == OF_GOLD, "value"]:
            axes.axhline(value, color=look.colour, linewidth=1.0, linestyle=":")
        drawn = True
    axes.set_title("(f) letter balance")
    axes.set_ylabel("largest share")
    finish_panel(axes, is_empty=not drawn, most_ticks=4)


def _lucky_hits(axes: Axes, rows: pd.DataFrame, title: str) -> None:
    """Stack the three reasons for a right reward; they add up to 1 at every step."""
    curves = {name: _curve(rows, f"train.{name}_moving_average") for name in LUCKY_HITS}
    axes.set_title(title)
    axes.set_ylabel("share")
    is_empty = any(curve.empty for curve in curves.values())
    if not is_empty:
        steps = curves[LUCKY_HITS[0]]["step"].to_numpy(dtype=float)
        axes.stackplot(
            steps,
            [curve["value"].to_numpy(dtype=float) for curve in curves.values()],
            colors=[LUCKY_LOOKS[name][1] for name in curves],
            linewidth=0,
        )
        axes.set_xlim(steps[0], steps[-1])
        axes.set_ylim(0, 1)
    finish_panel(axes, is_empty=is_empty)


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    accuracy, gaps, lucky = [], [], []
    for role in dict.fromkeys(numbers["questions_role"]):
        curve = _curve(of_role(numbers, role), ACCURACY)["value"]
        if len(curve):
            accuracy.append(
                f"from {curve.iloc[0]:.2f} over a peak of {curve.max():.2f} to {curve.iloc[-1]:.2f} ({form_name(role)})"
            )
        gap, rate, missed = (window_rows(numbers, role, name) for name in (GAP, RATE, MISSED))
        if "run_mean" in gap:
            more = [_named(gap, STEP_ZERO, "step 0"), _named(gap, "last_tenth", "last tenth")]
            more.append(_named(rate, "run_mean", "rate"))
            gaps.append(_with_interval(gap["run_mean"]) + _aside(form_name(role), more))
        if "run_mean" in missed:
            more = [_named(missed, "last_tenth", "last tenth")]
            lucky.append(_with_interval(missed["run_mean"]) + _aside(form_name(role), more))
    found = []
    if accuracy:
        method = labels.get("ttrl", "ttrl")
        found.append(f"{shown_metric(numbers, ACCURACY)} with {method} going {' and '.join(accuracy)}")
    if gaps:
        found.append(f"the protection gap over the run being {' and '.join(gaps)}")
    if lucky:
        found.append(
            "the share of right rewards that only came about because a wrong answer missed a wrong label being "
            f"{' and '.join(lucky)}"
        )
    return found or ["the base alone"]


def _with_interval(row: pd.Series) -> str:
    return f"{number(row['value'])} {interval(row)}"


def _named(rows: Mapping[str, pd.Series], window: str, name: str) -> str:
    return f"{name} {_with_interval(rows[window])}" if window in rows else ""


def _aside(form: str, more: Sequence[str]) -> str:
    return f" ({'; '.join(text for text in [form, *more] if text)})"
