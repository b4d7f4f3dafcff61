"""The state of a file or directory on disk, hashed at most once per process while it stays untouched."""

from __future__ import annotations

import os
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.provenance.document import Artefact, FileState
from workflow_scripts.provenance.hashing import directory_files, merkle_digest, sha256_file

_known: dict[tuple[str, int, int, int], FileState] = {}


def portable(path: str | Path, base: Path | None = None) -> str:
    """Return `path` relative to `base` (the working directory) with `/`, or absolute where it lies outside.

    A path given with `..` that leads outside stays as it was given, so that it means the same beside a moved checkout.
    """
    base = base or Path.cwd()
    whole = Path(os.path.normpath(base / path))
    if whole.is_relative_to(base):
        return whole.relative_to(base).as_posix()
    return Path(path).as_posix()


def file_state(path: Path, fresh: bool = False) -> FileState:
    """Return the state of one file; with `fresh`, its bytes are read even if they were read before."""
    stat = path.stat()
    key = (os.path.realpath(path), stat.st_ino, stat.st_size, stat.st_mtime_ns)
    if fresh or key not in _known:
        _known[key] = FileState(sha256=sha256_file(path), bytes=stat.st_size, mtime_ns=stat.st_mtime_ns)
    return _known[key]


def artefact_state(name: str, path: str | Path, fresh: bool = False) -> Artefact:
    """Return the state of a file, or of a directory with the state of each of its files.

    With `fresh`, the bytes are read even if this process read them before.

    Raises
    ------
    UserError
        If `path` does not exist, or is a directory without a file.
    """
    place = Path(path)
    if not place.exists():
        raise UserError(f"{name}: no file {path}. Check the path, or make it first with snakemake.")
    if not place.is_dir():
        state = file_state(place, fresh)
        return Artefact(name=name, path=portable(path), **state.model_dump())
    files = {relative: file_state(file, fresh) for relative, file in directory_files(place).items()}
    if not files:
        raise UserError(f"{name}: directory {path} is empty. Make it again with snakemake --force.")
    return Artefact(
        name=name,
        path=portable(path),
        sha256=merkle_digest({relative: state.sha256 for relative, state in files.items()}),
        bytes=sum(state.bytes for state in files.values()),
        mtime_ns=max(state.mtime_ns for state in files.values()),
        files=files,
    )


def untouched(recorded: Artefact, place: Path) -> bool:
    """Return whether `place` still has every recorded size and modification time (its bytes are not read)."""
    if recorded.files is None:
        return _same(recorded, place)
    if not place.is_dir():
        return False
    present = directory_files(place)
    return present.keys() == recorded.files.keys() and all(
        _same(state, present[relative]) for relative, state in recorded.files.items()
    )


def _same(recorded: FileState, place: Path) -> bool:
    try:
        stat = place.stat()
    except OSError:
        return False
    return (stat.st_size, stat.st_mtime_ns) == (recorded.bytes, recorded.mtime_ns)
