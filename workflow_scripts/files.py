"""Atomic writes: a file is either absent or complete, whatever kills the process."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError

logger = logging.getLogger(__name__)


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success fsync it and rename it to `path`.

    The temporary name keeps the suffix of `path`, so that writers which look at it behave the same. A full disk or a
    folder that cannot be written is a UserError, and nothing of the file is left.
    """
    path = Path(path)
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror}. Make room, or give a writable folder in the scale file's "
            "`results` or `figures`."
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as indented JSON with a final newline, atomically; NaN is refused."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold `folder` against other processes of the same job; wait for one that still runs.

    A Snakemake that was killed leaves its jobs running: the job started by its successor must not write into the
    same state beside them. The lock is the operating system's and ends with the process that holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / ".lock", "w", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise UserError(f"cannot write into the folder {folder}: {error.strerror}. Name another.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            logger.info("waiting for another process that works in %s", folder)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
