"""From the checked chain to a verdict: one exit code, what is wrong, and the command that repairs it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.provenance.chain import Job, Problem
from workflow_scripts.provenance.code import REPOSITORY
from workflow_scripts.provenance.hashing import sha256_file
from workflow_scripts.provenance.revisions import LOCK, read_lock
from workflow_scripts.provenance.roots import lock_key, named_revision, unpinned

OK, BROKEN, STALE, DIRTY, NOT_FOUND = 0, 1, 2, 3, 4
_TREES = ("results", "figures")
STATE_NAME = {OK: "ok", BROKEN: "broken", STALE: "stale", DIRTY: "dirty", NOT_FOUND: "not found"}


@dataclass(frozen=True)
class Verdict:
    """What the audit of one artefact found; `code` is the exit status."""

    code: int
    problems: list[Problem]
    notes: list[str]

    @property
    def state(self) -> str:
        """The verdict as one word."""
        return STATE_NAME[self.code]


def judge(job: Job) -> Verdict:
    """Judge the chain above `job`. A broken chain weighs more than a stale input, that more than dirty code."""
    problems: dict[Problem, None] = {}
    notes: dict[str, None] = {}
    jobs = list(job.upstream())
    for step in jobs:
        for problem in [*step.problems, *(problem for edge in step.edges for problem in edge.problems)]:
            problems[problem] = None
        for note in [*step.notes, *(edge.note for edge in step.edges if edge.note)]:
            notes[note] = None
    for note in [*_hub_notes(jobs), *_code_notes(jobs)]:
        notes[note] = None
    if any(problem.state != "stale" for problem in problems):
        code = BROKEN
    elif problems:
        code = STALE
    elif any(step.record.code.dirty for step in jobs):
        code = DIRTY
    else:
        code = OK
    return Verdict(code, list(problems), list(notes))


def _hub_notes(jobs: Iterable[Job]) -> list[str]:
    """Return what the hub may give differently next time, and what the lock has been renewed for since."""
    notes = []
    try:
        lock = read_lock(LOCK)
    except UserError as error:
        lock, notes = {}, [str(error)]
    hub = [(root, job.record.config) for job in jobs for root in job.record.roots if root.kind == "hub"]
    for root, config in hub:
        if not root.revision:
            notes.append(f"{root.id}: taken from the hub without a revision, so it may differ next time")
        elif unpinned(root):
            notes.append(
                f"{root.id}: taken from the hub at {root.revision}, which is no full commit, so it may differ next time"
            )
        elif not named_revision(root, config):
            now = lock.get(lock_key(root), root.revision)
            if now != root.revision:
                notes.append(
                    f"{root.id}: made from commit {root.revision[:12]}, but config/revisions.lock.yaml now names "
                    f"{now[:12]}; new results need another results folder"
                )
    return notes


def _code_notes(jobs: list[Job]) -> list[str]:
    codes = [job.record.code for job in jobs]
    notes = []
    if any(code.dirty is None for code in codes):
        notes.append(
            "made outside a git checkout: the code is known by the hashes of its files, not by a commit"
        )
    commits = {code.commit for code in codes if code.commit}
    if len(commits) > 1:
        notes.append(
            f"made at {len(commits)} commits: " + ", ".join(sorted(commit[:7] for commit in commits))
        )
    recorded = {(name, sha256) for code in codes for name, sha256 in code.sources.items()}
    differing = sorted({name for name, sha256 in recorded if _present_source(name) != sha256})
    if differing:
        rest = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
        notes.append("the code here differs from the code that ran in: " + ", ".join(differing[:5]) + rest)
    return notes


_sources: dict[str, str | None] = {}


def _present_source(name: str) -> str | None:
    if name not in _sources:
        place = REPOSITORY / name
        _sources[name] = sha256_file(place) if place.is_file() else None
    return _sources[name]


def repair_command(target: str, remake: str | None = None) -> str:
    """Return the snakemake command that makes `target` again, starting at the job that makes `remake`."""
    parts = Path(target).parts
    scale = next((after for before, after in pairwise(parts) if before in _TREES), "mini")
    words = ["snakemake", "--profile", "slurm" if scale == "paper" else "local", target]
    if scale not in ("mini", "paper"):
        for folder in ("config", "config/examples"):
            if (REPOSITORY / folder / f"{scale}.yaml").is_file():
                words += ["--configfile", f"{folder}/{scale}.yaml"]
    return shlex.join(words + (["--forcerun", remake] if remake else []))


def verdict_lines(verdict: Verdict, target: str) -> list[str]:
    """Return the verdict as text: problems with their repair, notes, and the verdict line last."""
    lines = [f"{problem.state.upper()}: {problem.path}: {problem.message}" for problem in verdict.problems]
    repairs = {problem.remake for problem in verdict.problems if problem.remake}
    lines += [f"repair: {repair_command(target, remake)}" for remake in sorted(repairs)]
    if verdict.code == DIRTY:
        lines.append("DIRTY: a job of this chain ran uncommitted code, so no commit reproduces it")
        lines.append(f"repair: commit, then {repair_command(target)} --forceall")
    lines += [f"note: {note}" for note in verdict.notes]
    count = len(verdict.notes)
    noted = f" ({count} note{'s' if count > 1 else ''})" if count else ""
    lines.append(f"verdict: {_SENTENCE[verdict.code]}{noted}")
    return lines


_SENTENCE = {
    OK: "REPRODUCIBLE FROM RECORD",
    BROKEN: "BROKEN CHAIN",
    STALE: "STALE: made from inputs that changed since",
    DIRTY: "COMPLETE CHAIN, BUT DIRTY CODE",
}
