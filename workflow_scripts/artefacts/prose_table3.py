"""PROSE, Table 3: how process supervision enters training, as a label or as a reward."""

from __future__ import annotations

from workflow_scripts.artefacts.method_table import MethodTable, PaperSetting, TableRow

TABLE = MethodTable(
    rows=(
        TableRow("base", "base (no adaptation)", "Table 1", "base"),
        TableRow("ttrl", "MV as label", "Table 3", "MV as label"),
        TableRow("prm_label", "PRM as label", "Table 3", "PRM as label"),
        TableRow("prose", "PRM as reward (PROSE)", "Table 3", "PRM as reward (PROSE)"),
    ),
    metrics=("avg@k", "maj@k"),
    paper=PaperSetting("prose", policy="Llama-3.1-8B", question_set="MedQA-5op", k=16),
)
