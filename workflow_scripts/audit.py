"""Say what made a figure, a table or a checkpoint, and whether that still holds.

    python -m workflow_scripts.audit figures/mini/prose_fig1.pdf
    python -m workflow_scripts.audit --all --results results/mini --figures figures/mini

Exit status: 0 reproducible from its record, 1 broken chain, 2 stale, 3 dirty code, 4 not found. With `--out` the
states are in the table, and the status is 0 when it is written. A wrong command line leaves 2 and a line `error: ...`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.provenance.chain import ChainReader, Job
from workflow_scripts.provenance.document import SUFFIX, BrokenRecord
from workflow_scripts.provenance.hashing import sha256_file
from workflow_scripts.provenance.inventory import Row, as_csv, inventory
from workflow_scripts.provenance.lookup import Found, find_by_sha256, find_record, load, sidecars
from workflow_scripts.provenance.record import start_record
from workflow_scripts.provenance.state import portable
from workflow_scripts.provenance.tree import tree_lines
from workflow_scripts.provenance.verdict import (
    BROKEN,
    DIRTY,
    NOT_FOUND,
    OK,
    STALE,
    Verdict,
    judge,
    repair_command,
    verdict_lines,
)


def main(argv: list[str] | None = None) -> None:
    """Audit one path, or everything."""
    arguments = _parser().parse_args(argv)
    reader = ChainReader(verify=arguments.verify)
    if arguments.out and not arguments.all:
        raise UserError("--out writes the rows of --all. Give --all instead of a path, or leave --out away.")
    try:
        sys.exit(_audit(arguments, reader))
    except OSError as error:
        raise UserError(f"cannot read {error.filename or arguments.path}: {error.strerror}.") from error


def _audit(arguments: argparse.Namespace, reader: ChainReader) -> int:
    if arguments.all:
        if arguments.path:
            raise UserError("give a path or --all, not both")
        return _audit_all(arguments, reader)
    if not arguments.path:
        raise UserError(
            "what shall be audited? Give a path, for example figures/mini/prose_fig1.pdf, or --all"
        )
    return _audit_one(arguments, reader)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.audit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", type=Path, help="any output of the workflow, or a copy of one")
    parser.add_argument("--all", action="store_true", help="one row per figure and table")
    parser.add_argument("--results", type=Path, default=None, help="default: results/mini with --all")
    parser.add_argument("--figures", type=Path, default=None, help="default: figures/mini with --all")
    parser.add_argument("--out", type=Path, help="with --all: write the rows as csv, with a record")
    parser.add_argument("--verify", action="store_true", help="read and hash every byte of the chain again")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _audit_one(arguments: argparse.Namespace, reader: ChainReader) -> int:
    path: Path = arguments.path
    shown = portable(path)
    try:
        found, copied = _find(path, arguments.results, arguments.figures)
    except BrokenRecord as error:
        record = portable(error.path)
        message = f"RECORD CHANGED: {record}: {error}"
        return _refuse(arguments.json, BROKEN, shown, message, remake=record.removesuffix(SUFFIX))
    if found is None:
        if path.exists():
            message = (
                f"NOT FOUND: {shown}: no record says what made it, and no recorded output has its content"
            )
        else:
            message = f"NOT FOUND: {shown}: no such file, and no record of one"
        return _refuse(arguments.json, NOT_FOUND, shown, message, remake=shown)
    job = reader.job(found)
    verdict = judge(job)
    if arguments.json:
        _print([json.dumps(_as_json(job, verdict, shown, copied), indent=1, ensure_ascii=False)], plain=True)
        return verdict.code
    lines = [f"{shown} is a copy of {copied}"] if copied else []
    target = copied or _target(job, path)
    lines += [*tree_lines(job, target), *verdict_lines(verdict, target)]
    _print(lines)
    return verdict.code


def _target(job: Job, path: Path) -> str:
    """Return what to ask snakemake for: the audited output itself, else the job's first output."""
    return portable(path) if job.found.output_at(path) and not path.is_dir() else job.first


def _find(path: Path, results: Path | None, figures: Path | None) -> tuple[Found | None, str | None]:
    """Return the record of `path`, and for a copy the path of the original.

    A folder stands for the first record in it, where no record lists the folder itself.
    """
    found = find_record(path)
    if found is None and path.is_dir():
        inside = sidecars(path)
        return (load(inside[0]) if inside else None), None
    if found is None and path.is_file():
        sha256 = sha256_file(path)
        found = find_by_sha256(sha256, figures or Path("figures"), results or Path("results"))
        if found:
            original = next(output for output in found.record.outputs if output.sha256 == sha256)
            return found, portable(found.place(original.path))
    return found, None


def _refuse(as_json: bool, code: int, path: str, message: str, remake: str) -> int:
    words = {BROKEN: "BROKEN CHAIN", NOT_FOUND: "NOT FOUND"}
    if as_json:
        print(
            json.dumps({"path": path, "verdict": words[code].lower(), "exit_code": code, "message": message})
        )
        return code
    # Only what lies in these two folders can be a target of the workflow.
    made_here = not Path(remake).is_dir() and Path(remake).parts[:1] in (("results",), ("figures",))
    command = repair_command(remake) + (" --force" if Path(remake).exists() else "")
    _print([message, *([f"repair: {command}"] if made_here else []), f"verdict: {words[code]}"])
    return code


def _as_json(job: Job, verdict: Verdict, path: str, copied: str | None) -> dict[str, Any]:
    return {
        "path": path,
        "copy_of": copied,
        "verdict": verdict.state,
        "exit_code": verdict.code,
        "problems": [asdict(problem) for problem in verdict.problems],
        "notes": verdict.notes,
        "chain": [
            {
                "record": portable(step.found.path),
                "problems": [asdict(problem) for problem in step.problems],
                "made_by": {
                    edge.input.name: portable(edge.job.found.path) if edge.job else None
                    for edge in step.edges
                },
                **step.record.model_dump(mode="json", exclude={"path"}),
            }
            for step in job.upstream()
        ],
    }


def _audit_all(arguments: argparse.Namespace, reader: ChainReader) -> int:
    results = arguments.results or Path("results/mini")
    figures = arguments.figures or Path("figures/mini")
    if not results.is_dir() and not figures.is_dir():
        _print([f"NOT FOUND: neither {results} nor {figures}", "repair: snakemake --profile local headline"])
        return NOT_FOUND
    rows = inventory(results, figures, reader)
    if arguments.out:
        _write(rows, results, figures, arguments.out)
    if arguments.json:
        _print([json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)], plain=True)
    else:
        _print([f"{row.state:7} {row.kind:6} {row.path}  {row.problems}".rstrip() for row in rows])
        _print([f"{len(rows)} figures and tables, {sum(row.state == 'ok' for row in rows)} ok"])
    if arguments.out:
        return OK
    codes = {row.code for row in rows}
    return next((code for code in (BROKEN, STALE, DIRTY) if code in codes), OK)


def _write(rows: list[Row], results: Path, figures: Path, out: Path) -> None:
    config = {"results": portable(results), "figures": portable(figures)}
    recorded = [row.path for row in rows if Path(row.path).exists() and row.commit]
    record = start_record("audit", config, {"audited": recorded})
    write_text(out, as_csv(rows))
    record.finish({"figures": out}, kind="audit")


def _print(lines: list[str], plain: bool = False) -> None:
    """Print lines; on a terminal, the words that tell of trouble are red unless `plain`."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ and not plain
    for line in lines:
        if colour:
            for word in ("DIRTY", "BROKEN", "CHANGED", "MISSING", "STALE", "NO RECORD", "NOT FOUND"):
                line = line.replace(word, f"\033[31m{word}\033[0m")
        try:
            print(line, flush=True)
        except BrokenPipeError:
            # The reader (`head`) has seen enough; without this, Python would complain again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return


if __name__ == "__main__":
    run(main)
