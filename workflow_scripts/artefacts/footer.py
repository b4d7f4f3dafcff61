"""Around the panels of a figure: the shared legend above, and below what they rest on and the artefact's id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from workflow_scripts.artefacts.literal import one_line
from workflow_scripts.artefacts.style import BASE_COLOUR
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CHARACTERS = 155
"""What fits the full width at 6 points."""

GAP = "  ·  "

MOST_COLUMNS = 4
"""Of a legend."""


def what_it_rests_on(
    plotted: pd.DataFrame, config: Render, metric: str, panel: str = "", *, bars: bool = False
) -> list[str]:
    """Return clauses on seeds and spread, questions, samples and temperature behind `metric` in `panel`.

    bars: the spread shown is the interval over questions, not a band of the seeds' standard deviation.
    """
    rows = plotted[(plotted["metric"] == metric) & (plotted["seed"] == "mean")]
    if rows.empty:
        return ["nothing was run at this scale"]
    seeds = int(rows["n_seeds"].max())
    trained = f"mean of {seeds} training seeds" if seeds > 1 else "1 training seed"
    band = ", band ± 1 sd" if seeds > 1 else ", so no band"
    n, k = int(rows["n"].iloc[0]), int(rows["k"].iloc[0])
    return [
        trained + (f"; bars: {100 * config.confidence:g} % intervals over questions" if bars else band),
        f"{panel}n = {n} questions, k = {k} samples each at T = {config.evaluation_temperature:g}",
    ]


def finish(figure: Figure, config: Render, panels: Sequence[Axes], notes: Sequence[str]) -> None:
    """Put the legend that `panels` share above them; below, the policy, the questions, the id, and the notes."""
    handles = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if handles:
        columns = min(len(handles), MOST_COLUMNS)
        # A legend is filled column by column, and read row by row.
        labels = [label for column in range(columns) for label in list(handles)[column::columns]]
        figure.legend(
            [handles[label] for label in labels],
            labels,
            loc="outside upper center",
            ncols=columns,
            handlelength=2.4,
        )
    policies = _names(config.entry.policies, config.policy_labels)
    questions = _names(config.entry.question_sets, config.question_set_labels)
    clauses = [f"{policies} on {questions} [{config.artefact}, scale {config.scale}]", *notes]
    write_footer(figure, clauses)


def write_footer(figure: Figure, clauses: Sequence[str]) -> None:
    """Write the clauses below the panels."""
    figure.supxlabel(footer([one_line(clause) for clause in clauses]), fontsize=6, color=BASE_COLOUR)


def footer(clauses: Sequence[str]) -> str:
    """Return the clauses, set apart, on as many lines as they need; no clause is broken."""
    lines = [clauses[0]]
    for clause in clauses[1:]:
        longer = f"{lines[-1]}{GAP}{clause}"
        if len(longer) <= CHARACTERS:
            lines[-1] = longer
        else:
            lines.append(clause)
    return "\n".join(lines)


def _names(roles: Sequence[str], labels: Mapping[str, str]) -> str:
    """Return one name or two, also of roles that are not filled; of more roles the first name and how many more."""
    if len(roles) <= 2:
        return " and ".join(labels.get(role, f"no {role}") for role in roles)
    first, *others = [labels[role] for role in roles if role in labels] or [f"no {roles[0]}"]
    return f"{first} and {len(others)} more" if others else first
