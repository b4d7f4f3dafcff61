"""Tables with a row per method and a column per question set, one block per policy, the paper's values apart.

Here: which value belongs into which cell. How they are printed: `set_table_text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from workflow_scripts.analysis.metrics import metric_label
from workflow_scripts.analysis.sampled_rows import AVERAGE
from workflow_scripts.artefacts.method_table import NOT_RUN, our_value
from workflow_scripts.artefacts.paper_numbers import AVERAGE as PAPER_AVERAGE
from workflow_scripts.artefacts.paper_numbers import (
    PAPER_POLICIES,
    PAPER_QUESTION_SETS,
    PublishedNumber,
    find_number,
)
from workflow_scripts.settings.evidence import Render

PAPER_SETS = {**PAPER_QUESTION_SETS, AVERAGE: PAPER_AVERAGE}
"""Question set role, or the average -> its name in config/paper_numbers.csv."""

PAPER_ONLY = "paper"
"""In the column `policy_role`: a system that no role stands for."""


@dataclass(frozen=True)
class SetRow:
    """One method: how it is printed, which metric of which method it is, and its row in config/paper_numbers.csv."""

    label: str
    method: str
    metric: str
    paper_row: str


@dataclass(frozen=True)
class System:
    """A row of a ranking in the paper.

    `method` is that of our row which stands for it, under the table's first policy role; None: nothing here does.
    """

    group: str
    name: str
    size: str
    method: str | None = None

    @property
    def ranked(self) -> bool:
        """Whether it competes: the paper ranks the models with fewer than 32B parameters."""
        return self.size.endswith("B") and int(self.size.removesuffix("B")) < 32


@dataclass(frozen=True)
class SetTable:
    """What a table prints.

    paper_k: samples behind the paper's values. systems: where they are given, the paper's values are one ranking of
    them, and ours one ranking of all policies, with the second best underlined; else each policy has its own best.
    """

    paper_place: str
    rows: tuple[SetRow, ...]
    systems: tuple[System, ...] = ()
    paper: str = "prose"
    paper_k: int = 16


def roles_shown(config: Render) -> list[str]:
    """Return the question set roles of the columns, the average last."""
    return [*config.entry.question_sets, AVERAGE]


def tabulate(
    layout: SetTable, table: pd.DataFrame, config: Render, numbers: Sequence[PublishedNumber]
) -> pd.DataFrame:
    """Return the cells, one row per policy, method and question set; the paper's other systems come last.

    What did not run has the status `not run` and no value.
    """
    cells = []
    for policy_role in config.entry.policies:
        for row in layout.rows:
            for role in roles_shown(config):
                here = table[(table["policy_role"] == policy_role) & (table["questions_role"] == role)]
                policy = PAPER_POLICIES.get(policy_role)
                cells.append(
                    {
                        "artefact": config.artefact,
                        "policy_role": policy_role,
                        "policy": config.policy_labels.get(policy_role, policy_role),
                        "row": row.label,
                        "method": row.method,
                        "question_set": config.question_set_labels.get(role, role),
                        "questions_role": role,
                        "metric": row.metric,
                        **our_value(here, row.method, row.metric),
                        **_published(layout, row.paper_row, row.metric, role, policy, numbers),
                    }
                )
    metric = layout.rows[0].metric
    for system in layout.systems:
        for role in roles_shown(config) if system.method is None else []:
            cells.append(
                {
                    "artefact": config.artefact,
                    "policy_role": PAPER_ONLY,
                    "policy": system.name,
                    "row": system.name,
                    "method": system.name,
                    "question_set": config.question_set_labels.get(role, role),
                    "questions_role": role,
                    "metric": metric,
                    "status": NOT_RUN,
                    **_published(layout, system.name, metric, role, system.name, numbers),
                }
            )
    return pd.DataFrame(cells).astype({"n": "Int64", "k": "Int64", "n_seeds": "Int64"})


def _published(
    layout: SetTable,
    row: str,
    metric: str,
    role: str,
    policy: str | None,
    numbers: Sequence[PublishedNumber],
) -> dict[str, object]:
    """The paper's value for its own policy; none for a role that the paper's table does not have."""
    number = None
    if policy is not None and role in PAPER_SETS:
        number = find_number(
            numbers,
            layout.paper,
            layout.paper_place,
            row,
            metric_label(metric, layout.paper_k),
            PAPER_SETS[role],
            policy,
        )
    if number is None:
        return {"paper_value": None, "paper_place": None}
    return {"paper_value": number.value, "paper_place": number.place}
