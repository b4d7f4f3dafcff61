"""One sentence per figure: what its numbers show, and what they do not prove."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from workflow_scripts.analysis.metrics import metric_label
from workflow_scripts.artefacts.prose_fig5 import LABELS as AGGREGATIONS
from workflow_scripts.artefacts.prose_fig5 import step_aucs

NO_PROOF = {
    "prose_fig1": (
        "it does not prove that majority voting fails on real medical questions, nor that process rewards "
        "help there: policy, questions and process reward model belong to this scale"
    ),
    "prose_fig5": (
        "it does not prove that the minimum cannot be exploited, nor that the mean always is: "
        "that depends on what this process reward model was trained on"
    ),
}
"""Artefact -> the limit of its figure."""


def reading(artefact: str, plotted: pd.DataFrame, method_labels: Mapping[str, str]) -> str:
    """Return the sentence for one figure from the table that it plots; also where nothing was run."""
    numbers = plotted[plotted["metric"] != "not_run"]
    if numbers.empty:
        return f"{artefact} shows nothing: none of its runs exist at this scale."
    clauses = {"prose_fig1": _fig1, "prose_fig5": _fig5}.get(artefact)
    if clauses is None:
        return f"{artefact} shows {len(numbers)} plotted values; see its caption for what they are."
    return f"{artefact} shows {'; '.join(clauses(numbers, method_labels))}; {NO_PROOF[artefact]}."


def _ends(numbers: pd.DataFrame, method: str, metric: str) -> tuple[float, float] | None:
    """The first and last value of a curve (the mean over seeds)."""
    rows = numbers[(numbers["method"] == method) & (numbers["metric"] == metric)].sort_values("step")
    return None if rows.empty else (float(rows["value"].iloc[0]), float(rows["value"].iloc[-1]))


def _methods(numbers: pd.DataFrame) -> list[str]:
    return [method for method in dict.fromkeys(numbers["method"]) if method != "base"]


def _base(numbers: pd.DataFrame, metric: str) -> str:
    ends = _ends(numbers, "base", metric)
    return f" (base {ends[0]:.2f})" if ends else ""


def _change(numbers: pd.DataFrame, metric: str, labels: Mapping[str, str]) -> str:
    texts = []
    for method in _methods(numbers):
        ends = _ends(numbers, method, metric)
        if ends:
            texts.append(f"from {ends[0]:.2f} to {ends[1]:.2f} with {labels.get(method, method)}")
    return " and ".join(texts) or "not run"


def _k(numbers: pd.DataFrame) -> int:
    return int(numbers.loc[numbers["metric"] == "avg@k", "k"].iloc[0])


def _fig1(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    k = _k(numbers)
    return [
        f"{metric_label('avg@k', k)} going {_change(numbers, 'avg@k', labels)}{_base(numbers, 'avg@k')}",
        f"{metric_label('maj@k', k)} {_change(numbers, 'maj@k', labels)}{_base(numbers, 'maj@k')}",
        f"distinct responses {_change(numbers, 'distinct_responses', labels)}",
    ]


def _fig5(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    labels = {**labels, **AGGREGATIONS}
    accuracy = metric_label("avg@k", _k(numbers))
    clauses = [
        f"{accuracy} going {_change(numbers, 'avg@k', labels)}{_base(numbers, 'avg@k')}",
        f"the reward (5-step average) {_change(numbers, 'train.reward_moving_average', labels)}",
    ]
    aucs = ", ".join(f"{value:.2f} for {name}" for name, value in step_aucs(numbers).items())
    if aucs:
        clauses.append(f"on the steps of the final responses, the process reward model's AUC is {aucs}")
    return clauses
