"""Tables with a row per method and a column per metric, the paper's number beside ours where it has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from workflow_scripts.analysis.metrics import metric_label
from workflow_scripts.artefacts.literal import in_markdown
from workflow_scripts.artefacts.paper_numbers import PublishedNumber, find_number
from workflow_scripts.settings.evidence import Render

NOT_RUN = "not run"
ABSENT = "–"
LARGER_IS_BETTER = frozenset({"avg@k", "maj@k"})
"""The metrics whose best value is printed bold."""


@dataclass(frozen=True)
class TableRow:
    """One method: how it is printed, and where the paper gives its number if it does."""

    method: str
    label: str
    paper_place: str = ""
    paper_row: str = ""


@dataclass(frozen=True)
class PaperSetting:
    """Whose values stand beside ours: names as in config/paper_numbers.csv; k: the samples behind the values."""

    paper: str
    policy: str
    question_set: str
    k: int


@dataclass(frozen=True)
class MethodTable:
    """What a table prints; without a `paper` it has no columns for published values."""

    rows: tuple[TableRow, ...]
    metrics: tuple[str, ...]
    paper: PaperSetting | None = None


def tabulate(
    layout: MethodTable, table: pd.DataFrame, config: Render, numbers: Sequence[PublishedNumber]
) -> pd.DataFrame:
    """Return the printed cells, one row per policy, question set, method and metric.

    What did not run has the status `not run` and no value.
    """
    cells = []
    for policy_role in config.entry.policies:
        for questions_role in config.entry.question_sets:
            here = table[(table["policy_role"] == policy_role) & (table["questions_role"] == questions_role)]
            for row in layout.rows:
                for metric in layout.metrics:
                    cells.append(
                        {
                            "artefact": config.artefact,
                            "policy": config.policy_labels.get(policy_role, policy_role),
                            "question_set": config.question_set_labels.get(questions_role, questions_role),
                            "row": row.label,
                            "method": row.method,
                            "metric": metric,
                            **our_value(here, row.method, metric),
                            **_published(layout, row, metric, numbers),
                        }
                    )
    return pd.DataFrame(cells).astype({"n": "Int64", "k": "Int64", "n_seeds": "Int64"})


def our_value(table: pd.DataFrame, method: str, metric: str) -> dict[str, object]:
    """Return status, mean over seeds (or the base's value), interval, spread and sizes, from one set's rows."""
    found = table[
        (table["method"] == method)
        & (table["metric"] == metric)
        & ((table["seed"] == "mean") | table["seed"].isna())
    ]
    names = ("value", "low", "high", "sd", "n", "k", "n_seeds")
    if found.empty:
        return {"status": NOT_RUN, **dict.fromkeys(names)}
    return {"status": "done", **{name: found.iloc[0][name] for name in names}}


def _published(
    layout: MethodTable, row: TableRow, metric: str, numbers: Sequence[PublishedNumber]
) -> dict[str, object]:
    paper, number = layout.paper, None
    if paper is not None:
        place = (paper.paper, row.paper_place, row.paper_row, metric_label(metric, paper.k))
        number = find_number(numbers, *place, paper.question_set, paper.policy)
    if number is None:
        return {"paper_value": None, "paper_place": None}
    return {"paper_value": number.value, "paper_place": number.place}


def markdown(layout: MethodTable, cells: pd.DataFrame, config: Render) -> str:
    """Return the table for people: ours with interval and spread, the paper's beside it, the best in bold."""
    lines = [f"# {in_markdown(config.entry.title)}", "", in_markdown(config.entry.caption), ""]
    for (policy, questions), block in cells.groupby(["policy", "question_set"], sort=False):
        if cells[["policy", "question_set"]].drop_duplicates().shape[0] > 1:
            lines += [f"## {in_markdown(str(policy))} on {in_markdown(str(questions))}", ""]
        lines += [*_block(layout, block), "", _foot(layout, block, config, str(policy), str(questions)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _block(layout: MethodTable, block: pd.DataFrame) -> list[str]:
    heads = ["method"]
    for metric in layout.metrics:
        ks = block.loc[block["metric"] == metric, "k"].dropna()
        heads += [metric_label(metric, int(ks.iloc[0]) if len(ks) else None).replace("_", " ")]
        heads += [f"paper, {metric_label(metric, layout.paper.k)}"] if layout.paper else []
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " ---: |" * (len(heads) - 1)]
    for row in layout.rows:
        texts = [in_markdown(row.label)]
        for metric in layout.metrics:
            column = block[block["metric"] == metric]
            cell = column[column["method"] == row.method].iloc[0]
            texts += [_ours_text(cell, column["value"])]
            texts += [_bold_best(cell["paper_value"], column["paper_value"])] if layout.paper else []
        lines.append("| " + " | ".join(texts) + " |")
    return lines


def _bold_best(value: float | None, column: pd.Series) -> str:
    """Three decimals; bold where no other value of the column is larger at that precision."""
    if value is None or pd.isna(value):
        return ABSENT
    text = f"{value:.3f}"
    return f"**{text}**" if text == f"{column.max():.3f}" else text


def _ours_text(cell: pd.Series, column: pd.Series) -> str:
    if cell["status"] == NOT_RUN:
        return NOT_RUN
    spread = f", sd {cell['sd']:.3f}" if pd.notna(cell["sd"]) else ""
    bold = cell["metric"] in LARGER_IS_BETTER
    value = _bold_best(cell["value"], column.astype(float)) if bold else f"{cell['value']:.3f}"
    return f"{value} [{cell['low']:.3f}, {cell['high']:.3f}]{spread}"


def _foot(layout: MethodTable, block: pd.DataFrame, config: Render, policy: str, questions: str) -> str:
    policy, questions = in_markdown(policy), in_markdown(questions)
    done = block[block["status"] == "done"]
    if done.empty:
        return f"Nothing was run for {policy} on {questions} at scale {config.scale}."
    seeds = done["n_seeds"].dropna()
    spread = (
        "base only"
        if seeds.empty
        else f"mean of {int(seeds.max())} training seeds (sd: standard deviation between them)"
        if int(seeds.max()) > 1
        else "1 training seed"
    )
    theirs = (
        f" Paper: {layout.paper.policy} on {layout.paper.question_set}. "
        "Other policy, other questions: compare the order, not the level."
        if layout.paper
        else ""
    )
    return (
        f"Ours: {policy} on {questions}, scale {config.scale}; {spread}; "
        f"n = {int(done['n'].iloc[0])} questions, k = {int(done['k'].iloc[0])} samples each "
        f"at T = {config.evaluation_temperature:g}; "
        f"brackets: {100 * config.confidence:g} % interval, bootstrap over questions. "
        f"Training uses these questions without their labels.{theirs}"
    )
