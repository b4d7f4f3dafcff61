"""Read the answers of responses that you already have, and say which are right and why.

    python -m workflow_scripts.grade samples.jsonl --text responses --gold answer --kind latex --out graded.jsonl

The file is jsonl, json, parquet or csv. COLUMN is a column's name, or a path into one (`model.solution`). What is
written holds one row per response: row (of the file, from 1), group, sample, extracted, answer, gold, verdict, rule.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.evaluation.own_samples import (
    VERDICTS,
    OwnQuestion,
    Response,
    add_flags,
    own_file,
    read_own_samples,
)
from workflow_scripts.files import atomic_path, write_text

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("group", pa.string()),
        ("sample", pa.int32()),
        ("extracted", pa.string()),
        ("answer", pa.string()),
        ("gold", pa.string()),
        ("verdict", pa.string()),
        ("rule", pa.string()),
    ]
)


def main(argv: list[str] | None = None) -> None:
    """Grade the file of the command line and print what came out."""
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.grade",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path)
    add_flags(parser)
    parser.add_argument("--out", type=Path, help="graded responses: .jsonl or .parquet")
    arguments = parser.parse_args(argv)
    out: Path | None = arguments.out
    if out is not None and out.suffix not in (".jsonl", ".parquet"):
        raise UserError(f"--out {out}: give a name that ends with .jsonl or .parquet.")
    questions = read_own_samples(own_file(arguments))
    if out is not None:
        write_graded(out, questions)
    print("\n".join(summary_lines(questions)))


def write_graded(path: Path, questions: Sequence[OwnQuestion]) -> None:
    """Write one row per response in the order of the source file, atomically."""
    rows = [_row(question, response) for question, response in _in_file_order(questions)]
    if path.suffix == ".jsonl":
        write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return
    with atomic_path(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), temporary)


def _in_file_order(questions: Sequence[OwnQuestion]) -> list[tuple[OwnQuestion, Response]]:
    pairs = [(question, response) for question in questions for response in question.responses]
    return sorted(pairs, key=lambda pair: (pair[1].row, pair[1].sample))


def _row(question: OwnQuestion, response: Response) -> dict[str, object]:
    return {
        "row": response.row,
        "group": question.id,
        "sample": response.sample,
        "extracted": response.reading.extracted,
        "answer": response.reading.answer,
        "gold": question.gold,
        "verdict": question.verdict(response),
        "rule": response.reading.rule,
    }


def summary_lines(questions: Sequence[OwnQuestion]) -> Iterator[str]:
    """Yield the counts of verdicts and rules as lines; shares are of the responses with a readable gold answer."""
    verdicts = Counter(q.verdict(response) for q in questions for response in q.responses)
    rules = Counter(response.reading.rule for q in questions for response in q.responses)
    judged = verdicts.total() - verdicts["gold unreadable"]
    yield f"{verdicts.total()} responses to {len(questions)} questions"
    for verdict in VERDICTS[:3]:
        yield f"  {verdict:<16}{verdicts[verdict]:>8}  {verdicts[verdict] / judged:.4f} of {judged}"
    unreadable = sum(question.gold is None for question in questions)
    yield (f"  gold unreadable {verdicts['gold unreadable']:>8}  ({unreadable} questions, in no share)")
    yield "rules"
    for rule, count in rules.most_common():
        yield f"  {rule:<16}{count:>8}"


if __name__ == "__main__":
    run(main)
