"""Draw one figure, or print one table, from its tidy table alone.

A figure is written as pdf, png and the csv of what it plots; a table as csv and markdown. The same table
gives the same bytes: no file holds a date.

Example:
    python -m workflow_scripts.render --config @render.json --analysis results/mini/analysis/prose_fig1.csv
        --out-dir figures/mini
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.artefacts.names import check_renderable
from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_path, write_text
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def read_analysis(path: Path) -> pd.DataFrame:
    """Return the tidy table of `analyse`."""
    import pandas as pd

    from workflow_scripts.analysis.collect import COLUMNS

    if not path.is_file():
        raise UserError(f"no file {path}. Run the step `analyse` first.")
    integers = {"step": "Int64", "n": "Int64", "k": "Int64", "n_seeds": "Int64"}
    try:
        table = pd.read_csv(path, dtype={"seed": "string", "adapted_on": "string", **integers})
    except (ValueError, pd.errors.ParserError) as error:
        raise UserError(
            f"{path} is not a table of the step `analyse`: {error}. Delete it and run again."
        ) from error
    if list(table.columns) != COLUMNS:
        raise UserError(
            f"{path}: the columns must be {', '.join(COLUMNS)}. Delete it and run `analyse` again."
        )
    return table


def save_figure(figure: Figure, config: Render, pdf: Path, png: Path) -> None:
    """Write both renderings; the artefact's id and title are embedded, dates are not."""
    identity = f"{config.artefact} scale={config.scale}"
    with atomic_path(pdf) as temporary:
        metadata = {"Title": config.entry.title, "Keywords": identity, "Creator": None, "CreationDate": None}
        figure.savefig(temporary, format="pdf", metadata=metadata)
    with atomic_path(png) as temporary:
        figure.savefig(temporary, format="png", metadata={"Title": config.entry.title, "Artefact": identity})


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
    table = read_analysis(arguments.analysis)
    is_figure = config.entry.kind == "figure"
    inputs = {"analysis": arguments.analysis}
    if not is_figure:
        inputs["paper_numbers"] = arguments.paper_numbers
    record = start_record(step="render", config=config.model_dump(mode="json"), inputs=inputs)

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
