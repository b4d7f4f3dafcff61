"""Write one page of the HTML report: what a step printed for people (md), a csv, the locked software, or a text.

Example:
    python -m workflow_scripts.report_page --config @page.json --source results/mini/claims/all.md --out claims.html
"""

from __future__ import annotations

import csv
import html
import importlib.metadata
import io
import platform
import re
from pathlib import Path

from workflow_scripts.artefacts.literal import DOLLAR, PUNCTUATION, one_line, row_cells
from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.settings.pages import ReportPage

STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem;color:#1c2430;max-width:80rem}"
    "table{border-collapse:collapse;margin-bottom:1.4rem;font-variant-numeric:tabular-nums}"
    "th,td{border-bottom:1px solid #d5dae1;padding:.3rem .7rem;text-align:left;vertical-align:top}"
    "th{border-bottom:2px solid #1c2430}pre{background:#f4f6f8;padding:1rem;overflow:auto}"
)


HASH = r"\b[0-9a-f]{40,64}\b"
"""Digests are shown by their first twelve digits; the csv has them whole."""


LINE = "\n"
"""A line break within a cell; the csv joins the members of a list by semicolons."""


def main(argv: list[str] | None = None) -> None:
    parser = step_parser(__doc__)
    parser.add_argument("--source", type=Path, help="the md, csv or lock file that the page shows")
    parser.add_argument("--out", required=True, type=Path, help="the page to write (html)")
    arguments = parser.parse_args(argv)
    config = read_config(ReportPage, arguments.config)

    from workflow_scripts.provenance.record import start_record

    inputs = {"source": arguments.source} if arguments.source else {}
    record = start_record(step="report_page", config=config.model_dump(mode="json"), inputs=inputs)
    write_text(arguments.out, page(config, arguments.source))
    record.finish(outputs={"page": arguments.out}, kind="page")


def page(config: ReportPage, source: Path | None) -> str:
    """Return the whole page; it refers to nothing outside itself."""
    title = html.escape(one_line(config.title))
    parts = [f"<h1>{title}</h1>"]
    if source is not None and source.suffix == ".md":
        parts = [markdown(_read(source))]
    elif source is not None:
        rows = software(source) if source.suffix == ".lock" else read_rows(source)
        parts.append(table([[_literal(cell) for cell in row] for row in rows]))
    if config.text is not None:
        parts.append(f"<pre>{html.escape(config.text)}</pre>")
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a csv file, the header first."""
    rows = list(csv.reader(io.StringIO(_read(path), newline="")))
    short = [[re.sub(HASH, lambda match: match.group()[:12], cell) for cell in row] for row in rows]
    return [[cell.replace("; ", LINE) for cell in row] for row in short]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}). Run the step that writes it.") from error


def markdown(text: str) -> str:
    """Return the Markdown of this pipeline (headings, paragraphs, pipe tables, bold, underlined, code) as HTML."""
    parts = []
    for block in text.strip().split("\n\n"):
        lines = block.splitlines()
        if block.startswith("#"):
            level = len(block) - len(block.lstrip("#"))
            parts.append(f"<h{level}>{_inline(block.lstrip('# '))}</h{level}>")
        elif all(line.startswith("|") for line in lines):
            rows = [[_inline(cell) for cell in row_cells(line)] for line in lines]
            parts.append(table([rows[0], *rows[2:]]))
        else:
            parts.append(f"<p>{_inline(' '.join(lines))}</p>")
    return "".join(parts)


def _literal(text: str) -> str:
    """A cell of a csv, which is data: nothing in it is a mark."""
    return "<br>".join(html.escape(one_line(line)) for line in text.split(LINE))


def _inline(text: str) -> str:
    text = html.escape(text.replace(DOLLAR, "$"))
    # A character behind a backslash becomes its number, in which nothing below finds a mark.
    text = re.sub(rf"\\(&[#\w]+;|{PUNCTUATION})", lambda match: f"&#{ord(html.unescape(match[1]))};", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"&lt;u&gt;(.+?)&lt;/u&gt;", r"<u>\1</u>", text)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def software(lock: Path) -> list[list[str]]:
    """Return package, locked version and installed version, one row each."""
    rows = [["package", "locked", "installed"], ["python", "3.11 - 3.13", platform.python_version()]]
    for line in lock.read_text(encoding="utf-8").splitlines():
        name, _, version = line.split("#")[0].partition("==")
        if version:
            rows.append([name.strip(), version.strip(), _installed(name.strip())])
    return rows


def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def table(rows: list[list[str]]) -> str:
    """Return `rows` of HTML, the header first, as a table."""
    if not rows:
        return "<p>No rows.</p>"
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


if __name__ == "__main__":
    run(main)
