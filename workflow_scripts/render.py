"""Draw one figure, or print one table, from its tidy table alone.

A figure is written as pdf, png and the csv of what it plots; a table as csv and markdown. The same table
gives the same bytes: no file holds a date.

Example:
    python -m workflow_scripts.render --config @render.json --analysis results/mini/analysis/prose_fig1.csv
        --out-dir figures/mini
"""

from __future__ import annotations

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
    from workflow_scripts.analysis.columns import TEXT, Column, check_values

    if not path.is_file():
        raise UserError(f"no file {path}. Run the step `analyse` first.")
    numbers = dict.fromkeys(("value", "sd", "low", "high"), Column("number", missing=True))
    counts = dict.fromkeys(("step", "n", "k", "n_seeds"), Column("whole", low=0, missing=True))
    texts = dict.fromkeys(("artefact", "policy_role", "questions_role", "method", "metric"), TEXT)
    types = dict.fromkeys(("seed", "adapted_on"), "string")
    try:
        text = path.read_text(encoding="utf-8")
        if not text.endswith("\n"):
            raise ValueError("its last line is cut off")
        types |= dict.fromkeys(numbers, "float64") | dict.fromkeys(counts, "Int64")
        table = pd.read_csv(StringIO(text), dtype=types)
    except (ValueError, TypeError, pd.errors.ParserError) as error:
        raise UserError(
            f"{path} is not a table of the step `analyse`: {error}. Delete it and run again."
        ) from error
    if list(table.columns) != COLUMNS:
        raise UserError(
            f"{path}: the columns must be {', '.join(COLUMNS)}. Delete it and run `analyse` again."
        )
    check_values(path, table, numbers | counts | texts)
    outside = (table["low"] > table["value"] + ROUNDING) | (table["value"] > table["high"] + ROUNDING)
    uncounted = (
        table["metric"].str.endswith("@k") & table["value"].notna() & table[["n", "k"]].isna().any(axis=1)
    )
    for wrong, what in ((outside, "value is outside low and high"), (uncounted, "n or k is missing")):
        if wrong.any():
            raise UserError(f"{path}: {what} in row {wrong.argmax() + 1}. Delete it and run again.")
    found = find_record(path)
    recorded = found.output_at(path) if found else None
    if recorded is not None and recorded.sha256 != sha256_file(path):
        raise UserError(f"{path} is not as `analyse` wrote it. Delete it and run again.")
    return table


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
            figure, printed = FIGURES[config.artefact].draw(table, config)
            save_figure(figure, config, outputs["pdf"], outputs["png"])
    else:
        printed, text = TABLES[config.artefact](table, config, read_paper_numbers(arguments.paper_numbers))
        write_text(outputs["md"], text)
    with atomic_path(outputs["csv"]) as temporary:
        printed.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")
    record.finish(outputs=outputs, kind=config.entry.kind)
    logging.info("%s -> %s", config.artefact, ", ".join(str(path) for path in outputs.values()))


if __name__ == "__main__":
    run(main)
