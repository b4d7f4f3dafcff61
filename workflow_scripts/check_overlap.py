"""Step `check_overlap`: how many questions the question sets share, two by two.

Writes overlap.csv (`--out`), the same as overlap.md beside it, and the record of both. It holds counts only, never the
text of a question.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.overlap import Overlap, overlaps
from workflow_scripts.questions.schema import read_questions
from workflow_scripts.settings.steps import CheckOverlap


def main(argv: list[str] | None = None) -> None:
    """Compare the question sets of the command line."""
    parser = step_parser(__doc__)
    parser.add_argument(
        "--questions", type=Path, required=True, nargs="+", help="questions.parquet of each set"
    )
    parser.add_argument("--out", type=Path, required=True, help="overlap.csv")
    arguments = parser.parse_args(argv)
    config = read_config(CheckOverlap, arguments.config)
    if len(config.question_sets) != len(arguments.questions):
        raise UserError(
            f"--questions: {len(arguments.questions)} files for the {len(config.question_sets)} question_sets of "
            "--config. Give one for each, in the same order."
        )
    inputs = {"questions": arguments.questions}
    record = start_record(step="check_overlap", config=config.model_dump(mode="json"), inputs=inputs)
    files = zip(config.question_sets, arguments.questions, strict=True)
    rows = overlaps({name: read_questions(path) for name, path in files})
    table = arguments.out.with_suffix(".md")
    write_text(table, as_markdown(rows))
    write_text(arguments.out, as_csv(rows))
    record.finish({"csv": arguments.out, "md": table}, kind="overlap")


def as_csv(rows: Sequence[Overlap]) -> str:
    """Return the rows as csv; a cell is empty where there is no number."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Overlap)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue()


def as_markdown(rows: Sequence[Overlap]) -> str:
    """Return the page of the report."""
    cells = [
        [
            "question set",
            "questions",
            "other set",
            "questions",
            "shared",
            "of the first",
            "of the other",
            "same gold",
        ]
    ]
    cells += [_cells(row) for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    lines.insert(1, f"| {' | '.join(['---', '---:', '---', *['---:'] * 5])} |")
    return "\n\n".join(["# Question sets: shared questions", "\n".join(lines), NOTE]) + "\n"


NOTE = (
    "A question is shared if its text occurs in the other set, whatever its options; case, spaces and punctuation do "
    "not count. `shared` counts those of the first set, and `same gold` those of them whose gold option has the same "
    "text in both (multiple-choice sets only). What was adapted on one of two sets that share questions is not tested "
    "out of distribution on the other."
)


def _cells(row: Overlap) -> list[str]:
    if row.set_b is None or row.share_a is None or row.share_b is None:
        return [row.set_a, str(row.questions_a), "none: this is the only question set", *["-"] * 5]
    gold = "-" if row.same_gold is None else str(row.same_gold)
    counts = [str(row.questions_b), str(row.shared_a), f"{row.share_a:.1%}", f"{row.share_b:.1%}", gold]
    return [row.set_a, str(row.questions_a), row.set_b, *counts]


if __name__ == "__main__":
    run(main)
