"""PROSE, Figure 4: an adapted policy, frozen, on question sets that it was not adapted on."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.artefacts.curves import shown_metric
from workflow_scripts.artefacts.footer import write_footer
from workflow_scripts.artefacts.literal import legend_label, one_line
from workflow_scripts.artefacts.paper_numbers import printed_name, stands_for
from workflow_scripts.artefacts.style import BASE_COLOUR, FULL_WIDTH, method_look
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

ACCURACY = "avg@k"

REMARKS = {
    "medqa_4op": "same questions as the\nadaptation set, one\noption less",
    "unseen": "not in the paper:\nnew patients",
}
"""Question set role -> what to know of it; that MedQA's two forms ask the same is so by their construction."""

SHORT_REMARKS = {"medqa_4op": "the same questions", "unseen": "new patients"}
"""The same for a sentence."""

NO_PROOF = (
    "it does not prove that reasoning carries over to another domain: all of these sets are of one field, and a set "
    "marked as asking the same questions is no test of transfer"
)
"""The limit of the figure."""

SEED_MARK: dict[str, Any] = {
    "markersize": 2.4,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "markeredgewidth": 0.5,
}

WIDTH = 0.24
"""Of a bar, where 1 is the distance between two question sets."""


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the figure and the rows that it plots; `question_set` names the set of this scale."""
    adapted_on = config.entry.question_sets[0]
    roles = [adapted_on, *config.entry.transfer]
    plotted = table[
        (table["policy_role"] == config.entry.policies[0])
        & table["questions_role"].isin(roles)
        & (table["adapted_on"].isna() | (table["adapted_on"] == adapted_on))
        & table["metric"].isin([ACCURACY, "not_run"])
    ].reset_index(drop=True)
    names = {role: config.question_set_labels.get(role, role) for role in roles}
    plotted = plotted.assign(question_set=plotted["questions_role"].map(names))
    figure = Figure(figsize=(FULL_WIDTH, 3.1), layout="constrained")
    axes = figure.subplots()
    keys = _bars(axes, plotted, config, roles)
    axes.set_xticks(range(len(roles)), [_set_label(role, adapted_on, config) for role in roles])
    axes.axvline(0.5, color=BASE_COLOUR, linewidth=0.7, linestyle=":")
    axes.set_xlim(-0.5, len(roles) - 0.5)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel(f"{shown_metric(plotted, ACCURACY)} (share of samples correct)")
    figure.legend(handles=keys, loc="outside upper center", ncols=4)
    write_footer(figure, _notes(plotted, config))
    return figure, plotted


def _bars(axes: Axes, plotted: pd.DataFrame, config: Render, roles: list[str]) -> list[Patch]:
    """Means over seeds with their interval over questions, each seed as a small mark; returns the key."""
    from matplotlib.patches import Patch

    methods = ["base", *config.entry.methods]
    labels = {"base": "base", **config.method_labels}
    keys, highest = [], 0.0
    for position, method in enumerate(methods):
        rows = plotted[(plotted["method"] == method) & (plotted["metric"] == ACCURACY)]
        look = method_look(method, position)
        colour = "#B3B3B3" if method == "base" else look.colour
        name = legend_label(labels.get(method, method))
        keys.append(Patch(color=colour, label=name if len(rows) else f"{name} (not run)"))
        for place, role in enumerate(roles):
            here = rows[rows["questions_role"] == role]
            x = place + (position - (len(methods) - 1) / 2) * WIDTH
            if here.empty:
                axes.text(
                    x, 0.02, "not run", rotation=90, ha="center", va="bottom", fontsize=6.5, color=BASE_COLOUR
                )
                continue
            mean = here[(here["seed"] == "mean") | here["seed"].isna()].iloc[0]
            seeds = here[here["seed"].notna() & (here["seed"] != "mean")]["value"]
            axes.bar(x, mean["value"], width=WIDTH * 0.92, color=colour)
            axes.vlines(x, mean["low"], mean["high"], color="black", linewidth=1.0)
            if len(seeds) > 1:
                axes.plot([x + 0.06] * len(seeds), seeds, "o", **SEED_MARK)
            top = max([mean["high"], *seeds])
            axes.text(x, top + 0.014, f"{mean['value']:.2f}", ha="center", va="bottom", fontsize=6.5)
            highest = max(highest, top)
    axes.set_ylim(0, min(highest + 0.1, 1.08) if highest else 1.0)
    return keys


def _set_label(role: str, adapted_on: str, config: Render) -> str:
    """The set's own name, what it stands for, and what to know of it."""
    own = config.question_set_labels.get(role, role)
    lines = textwrap.wrap(one_line(printed_name(role, own)), 18)
    paper_name = stands_for(role, own)
    if paper_name:
        lines.append(f"stands for {paper_name}")
    if role == adapted_on or role in REMARKS:
        lines.append(f"({'adapted on' if role == adapted_on else REMARKS[role]})")
    return "\n".join(lines)


def _notes(plotted: pd.DataFrame, config: Render) -> list[str]:
    policy = config.policy_labels.get(config.entry.policies[0], f"no {config.entry.policies[0]}")
    role = config.entry.question_sets[0]
    clauses = [
        f"{policy}, adapted on {config.question_set_labels.get(role, f'no {role}')}, then frozen "
        f"[{config.artefact}, scale {config.scale}]"
    ]
    done = plotted[plotted["metric"] == ACCURACY]
    if done.empty:
        return [*clauses, "nothing was run at this scale"]
    n, k = (" or ".join(map(str, sorted(done[column].dropna().unique()))) for column in ("n", "k"))
    seeds = done["n_seeds"].dropna()
    n_seeds = int(seeds.max()) if len(seeds) else 0
    spread = {0: "base only", 1: "1 training seed"}.get(
        n_seeds, f"mean of {n_seeds} training seeds (circles: each)"
    )
    return [
        *clauses,
        spread,
        f"n = {n} questions a set, k = {k} samples each at T = {config.evaluation_temperature:g}",
        f"lines: {100 * config.confidence:g} % interval, bootstrap over questions",
    ]


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what the figure shows, in words, from the rows that it plots."""
    rows = numbers[(numbers["metric"] == ACCURACY) & ((numbers["seed"] == "mean") | numbers["seed"].isna())]
    found = []
    for role in dict.fromkeys(rows["questions_role"].astype(str)):
        of_role = rows[rows["questions_role"] == role].sort_values("method", key=lambda name: name != "base")
        texts = [
            f"{value:.2f} {labels.get(method, method)}"
            for method, value in zip(of_role["method"].astype(str), of_role["value"], strict=True)
        ]
        where = "adapted on" if (of_role["adapted_on"] == role).any() else SHORT_REMARKS.get(role)
        name = of_role["question_set"].iloc[0]
        found.append(f"on {name}{f' ({where})' if where else ''} {', '.join(texts)}")
    found[0] = f"{shown_metric(numbers, ACCURACY)} {found[0]}"
    return found
