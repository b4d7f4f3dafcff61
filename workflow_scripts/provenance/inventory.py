"""One row per figure and table: what it rests on and whether that still holds."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path, PurePath

from workflow_scripts.provenance.chain import ChainReader, Job
from workflow_scripts.provenance.document import BrokenRecord, ExternalRoot
from workflow_scripts.provenance.hashing import sha256_file
from workflow_scripts.provenance.lookup import load, sidecars
from workflow_scripts.provenance.roots import unpinned
from workflow_scripts.provenance.state import portable
from workflow_scripts.provenance.verdict import BROKEN, STATE_NAME, judge

MODEL_STEPS = ("train", "pretrain_policy", "train_prm")
SUFFIXES = {".pdf", ".png", ".svg", ".csv", ".md"}


@dataclass(frozen=True)
class Row:
    """A row of figures.csv. Lists are joined by `; `; `state` is ok, broken, stale or dirty."""

    artefact: str
    kind: str
    path: str
    sha256: str
    checkpoints: str
    configs: str
    data: str
    commit: str
    state: str
    problems: str

    @property
    def code(self) -> int:
        """The exit status that an audit of this artefact alone would have."""
        return next(code for code, name in STATE_NAME.items() if name == self.state)


def inventory(results: Path, figures: Path, reader: ChainReader) -> list[Row]:
    """Return the rows of all figures under `figures` and tables under `results`/tables."""
    rows = []
    for folder, kind in ((figures, "figure"), (results / "tables", "table")):
        listed: set[Path] = set()
        for sidecar in sidecars(folder):
            try:
                found = load(sidecar)
            except BrokenRecord as error:
                rows.append(_unknown(sidecar.name.split(".")[0], kind, sidecar, str(error)))
                listed.update(folder.glob(sidecar.name.split(".")[0] + ".*"))
                continue
            rows.append(_row(reader.job(found), kind))
            listed.update(found.place(output.path) for output in found.record.outputs)
        strays = [
            file for file in _results_in(folder) if file.absolute() not in {p.absolute() for p in listed}
        ]
        rows += [_unknown(file.stem, kind, file, "no record says what made it") for file in strays]
    return sorted(rows, key=lambda row: (row.kind, row.artefact, row.path))


def _results_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [
        file
        for file in sorted(folder.iterdir())
        if file.suffix in SUFFIXES and not file.name.startswith((".", "README"))
    ]


def _unknown(artefact: str, kind: str, path: Path, problem: str) -> Row:
    return Row(artefact, kind, portable(path), sha256_file(path), "", "", "", "", STATE_NAME[BROKEN], problem)


def _row(job: Job, kind: str) -> Row:
    jobs = list(job.upstream())
    verdict = judge(job)
    return Row(
        artefact=PurePath(job.first).stem,
        kind=kind,
        path=job.first,
        sha256=job.record.outputs[0].sha256,
        checkpoints=_joined(checkpoint(step) for step in jobs if step.record.step in MODEL_STEPS),
        configs=_joined(f"{step.record.step} {step.record.config_sha256}" for step in jobs),
        data=_joined(data_set(step) for step in jobs if step.record.step == "prepare_questions"),
        commit=_joined(commit(step) for step in jobs),
        state=verdict.state,
        problems="; ".join(f"{problem.path}: {problem.message}" for problem in verdict.problems),
    )


def checkpoint(job: Job) -> str:
    """Return `<id> <sha256 of the weights' directory>`, where there is none of the first output; and a hub source."""
    outputs = job.record.outputs
    weights = next((output for output in outputs if output.files is not None), outputs[0])
    hub = _sources([root for root in job.record.roots if root.kind == "hub"])
    return f"{PurePath(job.first).parent.name} {weights.sha256}{hub}"


def data_set(job: Job) -> str:
    """Return `<id> <sha256>` of a question set, and the source with its revision or hash."""
    name = f"{PurePath(job.first).parent.name} {job.record.outputs[0].sha256}"
    return f"{name}{_sources(job.record.roots)}"


def _sources(roots: Iterable[ExternalRoot]) -> str:
    sources = [
        f"{root.kind} {root.id}" + (f" @ {state}" if state else "")
        for root in roots
        for state in (unpinned(root) or root.revision or root.sha256,)
    ]
    return f" ({', '.join(sources)})" if sources else ""


def commit(job: Job) -> str:
    """Return the commit, with `+dirty` for uncommitted changes; `none` outside git or before the first."""
    code = job.record.code
    return (code.commit or "none") + ("+dirty" if code.dirty else "")


def _joined(values: Iterable[str]) -> str:
    return "; ".join(sorted(set(values)))


def as_csv(rows: list[Row]) -> str:
    """Return the rows as the text of figures.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue()
