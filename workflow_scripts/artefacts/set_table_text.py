"""The markdown of a `SetTable`: our values with their intervals, then the paper's, the best of each column marked."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from workflow_scripts.analysis.metrics import metric_label
from workflow_scripts.analysis.sampled_rows import AVERAGE
from workflow_scripts.artefacts.literal import in_markdown
from workflow_scripts.artefacts.method_table import ABSENT, NOT_RUN
from workflow_scripts.artefacts.paper_numbers import PAPER_POLICIES, stands_for
from workflow_scripts.artefacts.set_table import (
    PAPER_ONLY,
    PAPER_SETS,
    SetTable,
    roles_shown,
)
from workflow_scripts.settings.evidence import Render


def markdown(layout: SetTable, cells: pd.DataFrame, config: Render) -> str:
    """Return the table for people; the last line says what our values rest on."""
    lines = [f"# {in_markdown(config.entry.title)}", "", in_markdown(config.entry.caption), ""]
    lines += _rankings(layout, cells, config) if layout.systems else _blocks(layout, cells, config)
    return "\n".join([*lines, _foot(layout, cells, config)]) + "\n"


def _blocks(layout: SetTable, cells: pd.DataFrame, config: Render) -> list[str]:
    """One block per policy: ours and the paper's rows one below the other."""
    lines = []
    for role in config.entry.policies:
        block = cells[cells["policy_role"] == role]
        policy = PAPER_POLICIES.get(role, role)
        ours = config.policy_labels.get(role, NOT_RUN)
        heads = _set_names(config)
        heading = f"## {in_markdown(ours)}"
        lines += [f"{heading}, standing for {policy}" if stands_for(role, ours) else heading, ""]
        lines += [_line(["here", *heads]), _rule(len(heads))]
        for row, of_row in block.groupby("row", sort=False):
            texts = [_ours(cell, _column(block, cell)) for _, cell in of_row.iterrows()]
            lines.append(_line([_named(str(row), of_row), *texts]))
        lines += ["", _line([f"{policy} in the paper", *_paper_set_names(config)]), _rule(len(heads))]
        for row, of_row in block.groupby("row", sort=False):
            texts = [
                marked(cell["paper_value"], _column(block, cell)["paper_value"])
                for _, cell in of_row.iterrows()
            ]
            lines.append(_line([metric_label(str(row), layout.paper_k), *texts]))
        lines.append("")
    return lines


def _rankings(layout: SetTable, cells: pd.DataFrame, config: Render) -> list[str]:
    """All policies in one ranking, then all systems of the paper in another."""
    ours = cells[cells["policy_role"] != PAPER_ONLY]
    lines = [_line(["policy", "method", *_set_names(config)]), "| --- " + _rule(len(roles_shown(config)))]
    for (role, row), of_row in ours.groupby(["policy_role", "row"], sort=False):
        texts = [_ours(cell, _column(ours, cell), second=True) for _, cell in of_row.iterrows()]
        name = in_markdown(config.policy_labels.get(str(role), f"no {role}"))
        lines.append(_line([name, str(row), *texts]))
    return [*lines, "", *_systems(layout, cells, config), ""]


def _systems(layout: SetTable, cells: pd.DataFrame, config: Render) -> list[str]:
    """The paper's systems in its order and with its values; `above` where a row of ours stands for one."""
    roles = roles_shown(config)
    main = config.entry.policies[0]
    lines = [
        _line(["category in the paper", "system", "size", "at this scale", *_paper_set_names(config)]),
        "| --- | --- | --- " + _rule(len(roles)),
    ]
    of_system = [
        cells[
            (cells["policy_role"] == (PAPER_ONLY if system.method is None else main))
            & (cells["method"] == (system.method or system.name))
        ]
        for system in layout.systems
    ]
    values = [
        dict(zip(rows["questions_role"], rows["paper_value"].astype(float), strict=True))
        for rows in of_system
    ]
    rivals = pd.DataFrame(
        [found for found, system in zip(values, layout.systems, strict=True) if system.ranked]
    )
    for system, found, rows in zip(layout.systems, values, of_system, strict=True):
        column = rivals if system.ranked else rivals.iloc[:0]
        texts = [marked(found[role], column[role], second=True) for role in roles]
        here = "above" if (rows["status"] == "done").any() else NOT_RUN
        lines.append(_line([system.group, system.name, system.size, here, *texts]))
    return lines


# ------------------------------------------------------------------ cells


def marked(value: float | None, column: pd.Series, second: bool = False) -> str:
    """Return the value with three decimals: the best of its column bold, the second best underlined if asked for.

    Values that print alike share their rank; a column with a single value has no best.
    """
    if value is None or pd.isna(value):
        return ABSENT
    text = f"{value:.3f}"
    ranks = sorted({f"{other:.3f}" for other in column.dropna()}, key=float, reverse=True)
    if column.count() > 1 and text == ranks[0]:
        return f"**{text}**"
    return f"<u>{text}</u>" if second and len(ranks) > 1 and text == ranks[1] else text


def _ours(cell: pd.Series, column: pd.DataFrame, second: bool = False) -> str:
    if cell["status"] == NOT_RUN:
        return NOT_RUN
    return f"{marked(cell['value'], column['value'], second)} [{cell['low']:.2f}, {cell['high']:.2f}]"


def _column(block: pd.DataFrame, cell: pd.Series) -> pd.DataFrame:
    return block[block["questions_role"] == cell["questions_role"]]


def _named(row: str, of_row: pd.DataFrame) -> str:
    """The row with the k of this scale, e.g. `PROSE (maj@16)`."""
    ks = of_row["k"].dropna()
    return metric_label(row, int(ks.iloc[0]) if len(ks) else None)


def _set_names(config: Render) -> list[str]:
    return [
        "Avg." if role == AVERAGE else in_markdown(config.question_set_labels.get(role, f"no {role}"))
        for role in roles_shown(config)
    ]


def _paper_set_names(config: Render) -> list[str]:
    return [PAPER_SETS.get(role, role) for role in roles_shown(config)]


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _rule(numbers: int) -> str:
    return "| --- |" + " ---: |" * numbers


def _foot(layout: SetTable, cells: pd.DataFrame, config: Render) -> str:
    done = cells[cells["status"] == "done"]
    best = (
        "Bold: best of a column, underlined: second best, ours and the paper's apart (the paper's among systems "
        "with fewer than 32B parameters)."
        if layout.systems
        else "Bold: best of a policy's column."
    )
    if done.empty:
        return f"Nothing was run at scale {config.scale}. {best}"
    of_sets = done[done["questions_role"] != AVERAGE]
    n, k = (
        " or ".join(str(size) for size in sorted(of_sets[column].dropna().unique())) for column in ("n", "k")
    )
    seeds = done["n_seeds"].dropna()
    n_seeds = int(seeds.max()) if len(seeds) else 0
    trained = "base only" if not n_seeds else f"{n_seeds} training seed{'s' if n_seeds > 1 else ''}"
    named = config.question_set_labels | config.policy_labels
    roles = [*config.entry.question_sets, *(config.entry.policies if layout.systems else [])]
    stands = ", ".join(
        f"{in_markdown(named[role])} for {paper_name}"
        for role in roles
        if role in named and (paper_name := stands_for(role, named[role]))
    )
    return (
        f"Scale {config.scale}; {trained}; n = {n} questions a set, k = {k} samples each at "
        f"T = {config.evaluation_temperature:g}; brackets: {100 * config.confidence:g} % interval, bootstrap over "
        f"questions (Avg.: each set on its own, all count the same). {best} Each policy trains on the questions that "
        f"it is tested on, without their labels. {stands + '. ' if stands else ''}"
        "The paper has other policies and questions: compare the order, not the level."
    )
