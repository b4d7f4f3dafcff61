"""Content hashes: of a file, of a directory (Merkle), and of a JSON value."""

from __future__ import annotations

import hashlib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from workflow_scripts.settings.identity import canonical_json

IGNORED = (
    ".*",
    "__pycache__",
    "optimizer*",
    "scheduler*",
    "rng_state*",
    "trainer_state.json",
    "training_args.bin",
)
"""Names left out of a directory's digest: hidden files, and training state that no result depends on."""


def sha256_file(path: str | Path) -> str:
    """Return the SHA-256 of the file's bytes as 64 hex digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_text(text: str) -> str:
    """Return the SHA-256 of `text` in UTF-8 as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_json(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of `value`."""
    return sha256_text(canonical_json(value))


def directory_files(directory: str | Path) -> dict[str, Path]:
    """Return the files of `directory` that count, by POSIX path relative to it, in sorted order.

    Links are followed, so that a linked model directory has the digest of its target.
    """
    found: dict[str, Path] = {}
    _collect(Path(directory), "", found)
    return dict(sorted(found.items()))


def _collect(directory: Path, prefix: str, found: dict[str, Path]) -> None:
    for entry in directory.iterdir():
        if any(fnmatch(entry.name, pattern) for pattern in IGNORED):
            continue
        if entry.is_dir():
            _collect(entry, f"{prefix}{entry.name}/", found)
        else:
            found[f"{prefix}{entry.name}"] = entry


def merkle_digest(files: dict[str, str]) -> str:
    """Return the digest of a directory from the SHA-256 of each file, by relative path.

    It is the SHA-256 of the canonical JSON of the sorted list of (relative path, SHA-256).
    """
    return sha256_json([[name, files[name]] for name in sorted(files)])
