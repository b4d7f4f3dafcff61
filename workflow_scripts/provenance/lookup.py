"""Where the record of a file is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workflow_scripts.provenance.document import (
    SUFFIX,
    Artefact,
    BrokenRecord,
    ProvenanceRecord,
    read_record,
)


@dataclass(frozen=True)
class Found:
    """A record file: `path` is where it lies now, and `record` its content."""

    path: Path
    record: ProvenanceRecord

    @cached_property
    def base(self) -> Path:
        """The directory that the record's paths are relative to, wherever the whole tree lies now."""
        whole = self.path.absolute()
        parts = Path(self.record.path).parts
        if not Path(self.record.path).is_absolute() and whole.parts[-len(parts) :] == parts:
            return Path(*whole.parts[: -len(parts)])
        return Path.cwd()

    def place(self, recorded: str) -> Path:
        """Return where a path of this record is on disk."""
        return self.base / recorded

    def output_at(self, path: Path) -> Artefact | None:
        """Return the output that is `path`, or the directory output that holds it."""
        wanted = path.absolute()
        for output in self.record.outputs:
            place = self.place(output.path)
            if place == wanted or place.resolve() == wanted.resolve():
                return output
        for output in self.record.outputs:
            if output.files is not None and wanted.resolve().is_relative_to(
                self.place(output.path).resolve()
            ):
                return output
        return None


_read: dict[tuple[Path, int, int], Found] = {}


def load(path: Path) -> Found:
    """Read a record, once per process while its file stays untouched.

    Raises
    ------
    BrokenRecord
        If it cannot be trusted.
    """
    path = path.absolute()
    try:
        stat = path.stat()
    except OSError as error:
        raise BrokenRecord(path, f"is not a readable record ({error.strerror})") from error
    key = (path, stat.st_size, stat.st_mtime_ns)
    if key not in _read:
        _read[key] = Found(path, read_record(path))
    return _read[key]


def sidecars(folder: Path) -> list[Path]:
    """Return the record files that lie directly in `folder`, sorted by name."""
    return sorted(folder.glob("*" + SUFFIX)) if folder.is_dir() else []


def find_record(path: Path) -> Found | None:
    """Return the record of a file or directory, or None if there is none.

    It is `path.prov.json`, else a record in the same folder that lists `path`, else one in a folder above that
    lists a directory around `path`.

    Raises
    ------
    BrokenRecord
        If the record beside `path` cannot be trusted.
    """
    path = path.absolute()
    if not path.name:  # the root of all files
        return None
    if path.name.endswith(SUFFIX):
        return load(path) if path.exists() else None
    own = path.with_name(path.name + SUFFIX)
    if own.exists():
        return load(own)
    broken: BrokenRecord | None = None
    folder = path.parent
    for _ in range(4):
        for sidecar in sidecars(folder):
            try:
                found = load(sidecar)
            except BrokenRecord as error:
                broken = broken or error
                continue
            if found.output_at(path):
                return found
        if folder == folder.parent:
            break
        folder = folder.parent
    if broken:
        raise broken
    return None


def all_sidecars(*folders: Path) -> Iterator[Path]:
    """Yield every record file under `folders`."""
    for folder in folders:
        if folder.is_dir():
            yield from sorted(path for path in folder.rglob("*" + SUFFIX) if path.is_file())


def find_by_sha256(sha256: str, *folders: Path) -> Found | None:
    """Return the record under `folders` that lists an output with this content."""
    for sidecar in all_sidecars(*folders):
        if sha256 not in sidecar.read_text(encoding="utf-8", errors="replace"):
            continue
        try:
            found = load(sidecar)
        except BrokenRecord:
            continue
        if any(output.sha256 == sha256 for output in found.record.outputs):
            return found
    return None
