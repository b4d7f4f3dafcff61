"""One Snakemake at a time in a results folder, without a lock that outlives a killed process."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

LOCK = ".running"
_held: list[int] = []


def hold(folder: str | Path) -> None:
    """Claim `folder` until this process ends, however it ends; exit with status 2 if another process has it.

    Snakemake's own lock stays behind after SIGKILL or a power loss, and the same command then fails. The local
    profile switches it off and relies on this one, which the operating system drops with the process.
    """
    path = Path(folder) / LOCK
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(descriptor, 20).decode().strip() or "unknown"
        os.close(descriptor)
        print(
            f"error: {folder}: another Snakemake (process {owner}) works here. Wait for it, or stop it.",
            file=sys.stderr,
        )
        sys.exit(2)
    except OSError:
        # Some network file systems have no such locks; Snakemake's own is in force unless a profile says no.
        os.close(descriptor)
        return
    os.truncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    _held.append(descriptor)


def is_held(folder: str | Path) -> bool:
    """Return whether a living process claims `folder`; False too where the file system has no such locks."""
    try:
        descriptor = os.open(Path(folder) / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
