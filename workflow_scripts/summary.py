"""Print what a finished scale found: tables, a sentence per figure, verdicts, and where everything lies.

    python -m workflow_scripts.summary
    python -m workflow_scripts.summary --scale-file config/smoke.yaml

It reads finished files only; what is not there yet is said to be missing.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from pathlib import Path

from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.settings.load import Configuration, load_scale_file

WIDTH = 100


def main(argv: list[str] | None = None) -> None:
    """Print the summary of a scale's headline artefacts."""
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.summary",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "artefacts", nargs="*", help="only these, for example prose_fig1 (default: the headline)"
    )
    parser.add_argument("--scale-file", type=Path, default=Path("config/mini.yaml"))
    arguments = parser.parse_args(argv)
    print(summary(load_scale_file(arguments.scale_file, Path.cwd()), arguments.artefacts))


def summary(configuration: Configuration, artefacts: list[str]) -> str:
    """Return the summary as text; paths are those of the scale file, relative to the repository."""
    settings = configuration.settings
    results, figures = Path(settings.results), Path(settings.figures)
    wanted = artefacts or list(settings.headline)
    for name in wanted:
        if name not in configuration.artefacts:
            raise UserError(f"no artefact `{name}`. Known: {', '.join(configuration.artefacts)}.")
    tables = [name for name in wanted if configuration.artefacts[name].kind == "table"]
    drawn = [name for name in wanted if configuration.artefacts[name].kind == "figure"]
    labels = {name: method.label for name, method in configuration.methods.items()}

    parts = [table_text(results / "tables" / f"{name}.md") for name in tables]
    parts += [sentence(name, figures / f"{name}.csv", labels) for name in drawn]
    parts.append(verdicts(results / "claims" / "ledger.csv"))
    parts.append(_places(results, figures, tables, drawn))
    return "\n\n".join(parts) + "\n"


def table_text(path: Path) -> str:
    """Return a markdown table as aligned plain text, with the line that says what it rests on."""
    if not path.is_file():
        return f"{path}: not there yet"
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [_cells(line) for line in lines if line.startswith("|") and not line.startswith("| ---")]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    shown = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    if shown:
        shown.insert(1, "-" * max(len(line) for line in shown))
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), path.stem)
    return "\n".join([title, "", *shown, "", textwrap.fill(f"* best of its column. {lines[-1]}", WIDTH)])


def _cells(line: str) -> list[str]:
    return [re.sub(r"\*\*(.+?)\*\*", r"\1 *", cell.strip()) for cell in line.strip().strip("|").split("|")]


def sentence(artefact: str, plotted: Path, labels: dict[str, str]) -> str:
    """Return what a figure shows and what it does not prove, from the table beside it."""
    if not plotted.is_file():
        return f"{artefact}: not there yet ({plotted})"
    import pandas as pd

    from workflow_scripts.artefacts.readings import reading

    return textwrap.fill(reading(artefact, pd.read_csv(plotted), labels), WIDTH)


def verdicts(ledger: Path) -> str:
    """Return the claims of the ledger by verdict."""
    if not ledger.is_file():
        return f"{ledger}: not there yet"
    import pandas as pd

    claims = pd.read_csv(ledger).drop_duplicates("claim")
    lines = ["Claims of the papers, tested here (thresholds fixed before any run):"]
    for verdict, group in claims.groupby("claim_verdict", sort=True):
        lines.append(f"  {verdict}:")
        for _, claim in group.iterrows():
            text = f"{claim['claim'].removeprefix('claim_').lstrip('0')}. {claim['statement']}"
            lines.append(textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="       "))
    return "\n".join(lines)


def _places(results: Path, figures: Path, tables: list[str], drawn: list[str]) -> str:
    report = results / "report" / "report.html"
    lines = [("figures", figures / f"{name}.png") for name in drawn]
    lines += [("tables", results / "tables" / f"{name}.md") for name in tables]
    lines += [("ledger", results / "claims" / "ledger.md"), ("report", report)]
    absent = {report: "  (not there yet: make report)"}
    return "\n".join(
        f"{name:8} {path}{'' if path.is_file() else absent.get(path, '  (not there yet)')}"
        for name, path in lines
    )


if __name__ == "__main__":
    run(main)
