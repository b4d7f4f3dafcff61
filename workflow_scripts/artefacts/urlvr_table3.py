"""URLVR, Table 3: what it costs to rank policies by training on the truth, and by the step of collapse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from workflow_scripts.analysis.collapse_rows import collapse_name
from workflow_scripts.artefacts.literal import in_markdown
from workflow_scripts.artefacts.paper_numbers import PublishedNumber, find_number
from workflow_scripts.artefacts.urlvr_fig11 import MAJORITY, TRUTH
from workflow_scripts.settings.evidence import Render

GT_GAIN, COLLAPSE = "GT Gain", "Model Collapse Step"


@dataclass(frozen=True)
class Indicator:
    """A row: the method whose runs it takes, and whether of all their tokens or of those up to the collapse."""

    name: str
    method: str
    to_collapse: bool
    needs_truth: str

    def metric(self, config: Render) -> str:
        """Return the metric that counts its tokens."""
        name = collapse_name(config.collapse_threshold)
        return f"tokens_to_{name}" if self.to_collapse else "train.tokens_sampled"


INDICATORS = (
    Indicator(GT_GAIN, TRUTH, to_collapse=False, needs_truth="yes"),
    Indicator(COLLAPSE, MAJORITY, to_collapse=True, needs_truth="no"),
)


def tabulate(
    table: pd.DataFrame, config: Render, numbers: Sequence[PublishedNumber]
) -> tuple[pd.DataFrame, str]:
    """Return the cells and the table for people."""
    cells = pd.DataFrame([_row(indicator, table, config, numbers) for indicator in INDICATORS])
    return cells, _markdown(cells, config)


def _row(
    indicator: Indicator, table: pd.DataFrame, config: Render, numbers: Sequence[PublishedNumber]
) -> dict[str, object]:
    means = table[(table["seed"] == "mean") & (table["method"] == indicator.method)]
    of_policy = means[means["metric"] == indicator.metric(config)].set_index("policy_role")["value"]
    tokens = of_policy.dropna()
    number = find_number(numbers, "urlvr", "Table 3", indicator.name, "tokens", "DAPO-17k", "unnamed")
    return {
        "artefact": config.artefact,
        "indicator": indicator.name,
        "status": "done" if len(tokens) else "not run",
        "policies": len(tokens),
        "tokens": float(tokens.sum()) if len(tokens) else None,
        "needs_truth": indicator.needs_truth,
        "paper_tokens": None if number is None else number.value,
    }


def _markdown(cells: pd.DataFrame, config: Render) -> str:
    lines = [f"# {in_markdown(config.entry.title)}", "", in_markdown(config.entry.caption), ""]
    lines += ["| indicator | policies | tokens | share | paper, tokens | share | needs the truth |"]
    lines += ["| --- |" + " ---: |" * 5 + " --- |"]
    for _, cell in cells.iterrows():
        ours = [str(cell["policies"]), _tokens(cell["tokens"]), _share(cell["tokens"], cells["tokens"])]
        theirs = [_tokens(cell["paper_tokens"]), _share(cell["paper_tokens"], cells["paper_tokens"])]
        texts = [in_markdown(str(cell["indicator"])), *ours, *theirs, str(cell["needs_truth"])]
        lines.append("| " + " | ".join(texts) + " |")
    foot = (
        f"Ours: tokens sampled, counted, of scale {config.scale}; up to the step at which reward accuracy falls below "
        f"{100 * config.collapse_threshold:g} % for three steps, or of the whole run where it does "
        "not. Paper: response length x rollouts x problems (or steps x batch) x models, of seven models. Share: of the "
        "costlier indicator."
    )
    return "\n".join([*lines, "", foot]) + "\n"


def _tokens(value: float | None) -> str:
    if value is None or pd.isna(value):
        return "not run"
    for size, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.2f}{unit}"
    return f"{value:.0f}"


def _share(value: float | None, column: pd.Series) -> str:
    if value is None or pd.isna(value):
        return "–"
    return f"{value / column.astype(float).max():.2f}"
