"""Which module renders which artefact; artefacts/names.py has the names alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from workflow_scripts.artefacts import (
    beyond_answer_space,
    beyond_misconceptions,
    beyond_prm_quality,
    medqa_smollm2,
    method_table,
    prose_fig1,
    prose_fig2,
    prose_fig3,
    prose_fig4,
    prose_fig5,
    prose_selection,
    prose_table1,
    prose_table3,
    set_table,
    set_table_text,
    urlvr_fig2,
    urlvr_fig3,
    urlvr_fig6,
    urlvr_fig7,
    urlvr_fig8,
    urlvr_fig9,
    urlvr_fig10,
    urlvr_fig11,
    urlvr_sweep,
    urlvr_table3,
)
from workflow_scripts.artefacts.method_table import MethodTable
from workflow_scripts.artefacts.paper_numbers import PublishedNumber
from workflow_scripts.artefacts.set_table import SetTable
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FigureModule(Protocol):
    """What the module of a figure has. NO_PROOF: what its numbers do not prove."""

    NO_PROOF: str

    def draw(self, table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
        """Return the figure and the rows that it plots, from the tidy table."""

    def clauses(self, numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
        """Return what the figure shows, in words, from the rows that it plots and the methods' names."""


Print = Callable[[pd.DataFrame, Render, Sequence[PublishedNumber]], tuple[pd.DataFrame, str]]
"""From the tidy table and the published numbers to the cells and their markdown."""


def by_method(
    layout: MethodTable, table: pd.DataFrame, config: Render, numbers: Sequence[PublishedNumber]
) -> tuple[pd.DataFrame, str]:
    """Print a row per method and a column per metric."""
    cells = method_table.tabulate(layout, table, config, numbers)
    return cells, method_table.markdown(layout, cells, config)


def by_question_set(
    layout: SetTable, table: pd.DataFrame, config: Render, numbers: Sequence[PublishedNumber]
) -> tuple[pd.DataFrame, str]:
    """Print a row per method and a column per question set."""
    cells = set_table.tabulate(layout, table, config, numbers)
    return cells, set_table_text.markdown(layout, cells, config)


FIGURES: dict[str, FigureModule] = {
    "prose_fig1": prose_fig1,
    "prose_fig2": prose_fig2,
    "prose_fig3": prose_fig3,
    "prose_fig4": prose_fig4,
    "prose_fig5": prose_fig5,
    "beyond_answer_space": beyond_answer_space,
    "beyond_misconceptions": beyond_misconceptions,
    "beyond_prm_quality": beyond_prm_quality,
    "urlvr_fig2": urlvr_fig2.FIGURE,
    "urlvr_fig3": urlvr_fig3.FIGURE,
    "urlvr_fig6": urlvr_fig6.FIGURE,
    "urlvr_fig7": urlvr_fig7.FIGURE,
    "urlvr_fig8": urlvr_fig8.FIGURE,
    "urlvr_fig9": urlvr_fig9.FIGURE,
    "urlvr_fig10": urlvr_fig10.FIGURE,
    "urlvr_fig11": urlvr_fig11,
    "urlvr_sweep": urlvr_sweep.FIGURE,
}
TABLES: dict[str, Print] = {
    "medqa_smollm2": partial(by_method, medqa_smollm2.TABLE),
    "prose_table1": partial(by_question_set, prose_table1.TABLE),
    "prose_table2": partial(by_question_set, prose_selection.TABLE_2),
    "prose_table3": partial(by_method, prose_table3.TABLE),
    "prose_table4": partial(by_question_set, prose_selection.TABLE_4),
    "urlvr_table3": urlvr_table3.tabulate,
}
