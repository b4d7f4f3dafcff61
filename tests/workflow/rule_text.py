"""The rules as text: snakefmt gives every rule the same shape, so their parts can be read line by line."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "Snakefile", *sorted((ROOT / "rules").glob("*.smk"))]


def rules() -> dict[str, str]:
    """Rule name -> its text. Rules without a name of their own (one target per artefact) are left out."""
    found = {}
    for path in FILES:
        for part in re.split(r"(?m)^(?=rule )", path.read_text(encoding="utf-8"))[1:]:
            name = re.match(r"rule (\w+):", part)
            assert name is not None, part[:80]
            found[name[1]] = re.split(r"(?m)^\S", part[5:])[0] if "\nfor " in part else part
    return found


def section(text: str, name: str) -> str:
    """The lines under `name:`, or the rest of its own line."""
    match = re.search(rf"(?m)^    {name}:(.*)\n((?:        .*\n|\n)*)", text)
    return match[1] + match[2] if match else ""


def jobs() -> dict[str, str]:
    """The rules that run something."""
    return {name: text for name, text in rules().items() if section(text, "shell")}


def is_local(text: str) -> bool:
    """Runs beside Snakemake itself, not on a compute node."""
    return section(text, "localrule").strip() == "True"
