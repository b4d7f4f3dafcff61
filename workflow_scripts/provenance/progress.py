"""How far each job of a plan is, read from its files, its log and Snakemake's marks; nothing is run."""

from __future__ import annotations

import os
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["done", "running", "failed", "missing"]
RECENT_SECONDS = 600
"""A job whose log grew this recently counts as running, even if its Snakemake runs on another machine."""


@dataclass(frozen=True)
class Progress:
    """State of one job, and the log to read (None if there is none)."""

    rule: str
    name: str
    state: State
    log: Path | None


def incomplete_outputs(workdir: Path) -> set[str]:
    """Return the outputs that Snakemake marked as begun and not finished.

    A mark is a file under .snakemake/incomplete named by the URL-safe base64 of the output's path; a long name is
    split over directories that start with `@`.
    """
    folder = workdir / ".snakemake" / "incomplete"
    found = set()
    for parent, _, files in os.walk(folder):
        start = "".join(part.removeprefix("@") for part in Path(parent).relative_to(folder).parts)
        for file in files:
            try:
                found.add(urlsafe_b64decode(start + file).decode())
            except ValueError:
                continue
    return found


class Logs:
    """The logs under `<results>/logs/<rule>/`, with the benchmarks that Snakemake writes after a success."""

    def __init__(self, results: Path) -> None:
        self._logs = results / "logs"
        self._benchmarks = results / "benchmarks"

    def of(self, rules: tuple[str, ...], name: str) -> Path | None:
        """Return the newest log that one of `rules` wrote for the job called `name`."""
        logs = [log for rule in rules if (log := self._logs / rule / f"{name}.log").is_file()]
        return max(logs, key=lambda log: log.stat().st_mtime, default=None)

    def tells_of_success(self, log: Path) -> bool:
        """Return whether the job ended well after it wrote this log: then its benchmark is no older."""
        benchmark = self._benchmarks / log.relative_to(self._logs).with_suffix(".jsonl")
        # The log passes through `tee`, which may close it a moment after the job has ended.
        return benchmark.is_file() and benchmark.stat().st_mtime > log.stat().st_mtime - 5


def job_progress(
    rules: tuple[str, ...],
    name: str,
    outputs: Iterable[str],
    workdir: Path,
    incomplete: set[str],
    running: bool,
    logs: Logs,
) -> Progress:
    """Return the state of a job from its declared outputs, which include its record.

    It runs if its outputs are marked as begun and Snakemake is `running` or the job's log still grows. It failed if
    they are marked without that (it was killed), or if there is a log but neither the outputs nor a success after it.
    """
    paths = list(outputs)
    log = logs.of(rules, name)
    if any(path in incomplete for path in paths):
        state: State = "running" if running or _grows(log) else "failed"
    elif all((workdir / path).exists() for path in paths):
        state = "done"
    else:
        state = "failed" if log and not logs.tells_of_success(log) else "missing"
    return Progress(rules[0], name, state, log)


def _grows(log: Path | None) -> bool:
    return log is not None and time.time() - log.stat().st_mtime < RECENT_SECONDS


def needed(first: str, inputs_of: dict[str, list[str]]) -> Iterator[str]:
    """Yield `first` and everything it is made from, each once; `inputs_of` maps a job to the jobs it needs."""
    seen: set[str] = set()
    waiting = [first]
    while waiting:
        job = waiting.pop()
        if job not in seen:
            seen.add(job)
            yield job
            waiting.extend(inputs_of.get(job, []))
