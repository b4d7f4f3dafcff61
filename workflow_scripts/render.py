"""Draw one figure, or print one table, from its tidy table alone.

A figure is written as pdf, png and the csv of what it plots; a table as csv and markdown. The same table
gives the same bytes: no file holds a date.

Example:
    python -m workflow_scripts.render --config @render.json --analysis results/mini/analysis/prose_fig1.csv
        --out-dir figures/mini
"""

from __future__ import annotations

import csv
import logging
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.artefacts.literal import one_line
from workflow_scripts.artefacts.names import check_renderable
from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_path, write_text
from workflow_scripts.provenance.hashing import sha256_file
from workflow_scripts.provenance.lookup import find_record
from workflow_scripts.settings.evidence import Render

ROUNDING = 1e-9
"""How far a value may lie outside its interval."""

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def read_analysis(path: Path) -> pd.DataFrame:
    """Return the tidy table of `analyse`; raise UserError if it is not as `analyse` writes it, or wrote it."""
    import pandas as pd

    from workflow_scripts.analysis.collect import COLUMNS
    from workflow_scripts.columns import check_values

    table = pd.DataFrame(_read_rows(path, list(COLUMNS)), columns=list(COLUMNS), dtype=object)
    table = table.mask(table == "")
    for name, column in COLUMNS.items():
        if column.kind == "text":
            table[name] = table[name].astype("string" if column.missing else "str")
            continue
        numbers = pd.to_numeric(table[name], errors="coerce").astype("float64")
        wrong = table[name].notna() & (numbers.isna() | ((column.kind == "whole") & (numbers % 1 != 0)))
        if wrong.any():
            row, kind = wrong.argmax(), "a whole number" if column.kind == "whole" else "a number"
            raise _damaged(path, f"column {name} is {table[name][row]!r:.40} in row {row + 1}, not {kind}")
        table[name] = numbers
    check_values(path, table, COLUMNS)
    value, low, high = table["value"], table["low"], table["high"]
    parted = (low.isna() != high.isna()) | (low.notna() & value.isna())
    outside = (low > value + ROUNDING) | (value > high + ROUNDING)
    sampled = low.notna() | (table["metric"].str.endswith("@k") & value.notna())
    uncounted = sampled & table[["n", "k"]].isna().any(axis=1)
    for bad, what in (
        (parted, "value, low and high are not all there"),
        (outside, "value is outside low and high"),
        (uncounted, "n or k is missing"),
    ):
        if bad.any():
            raise _damaged(path, f"{what} in row {bad.argmax() + 1}")
    found = find_record(path)
    recorded = found.output_at(path) if found else None
    if recorded is not None and recorded.sha256 != sha256_file(path):
        raise UserError(f"{path} is not as `analyse` wrote it. Delete it and run again.")
    return table.astype({name: "Int64" for name, column in COLUMNS.items() if column.kind == "whole"})


def _read_rows(path: Path, columns: list[str]) -> list[list[str]]:
    """Return the fields of each line after the first, which names the columns."""
    if not path.is_file():
        raise UserError(f"no file {path}. Run the step `analyse` first.")
    try:
        text = path.read_text(encoding="utf-8")
        lines = list(csv.reader(StringIO(text), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise _damaged(path, f"not a table of the step `analyse`: {error}") from error
    if not lines or lines[0] != columns:
        raise _damaged(path, f"the columns must be {', '.join(columns)}")
    for number, line in enumerate(lines, start=1):
        if len(line) != len(columns):
            raise _damaged(path, f"line {number} has {len(line)} of {len(columns)} fields")
    if not text.endswith("\n"):
        raise _damaged(path, "its last line is cut off")
    return lines[1:]


def _damaged(path: Path, what: str) -> UserError:
    return UserError(f"{path}: {what}. Delete it and run Snakemake again.")


def save_figure(figure: Figure, config: Render, pdf: Path, png: Path) -> None:
    """Write both renderings; the artefact's id and title are embedded, dates are not."""
    identity, title = f"{config.artefact} scale={config.scale}", one_line(config.entry.title)
    with atomic_path(pdf) as temporary:
        metadata = {"Title": title, "Keywords": identity, "Creator": None, "CreationDate": None}
        figure.savefig(temporary, format="pdf", metadata=metadata)
    with atomic_path(png) as temporary:
        figure.savefig(temporary, format="png", metadata={"Title": title, "Artefact": identity})


def main(argv: list[str] | None = None) -> None:
    parser = step_parser(__doc__)
    parser.add_argument("--analysis", required=True, type=Path, help="the tidy table (csv)")
    parser.add_argument(
        "--paper-numbers",
        type=Path,
        default=Path("config/paper_numbers.csv"),
        help="published numbers (tables only)",
    )
    parser.add_argument(
        "--out-dir", required=True, type=Path, help="folder; the files are named by the artefact"
    )
    arguments = parser.parse_args(argv)
    config = read_config(Render, arguments.config)

    from workflow_scripts.artefacts.paper_numbers import read_paper_numbers
    from workflow_scripts.artefacts.registry import FIGURES, TABLES
    from workflow_scripts.artefacts.style import paper_style
    from workflow_scripts.provenance.record import start_record

    check_renderable(config.artefact, config.entry)
    is_figure = config.entry.kind == "figure"
    inputs = {"analysis": arguments.analysis}
    if not is_figure:
        inputs["paper_numbers"] = arguments.paper_numbers
    record = start_record(step="render", config=config.model_dump(mode="json"), inputs=inputs)
    table = read_analysis(arguments.analysis)

    suffixes = ("pdf", "png", "csv") if is_figure else ("csv", "md")
    outputs = {suffix: arguments.out_dir / f"{config.artefact}.{suffix}" for suffix in suffixes}
    if is_figure:
        with paper_style():
            figure, printed = FIGURES[config.entry.drawn_as(config.artefact)].draw(table, config)
            save_figure(figure, config, outputs["pdf"], outputs["png"])
    else:
        print_table = TABLES[config.entry.drawn_as(config.artefact)]
        printed, text = print_table(table, config, read_paper_numbers(arguments.paper_numbers))
        write_text(outputs["md"], text)
    with atomic_path(outputs["csv"]) as temporary:
        printed.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")
    record.finish(outputs=outputs, kind=config.entry.kind)
    logging.info("%s -> %s", config.artefact, ", ".join(str(path) for path in outputs.values()))


if __name__ == "__main__":
    run(main)
