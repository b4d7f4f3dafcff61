"""A small real language model on a few real questions, before and after two steps of TTRL; no paper has it."""

from __future__ import annotations

from workflow_scripts.artefacts.method_table import MethodTable, TableRow

TABLE = MethodTable(
    rows=(TableRow("base", "base (no adaptation)"), TableRow("ttrl", "TTRL")),
    metrics=("avg@k", "maj@k", "unparseable", "distinct_responses", "distinct_answers", "answer_entropy"),
)
