"""PROSE, Tables 2 and 4: adaptation against selection among the base's samples, two large and two small policies."""

from __future__ import annotations

from workflow_scripts.artefacts.set_table import SetRow, SetTable

ROWS = (
    SetRow("TTRL (maj@k)", "ttrl", "maj@k", "TTRL"),
    SetRow("PRM (BoN@k)", "base", "bon@k", "PRM (BON@16)"),
    SetRow("PRM (SC+RM@k)", "base", "sc_rm@k", "PRM (SC+RM@16)"),
    SetRow("PROSE (maj@k)", "prose", "maj@k", "PROSE"),
)
"""The two in the middle choose among the samples of the unadapted policy, by the scores of their steps."""

TABLE_2 = SetTable(paper_place="Table 2", rows=ROWS)
TABLE_4 = SetTable(paper_place="Table 4", rows=ROWS)
