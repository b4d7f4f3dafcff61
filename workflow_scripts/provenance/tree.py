"""The chain as a tree that people read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from workflow_scripts.provenance.chain import Edge, Job
from workflow_scripts.provenance.document import Artefact, Code, ExternalRoot
from workflow_scripts.provenance.roots import unpinned


def tree_lines(job: Job, path: str | None = None) -> list[str]:
    """Return the chain above `job`, one line per artefact; what was shown once is not unfolded again.

    `path` is the output to start from, by default the job's first.
    """
    outputs = {job.shown(output.path): output.sha256 for output in job.record.outputs}
    start = path if path in outputs else job.first
    return [*_job_lines(job, {start: outputs[start]}, "", set())]


def _job_lines(job: Job, files: dict[str, str], name: str, shown: set[Path]) -> Iterator[str]:
    """Yield the lines of a job reached through `files`: path -> SHA-256."""
    record = job.record
    label = f"{name}: " if name else ""
    states = sorted({problem.state for problem in job.problems})
    state = ", ".join(states).upper() or "ok"
    line = f"{label}{_folded(list(files))}  {state}  {record.step}  {record.ended[:16].replace('T', ' ')}"
    if job.found.path in shown:
        yield f"{line}  (above)"
        return
    shown.add(job.found.path)
    yield f"{line}  sha256 {', '.join(sha256[:12] for sha256 in files.values())}"
    branches: list[list[str]] = [[f"config {record.config_sha256[:12]}   code {_code(record.code)}"]]
    branches += [[_directory(output, job)] for output in record.outputs if output.files is not None]
    branches += [[_root(root)] for root in record.roots]
    branches += [list(_edge_lines(edges, shown)) for edges in _by_job(job.edges)]
    for index, lines in enumerate(branches):
        last = index == len(branches) - 1
        yield ("└─ " if last else "├─ ") + lines[0]
        yield from (("   " if last else "│  ") + line for line in lines[1:])


def _by_job(edges: list[Edge]) -> list[list[Edge]]:
    """Put inputs that one job made on one branch."""
    groups: dict[object, list[Edge]] = {}
    for edge in edges:
        groups.setdefault(edge.job.found.path if edge.job else id(edge), []).append(edge)
    return list(groups.values())


def _edge_lines(edges: list[Edge], shown: set[Path]) -> Iterator[str]:
    name = ", ".join(edge.input.name for edge in edges[:3]) + (", …" if len(edges) > 3 else "")
    job = edges[0].job
    problems = [problem for edge in edges for problem in edge.problems]
    if job is None:
        state = ", ".join(sorted({problem.state for problem in problems})).upper() or "from outside"
        yield f"{name}: {edges[0].input.path}  {state}  sha256 {edges[0].input.sha256[:12]}"
        return
    files = {edge.input.path: edge.input.sha256 for edge in sorted(edges, key=lambda edge: edge.input.path)}
    lines = _job_lines(job, files, name, shown)
    first = next(lines)
    yield first + ("  STALE" if any(problem.state == "stale" for problem in problems) else "")
    yield from lines


def _folded(paths: list[str]) -> str:
    """Write several files of one folder as `folder/{a,b}`."""
    unique = sorted(set(paths))
    if len(unique) == 1:
        return unique[0]
    folders = {PurePath(path).parent.as_posix() for path in unique}
    if len(folders) > 1:
        return ", ".join(unique)
    return f"{folders.pop()}/{{{','.join(PurePath(path).name for path in unique)}}}"


def _code(code: Code) -> str:
    if code.dirty is None:
        return f"no commit, {len(code.sources)} files by hash"
    commit = f"commit {code.commit[:7]}" if code.commit else "no commit yet"
    return f"{commit} ({'DIRTY' if code.dirty else 'clean'})"


def _directory(output: Artefact, job: Job) -> str:
    return f"{output.name}: {job.shown(output.path)}/  Merkle {output.sha256[:12]}  {len(output.files or {})} files"


def _root(root: ExternalRoot) -> str:
    if root.kind == "hub":
        return f"{root.name}: {root.id} @ {unpinned(root) or root.revision}  (hub)"
    if root.kind == "local":
        return f"{root.name}: {root.id}  sha256 {(root.sha256 or 'unknown')[:12]}  (local)"
    return f"{root.name}: {root.kind} in the miniature world {root.id}"
