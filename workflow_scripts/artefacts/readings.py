"""One sentence per figure: what its numbers show, and what they do not prove."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from workflow_scripts.artefacts.literal import one_line
from workflow_scripts.artefacts.registry import FIGURES


def reading(
    artefact: str, plotted: pd.DataFrame, method_labels: Mapping[str, str], drawn_as: str | None = None
) -> str:
    """Return the sentence for one figure from the table that it plots; also where nothing was run.

    drawn_as: its renderer, where that has another name.
    """
    figure = FIGURES[drawn_as or artefact]
    labels = {method: one_line(label) for method, label in method_labels.items()}
    numbers = plotted[plotted["metric"] != "not_run"] if "metric" in plotted.columns else plotted
    if numbers.empty:
        return f"{artefact} shows nothing: none of its runs exist at this scale."
    return f"{artefact} shows {'; '.join(figure.clauses(numbers, labels))}; {figure.NO_PROOF}."
