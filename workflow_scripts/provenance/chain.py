"""The chain behind an artefact: every job that led to it, and what no longer holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from workflow_scripts.provenance.document import SUFFIX, Artefact, BrokenRecord, Input, ProvenanceRecord
from workflow_scripts.provenance.hashing import directory_files
from workflow_scripts.provenance.lookup import Found, find_record
from workflow_scripts.provenance.state import artefact_state, file_state, portable, untouched

State = Literal["changed", "missing", "no record", "record changed", "stale"]
REREAD_BYTES = 64 * 2**20
"""A file whose time changed but not its size is read again up to this size; a larger one only to verify."""


@dataclass(frozen=True)
class Problem:
    """What does not hold: at which path, how it should be, and the output whose job repairs it."""

    path: str
    state: State
    message: str
    remake: str | None


@dataclass
class Edge:
    """An input of a job, with the job that made it (None for an external root or a missing record)."""

    input: Input
    job: Job | None
    problems: list[Problem] = field(default_factory=list)
    note: str | None = None


@dataclass
class Job:
    """A record in the chain, with the check of its outputs and the way up."""

    found: Found
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    @property
    def record(self) -> ProvenanceRecord:
        """The record's content."""
        return self.found.record

    def shown(self, recorded: str) -> str:
        """Return a path of this record as the user would type it here."""
        return portable(self.found.place(recorded))

    @property
    def first(self) -> str:
        """The first output, as the user would type it here."""
        return self.shown(self.record.outputs[0].path)

    def upstream(self) -> Iterator[Job]:
        """Yield this job and every job above it, each once."""
        seen: set[Path] = set()
        waiting = [self]
        while waiting:
            job = waiting.pop(0)
            if job.found.path in seen:
                continue
            seen.add(job.found.path)
            yield job
            waiting.extend(edge.job for edge in job.edges if edge.job)


class ChainReader:
    """Walks records upwards. Jobs are checked once, however many artefacts rest on them.

    Parameters
    ----------
    verify
        Read every byte of every output and external root again, instead of trusting size and time.
    """

    def __init__(self, verify: bool = False) -> None:
        self.verify = verify
        self._jobs: dict[Path, Job] = {}

    def job(self, found: Found) -> Job:
        """Return the checked job of a record."""
        if found.path not in self._jobs:
            job = self._jobs[found.path] = Job(found)
            for output in found.record.outputs:
                self._check(output, found.place(output.path), job)
            if self.verify:
                self._verify_roots(job)
            job.edges = [self._edge(item, job) for item in found.record.inputs]
        return self._jobs[found.path]

    def _verify_roots(self, job: Job) -> None:
        """Read local files and models from outside again; without `verify` the copy made from them is enough."""
        for root in job.record.roots:
            place = job.found.place(root.id)
            if root.kind != "local" or root.sha256 is None:
                continue
            if not place.exists():
                job.notes.append(f"{root.id}: comes from outside the workflow and is not here to be verified")
            elif artefact_state(root.name, place, fresh=True).sha256 != root.sha256:
                message = f"read {root.id} as it was then (sha256 {root.sha256[:12]}); it changed"
                job.problems.append(Problem(job.first, "stale", message, job.first))

    def _check(self, recorded: Artefact, place: Path, job: Job) -> None:
        shown = portable(place)
        if not place.exists():
            job.problems.append(Problem(shown, "missing", "recorded, but not here", job.first))
            return
        changes, unread = self._changes(recorded, place)
        for name, message in changes:
            path = f"{shown}/{name}" if name else shown
            job.problems.append(Problem(path, "changed", message, job.first))
        if unread:
            job.notes.append(f"{shown}: touched since it was recorded and not read again; use --verify")

    def _changes(self, recorded: Artefact, place: Path) -> tuple[list[tuple[str, str]], bool]:
        """Return (name, what changed) of each changed file, and whether a large file was left unread."""
        if not self.verify and untouched(recorded, place):
            return [], False
        if (recorded.files is None) == place.is_dir():
            return [("", "a file where a directory was recorded, or the other way round")], False
        expected = {"": recorded} if recorded.files is None else recorded.files
        present = {"": place} if recorded.files is None else directory_files(place)
        changes = [(name, "added since it was recorded") for name in present.keys() - expected.keys()]
        unread = False
        for name, state in expected.items():
            if name not in present:
                changes.append((name, "recorded, but not here"))
                continue
            file = present[name]
            same_size = file.stat().st_size == state.bytes
            if same_size and not self.verify and state.bytes > REREAD_BYTES:
                unread = True
                continue
            if not same_size or file_state(file, fresh=self.verify).sha256 != state.sha256:
                changes.append((name, f"is not what was recorded (sha256 {state.sha256[:12]})"))
        return sorted(changes), unread

    def _edge(self, item: Input, job: Job) -> Edge:
        place = job.found.place(item.path)
        shown = portable(place)
        edge = Edge(item, None)
        try:
            found = find_record(place)
        except BrokenRecord as error:
            record = portable(error.path)
            remake = record.removesuffix(SUFFIX)  # the job's first output
            edge.problems.append(Problem(record, "record changed", str(error), remake))
            return edge
        made = found.output_at(place) if found else None
        if found and made:
            edge.job = self.job(found)
            self._compare(item, made, found, place, edge, job)
        elif item.record:
            remake = portable(job.found.place(item.record.path)).removesuffix(SUFFIX)
            edge.problems.append(
                Problem(shown, "no record", f"its record {item.record.path} is gone", remake)
            )
        else:
            self._check_root(item, place, edge, job)
        return edge

    def _compare(self, item: Input, made: Artefact, found: Found, place: Path, edge: Edge, job: Job) -> None:
        """Hold what the job read against what the record of its input says now."""
        current = made.sha256
        if found.place(made.path).resolve() != place.resolve() and made.files is not None:
            inside = place.resolve().relative_to(found.place(made.path).resolve()).as_posix()
            current = made.files[inside].sha256 if inside in made.files else item.sha256
        link = item.record
        if current != item.sha256:
            message = f"read {portable(place)} as it was then (sha256 {item.sha256[:12]}), now {current[:12]}"
            edge.problems.append(Problem(job.first, "stale", message, job.first))
        elif link and link.lineage_sha256 != found.record.lineage_sha256:
            message = f"read {portable(place)} when it was made from other inputs or settings"
            edge.problems.append(Problem(job.first, "stale", message, job.first))
        elif link and link.record_sha256 != found.record.record_sha256:
            edge.note = f"{portable(place)}: made again since, with the same content"

    def _check_root(self, item: Input, place: Path, edge: Edge, job: Job) -> None:
        shown = portable(place)
        if not place.exists():
            message = "comes from outside the workflow and is not here; put it back"
            edge.problems.append(Problem(shown, "missing", message, None))
            return
        changes, unread = self._changes(item, place)
        if changes:
            names = ", ".join(name for name, _ in changes if name)
            message = f"read {shown} as it was then (sha256 {item.sha256[:12]}); it changed" + (
                f": {names}" if names else ""
            )
            edge.problems.append(Problem(job.first, "stale", message, job.first))
        if unread:
            edge.note = f"{shown}: touched since it was read and not read again; use --verify"
