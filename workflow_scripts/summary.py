"""Print what a finished scale found: tables, a sentence per figure, verdicts, and where everything lies.

    python -m workflow_scripts.summary
    python -m workflow_scripts.summary all
    python -m workflow_scripts.summary prose_fig1 --scale-file config/smoke.yaml

It reads finished files only; what is not there yet is said to be missing. Without a name it tells of `all` or of the
`headline`, whichever ledger of claims is the newer one.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from workflow_scripts.artefacts.literal import one_line, out_of_markdown, row_cells
from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.settings.configuration import Configuration
from workflow_scripts.settings.load import load_scale_file

WIDTH = 100


def main(argv: list[str] | None = None) -> None:
    """Print the summary of a scale's artefacts."""
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.summary",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="`all`, `headline`, or artefacts, for example prose_fig1")
    parser.add_argument("--scale-file", type=Path, default=Path("config/mini.yaml"))
    arguments = parser.parse_args(argv)
    print(summary(load_scale_file(arguments.scale_file, Path.cwd()), arguments.names))


def summary(configuration: Configuration, names: list[str]) -> str:
    """Return the summary of `names` as text; paths are those of the scale file, relative to the repository."""
    settings = configuration.settings
    results, figures = Path(settings.results), Path(settings.figures)
    in_all = [name for name, entry in configuration.artefacts.items() if not entry.sweep]
    collections = {"all": in_all, "headline": list(settings.headline)}
    collection = names[0] if len(names) == 1 and names[0] in collections else newer_ledger(results)
    wanted = collections[collection] if names in ([], [collection]) else names
    for name in wanted:
        if name not in configuration.artefacts:
            raise UserError(f"no artefact `{name}`. Known: {', '.join(configuration.artefacts)}.")
    tables = [name for name in wanted if configuration.artefacts[name].kind == "table"]
    drawn = [name for name in wanted if configuration.artefacts[name].kind == "figure"]
    labels = {name: method.label for name, method in configuration.methods.items()}

    parts = [table_text(results / "tables" / f"{name}.md") for name in tables]
    parts += [
        sentence(name, figures / f"{name}.csv", labels, configuration.artefacts[name].like) for name in drawn
    ]
    ledger = results / "claims" / f"{collection if settings.headline_claims else 'all'}.csv"
    parts.append(verdicts(ledger))
    parts.append(_places(results, figures, tables, drawn, ledger.with_suffix(".md")))
    return "\n\n".join(parts) + "\n"


def newer_ledger(results: Path) -> str:
    """Return `all` or `headline`: the ledger of claims that was written last, `headline` if there is none."""
    written = {name: results / "claims" / f"{name}.csv" for name in ("headline", "all")}
    there = [name for name, path in written.items() if path.is_file()]
    return max(there, key=lambda name: written[name].stat().st_mtime, default="headline")


def table_text(path: Path) -> str:
    """Return a page of markdown tables as aligned plain text, with the line that says what they rest on."""
    if not path.is_file():
        return f"{path}: not there yet"
    lines = path.read_text(encoding="utf-8").splitlines()
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), path.stem)
    shown = [out_of_markdown(title)]
    for in_table, group in groupby(lines, key=lambda line: line.startswith("|")):
        block = list(group)
        shown += ["", *_aligned(block)] if in_table else _headings(block)
    return "\n".join([*shown, "", textwrap.fill(out_of_markdown(_foot(lines[-1])), WIDTH)])


def _foot(line: str) -> str:
    """The foot of a table with the marks of plain text; one that says nothing of marks gets what the star means."""
    if "Bold: " not in line:
        return f"* best of its column. {line}"
    return line.replace("Bold: ", "*: ").replace("underlined: ", "+: ")


def _headings(lines: Iterable[str]) -> list[str]:
    heads = [out_of_markdown(line.removeprefix("## ")) for line in lines if line.startswith("## ")]
    return [text for head in heads for text in ("", head)]


def _aligned(lines: Iterable[str]) -> list[str]:
    rows = [_cells(line) for line in lines if not line.startswith("| ---")]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    texts = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return [texts[0], "-" * max(len(text) for text in texts), *texts[1:]]


def _cells(line: str) -> list[str]:
    """The cells of a row; a star marks the best of a column and a plus the second best."""
    marked = (re.sub(r"(?<!\\)\*\*(.+?)\*\*", r"\1 *", cell) for cell in row_cells(line))
    return [out_of_markdown(re.sub(r"(?<!\\)<u>(.+?)</u>", r"\1 +", cell)) for cell in marked]


def sentence(artefact: str, plotted: Path, labels: dict[str, str], drawn_as: str | None = None) -> str:
    """Return what a figure shows and what it does not prove, from the table beside it."""
    if not plotted.is_file():
        return f"{artefact}: not there yet ({plotted})"
    import pandas as pd

    from workflow_scripts.artefacts.readings import reading

    return textwrap.fill(reading(artefact, pd.read_csv(plotted), labels, drawn_as), WIDTH)


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
            text = f"{claim['claim'].removeprefix('claim_').lstrip('0')}. {one_line(claim['statement'])}"
            lines.append(textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="       "))
    return "\n".join(lines)


def _places(results: Path, figures: Path, tables: list[str], drawn: list[str], ledger: Path) -> str:
    report = results / "report" / "report.html"
    lines = [("figures", figures / f"{name}.png") for name in drawn]
    lines += [("tables", results / "tables" / f"{name}.md") for name in tables]
    lines += [("ledger", ledger), ("report", report)]
    absent = {report: "  (not there yet: make report)"}
    return "\n".join(
        f"{name:8} {path}{'' if path.is_file() else absent.get(path, '  (not there yet)')}"
        for name, path in lines
    )


if __name__ == "__main__":
    run(main)
