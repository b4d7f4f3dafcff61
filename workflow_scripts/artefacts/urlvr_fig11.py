"""URLVR, Figure 11: does the step at which the majority reward collapses rank policies as training on the truth does?

A point is a policy. A policy that did not collapse stands right of the last step, in an order of its own: later than
all others, and equal to those of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.analysis.collapse import NEVER, RankAgreement, rank_agreement
from workflow_scripts.analysis.collapse_rows import collapse_name
from workflow_scripts.artefacts.curves import shown_metric
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.literal import legend_label
from workflow_scripts.artefacts.style import BASE_COLOUR, BLUE, FULL_WIDTH, ORANGE, place_look
from workflow_scripts.settings.claims import MINUS
from workflow_scripts.settings.evidence import Render
from workflow_scripts.settings.training import COLLAPSE_THRESHOLDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAJORITY, TRUTH = "ttrl_mini_batches_prompts", "oracle"
GAIN, ACCURACY, PASS_GAIN = "gain.avg@k", "avg@k", "pass_gain@k"
TOLD = (0.01, 0.04, 0.10)
"""The thresholds that the sentence about the figure gives."""

NO_PROOF = (
    "it does not prove that the order holds for others: so few policies hardly tell a correlation from chance"
)
"""The limit of the figure."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots."""
    names = [GAIN, ACCURACY, PASS_GAIN, "train.steps", *map(collapse_name, COLLAPSE_THRESHOLDS), "not_run"]
    plotted = table[table["metric"].isin(names) & ((table["seed"] == "mean") | table["seed"].isna())]
    plotted = plotted.reset_index(drop=True)
    values = by_policy(plotted, config.entry.policies)
    figure = Figure(figsize=(FULL_WIDTH, 4.6), layout="constrained")
    (by_collapse, by_final), (by_pass, over_thresholds) = figure.subplots(2, 2)
    step = collapse_name(config.collapse_threshold)
    gain_label = "gain by training on truth"
    _scatter(by_collapse, values, config, step, GAIN, "(a) collapse and gain")
    _scatter(by_final, values, config, step, "final", "(b) collapse and accuracy")
    _scatter(by_pass, values, config, PASS_GAIN, GAIN, "(c) pass@k gain and gain")
    for axes in (by_collapse, by_final):
        axes.set_xlabel(f"step at which reward accuracy falls below {100 * config.collapse_threshold:g} %")
    k = plotted.loc[plotted["metric"] == PASS_GAIN, "k"].max()
    by_pass.set_xlabel(f"pass@{k if pd.notna(k) else 'k'} {MINUS} pass@1 before training")
    for axes in (by_collapse, by_pass):
        axes.set_ylabel(gain_label)
    by_final.set_ylabel("accuracy after it")
    _draw_thresholds(over_thresholds, values)
    notes = what_it_rests_on(plotted, config, GAIN, "gain: ", bars=True)
    notes.append("p: one-sided, exact")
    finish(figure, config, [by_collapse], notes)
    return figure, plotted


def by_policy(plotted: pd.DataFrame, policies: list[str]) -> pd.DataFrame:
    """Return one row per policy role: gain and final accuracy with the truth, pass@k gain, collapse steps.

    A collapse step is `NEVER` where the run was not seen to collapse, and NaN where there is none.
    """
    rows = []
    for policy in policies:
        of_policy = plotted[plotted["policy_role"] == policy]
        truth = of_policy[of_policy["method"] == TRUTH]
        base = of_policy[of_policy["method"] == "base"]
        row = {"policy": policy, GAIN: _value(truth, GAIN), PASS_GAIN: _value(base, PASS_GAIN)}
        for bound in ("low", "high"):
            row[bound] = _value(truth, GAIN, bound)
        after = truth[truth["metric"] == ACCURACY].sort_values("step")
        row["final"] = after["value"].iloc[-1] if len(after) else np.nan
        collapsed = of_policy[(of_policy["method"] == MAJORITY) & (of_policy["metric"] != "not_run")]
        for name in map(collapse_name, COLLAPSE_THRESHOLDS):
            step = _value(collapsed, name)
            row[name] = NEVER if np.isnan(step) and len(collapsed) else step
        row["steps"] = _value(collapsed, "train.steps")
        rows.append(row)
    return pd.DataFrame(rows)


def _value(rows: pd.DataFrame, metric: str, column: str = "value") -> float:
    found = rows.loc[rows["metric"] == metric, column]
    return float(found.iloc[-1]) if len(found) else float("nan")


def agreement(values: pd.DataFrame, first: str, second: str) -> RankAgreement | None:
    """Return how two measures rank the policies that have both; None for fewer than three."""
    known = values[values[first].notna() & values[second].notna()]
    return rank_agreement(known[first].tolist(), known[second].tolist()) if len(known) > 2 else None


def agreement_text(found: RankAgreement | None) -> str:
    """Return Spearman's rho with its exact one-sided p, e.g. `ρ = 0.79, p = 0.024`."""
    if found is None:
        return "ρ not defined"
    p = f"p = {found.p:.3f}" if found.p >= 0.0005 else "p < 0.001"
    return f"ρ = {found.rho:.2f}, {p}".replace("-", MINUS)


def _scatter(axes: Axes, values: pd.DataFrame, config: Render, x: str, y: str, title: str) -> None:
    last = values["steps"].max()
    for position, row in values.iterrows():
        look = place_look(int(str(position)))
        label = legend_label(config.policy_labels.get(row["policy"], row["policy"]))
        if np.isnan(row[x]) or np.isnan(row[y]):
            axes.plot([], [], look.marker, color=look.colour, label=f"{label} (not run)")
            continue
        never = row[x] == NEVER
        place = 1.08 * last if never else row[x]
        bars = [[row[y] - row["low"]], [row["high"] - row[y]]] if y == GAIN else None
        axes.errorbar(
            *([place], [row[y]], bars),
            fmt=look.marker,
            color=look.colour,
            markerfacecolor="white" if never else look.colour,
            markersize=5,
            elinewidth=0.8,
            capsize=2,
            label=label,
        )
    if (values[x] == NEVER).any():
        axes.axvline(1.04 * last, color=BASE_COLOUR, linewidth=0.6, linestyle=":")
        axes.text(
            *(1.08 * last, 0.02, "not collapsed"),
            transform=axes.get_xaxis_transform(),
            fontsize=5.5,
            color=BASE_COLOUR,
            rotation=90,
            ha="center",
            va="bottom",
        )
    axes.set_title(f"{title}: {agreement_text(agreement(values, x, y))}", fontsize=7.5)


def _draw_thresholds(axes: Axes, values: pd.DataFrame) -> None:
    for target, colour, marker, label in (
        (GAIN, BLUE, "o", "with the gain"),
        ("final", ORANGE, "s", "with the accuracy after it"),
    ):
        found = [agreement(values, collapse_name(threshold), target) for threshold in COLLAPSE_THRESHOLDS]
        pairs = [(100 * t, a.rho) for t, a in zip(COLLAPSE_THRESHOLDS, found, strict=True) if a is not None]
        if pairs:
            axes.plot(*zip(*pairs, strict=True), color=colour, marker=marker, label=label)
    axes.axhline(0, color=BASE_COLOUR, linewidth=0.6, linestyle=":")
    axes.set_ylim(-1.05, 1.05)
    axes.set_title("(d) rank correlation by threshold", fontsize=7.5)
    axes.set_xlabel("threshold of reward accuracy (%)")
    axes.set_ylabel("Spearman's ρ")
    if axes.lines[:-1]:
        axes.legend(loc="lower right", fontsize=6.5)


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    values = by_policy(numbers, list(dict.fromkeys(numbers["policy_role"])))
    found = [
        f"the collapse step at {100 * threshold:g} % and the gain by training on the truth: "
        f"{agreement_text(agreement(values, collapse_name(threshold), GAIN))}"
        for threshold in TOLD
    ]
    return [
        *found,
        f"{shown_metric(numbers, PASS_GAIN).replace('_', ' ')} and the gain: "
        f"{agreement_text(agreement(values, PASS_GAIN, GAIN))}",
    ]
