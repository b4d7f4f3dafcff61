"""Figures that follow runs through training: validation accuracy, and what the optimiser steps looked like.

A line is a method, a training set or a policy: whichever of them the entry has several of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from string import ascii_lowercase
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.analysis.recipes import MOVING_AVERAGE_STEPS
from workflow_scripts.artefacts.curves import (
    change,
    draw_line,
    draw_or_name,
    finish_panel,
    set_share_limits,
    shown_metric,
)
from workflow_scripts.artefacts.footer import finish, what_it_rests_on
from workflow_scripts.artefacts.literal import legend_label, one_line
from workflow_scripts.artefacts.style import FULL_WIDTH, Look, method_look, place_look
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACCURACY = "avg@k"
STEP_LABEL = "step"
MOST_COLUMNS = 3
ROW_HEIGHT = 1.85


@dataclass(frozen=True)
class Panel:
    """One metric of metrics.jsonl over the steps; `share`: it lies between 0 and 1."""

    metric: str
    title: str
    unit: str
    share: bool = False

    @property
    def raw(self) -> str:
        """The name of the single steps in the tidy table."""
        return f"train.{self.metric}"

    @property
    def smooth(self) -> str:
        """The name of their moving average."""
        return f"{self.raw}_moving_average"


@dataclass(frozen=True)
class Line:
    """What one line of every panel shows: the rows whose `column` is `name`."""

    column: str
    name: str
    label: str
    look: Look

    def of(self, plotted: pd.DataFrame, metric: str) -> pd.DataFrame:
        """Return the line's rows of a metric, in order of the steps."""
        return plotted[(plotted[self.column] == self.name) & (plotted["metric"] == metric)].sort_values(
            "step"
        )


@dataclass
class TrainingFigure:
    """A figure module: a panel of accuracy per validation set, unless `validation` is false, then `panels`."""

    panels: Sequence[Panel]
    NO_PROOF: str
    validation: bool = True

    def draw(self, table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
        """Return the figure and the rows that it plots."""
        lines = list(lines_of(config))
        roles = self._roles(config)
        names = [name for panel in self.panels for name in (panel.raw, panel.smooth)]
        trained = table["metric"].isin([*names, "not_run"])
        watched = (table["metric"] == ACCURACY) & table["questions_role"].isin(roles)
        plotted = table[(trained | watched) & (table["seed"].isin(["mean"]) | table["seed"].isna())]
        plotted = plotted.reset_index(drop=True)

        n_panels = len(roles) + len(self.panels)
        columns = min(MOST_COLUMNS if n_panels != 4 else 2, n_panels)
        rows = ceil(n_panels / columns)
        figure = Figure(figsize=(FULL_WIDTH, ROW_HEIGHT * rows + 0.75), layout="constrained")
        all_axes = list(figure.subplots(rows, columns, squeeze=False).flat)
        for axes in all_axes[n_panels:]:
            axes.axis("off")
        for axes, role in zip(all_axes, roles, strict=False):
            of_role = plotted[plotted["questions_role"] == role]
            _draw_lines(axes, of_role, lines, ACCURACY, markers=True)
            axes.set_title(f"{shown_metric(of_role, ACCURACY)}, {one_line(config.question_set_labels[role])}")
            axes.set_ylabel("share of samples right")
        set_share_limits(all_axes[: len(roles)], plotted, [ACCURACY])
        for axes, panel in zip(all_axes[len(roles) :], self.panels, strict=False):
            for line in lines:
                draw_line(axes, line.of(plotted, panel.raw), line.look, "", raw=True)
            _draw_lines(axes, plotted, lines, panel.smooth, markers=False)
            axes.set_title(panel.title)
            axes.set_ylabel(panel.unit)
            if panel.share:
                axes.set_ylim(-0.02, 1.02)
        for letter, axes in zip(ascii_lowercase, all_axes[:n_panels], strict=False):
            axes.set_title(f"({letter}) {axes.get_title(loc='left')}", fontsize=7.5)
        finish(figure, config, all_axes[:1], self._notes(plotted, config, roles))
        return figure, plotted

    def _roles(self, config: Render) -> list[str]:
        watched = config.entry.validation if self.validation else []
        return [role for role in watched if role in config.question_set_labels]

    def clauses(self, numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
        """Return what the figure shows, in words, from the rows that it plots."""
        column = next((name for name in COLUMNS if len(set(numbers[name])) > 1), "method")
        found = []
        for role, of_role in numbers[numbers["metric"] == ACCURACY].groupby("questions_role", sort=False):
            metric = shown_metric(of_role, ACCURACY)
            found.append(f"{metric} on {role} going {change(of_role, ACCURACY, labels, column)}")
        for panel in self.panels:
            what = f"{panel.title} ({MOVING_AVERAGE_STEPS}-step average)"
            found.append(f"{what} {change(numbers, panel.smooth, labels, column)}")
        return found

    def _notes(self, plotted: pd.DataFrame, config: Render, roles: Sequence[str]) -> list[str]:
        first = len(roles)
        notes = []
        if roles:
            notes += what_it_rests_on(plotted, config, ACCURACY, f"{_letters(0, first)} ")
        sizes = plotted[plotted["metric"].isin([panel.raw for panel in self.panels])][["n", "k"]].dropna()
        if len(sizes):
            n, k = (_one_or_several(sizes[name]) for name in ("n", "k"))
            steps = f"{n} questions × {k} rollouts per step; thick: {MOVING_AVERAGE_STEPS}-step averages"
            notes.append(f"{_letters(first, first + len(self.panels))} {steps}")
        absent = [role for role in config.entry.validation if role not in roles] if self.validation else []
        return notes + ([f"not run: {', '.join(absent)}"] if absent else [])


COLUMNS = ("method", "adapted_on", "policy_role")


def lines_of(config: Render) -> Iterator[Line]:
    """Yield the entry's lines; raise UserError where it varies two things, which one line could not tell apart."""
    entry = config.entry
    varied = {
        "method": (entry.methods, config.method_labels),
        "adapted_on": (entry.question_sets, config.question_set_labels),
        "policy_role": (entry.policies, config.policy_labels),
    }
    several = [column for column, (names, _) in varied.items() if len(names) > 1]
    if len(several) > 1:
        raise UserError(
            f"{config.artefact} draws a line for each method, training set or policy, but its entry in "
            "config/artefacts names several of two kinds. Leave one of each but one kind."
        )
    column = several[0] if several else "method"
    names, labels = varied[column]
    for position, name in enumerate(names):
        look = method_look(name, position) if column == "method" else place_look(position)
        yield Line(column, name, labels.get(name, name), look)


def _draw_lines(
    axes: Axes, plotted: pd.DataFrame, lines: Sequence[Line], metric: str, *, markers: bool
) -> None:
    """Draw one metric of every line; a line without rows is named as not run."""
    for line in lines:
        rows = line.of(plotted, metric)
        draw_or_name(axes, rows, line.look, legend_label(line.label), markers=markers)
    finish_panel(axes, is_empty=not (plotted["metric"] == metric).any())
    axes.set_xlabel(STEP_LABEL)


def _one_or_several(values: pd.Series) -> str:
    *rest, last = (f"{value:g}" for value in sorted(set(values)))
    return f"{', '.join(rest)} or {last}" if rest else last


def _letters(start: int, end: int) -> str:
    """The letters of the panels from `start` to before `end`, e.g. `(a)–(c)`."""
    first, last = ascii_lowercase[start], ascii_lowercase[end - 1]
    return f"({first})" if first == last else f"({first})–({last})"
