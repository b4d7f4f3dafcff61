"""PROSE, Table 1: avg@16 on four question sets, our rows and the 18 systems of the paper."""

from __future__ import annotations

from workflow_scripts.artefacts.set_table import SetRow, SetTable, System

LARGE = "Large-scale General-purpose LLMs"
SMALL = "Open-source Small Language Models"
MEDICAL = "Open-source Medical Language Models"
ADAPTED = "Test-time Training on Llama3.1-8B"

TABLE = SetTable(
    paper_place="Table 1",
    rows=(
        SetRow("base", "base", "avg@k", "base"),
        SetRow("TTRL", "ttrl", "avg@k", "TTRL"),
        SetRow("PROSE", "prose", "avg@k", "PROSE"),
    ),
    systems=(
        System(LARGE, "Gemini Flash 2.0", "–"),
        System(LARGE, "GPT-4o-mini", "–"),
        System(LARGE, "GPT-3.5 turbo", "–"),
        System(LARGE, "QWQ", "32B"),
        System(LARGE, "R1-Distill-Qwen", "32B"),
        System(LARGE, "Sky-T1", "32B"),
        System(SMALL, "Llama3.1", "8B", "base"),
        System(SMALL, "Gemma2", "9B"),
        System(SMALL, "Ministral", "8B"),
        System(MEDICAL, "Med42", "8B"),
        System(MEDICAL, "Meditron3", "8B"),
        System(MEDICAL, "OpenBioLLM", "8B"),
        System(MEDICAL, "m1-7B", "7B"),
        System(MEDICAL, "Meerkat", "8B"),
        System(MEDICAL, "UltraMedical", "8B"),
        System(MEDICAL, "HuatuoGPT-o1", "8B"),
        System(ADAPTED, "TTRL", "8B", "ttrl"),
        System(ADAPTED, "Ours (PROSE)", "8B", "prose"),
    ),
)
