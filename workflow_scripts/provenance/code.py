"""Which code ran: the commit, uncommitted changes, and the package's files that the process imported."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from workflow_scripts.provenance.document import Code
from workflow_scripts.provenance.hashing import sha256_file
from workflow_scripts.provenance.state import file_state

PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parent
CODE_PATHS = ("Snakefile", "rules", "workflow_scripts", "envs")
"""What makes a tree dirty. Settings do not: the record holds the resolved settings themselves."""


class GitState(NamedTuple):
    """Commit, whether the code differs from it, and the digest of the difference; nulls outside git."""

    commit: str | None
    dirty: bool | None
    diff_sha256: str | None


def _git(repository: Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments],
            capture_output=True,
            timeout=30,
            check=False,
            # Without this, `git status` of parallel jobs would compete for the index lock.
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


@cache
def git_state(repository: Path = REPOSITORY) -> GitState:
    """Ask git once per process; a repository without a commit counts as dirty."""
    top = _git(repository, "rev-parse", "--show-toplevel")
    if top is None or Path(os.fsdecode(top.rstrip(b"\n"))).resolve() != repository.resolve():
        return GitState(None, None, None)
    head = _git(repository, "rev-parse", "--verify", "HEAD")
    commit = head.decode().strip() if head else None
    status = (
        _git(repository, "status", "--porcelain", "-z", "--untracked-files=all", "--", *CODE_PATHS) or b""
    )
    if not status:
        return GitState(commit, commit is None, None)
    digest = hashlib.sha256(status)
    if commit:
        digest.update(_git(repository, "diff", "--binary", "HEAD", "--", *CODE_PATHS) or b"")
    new = _git(repository, "ls-files", "-z", "--others", "--exclude-standard", "--", *CODE_PATHS) or b""
    for name in filter(None, new.split(b"\0")):
        file = repository / os.fsdecode(name)
        if file.is_file():
            digest.update(sha256_file(file).encode())
    return GitState(commit, True, digest.hexdigest())


def imported_sources() -> dict[str, str]:
    """Return the SHA-256 of each file of the package that this process has imported, by path from the root."""
    files = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and file.endswith(".py"):
            place = Path(file).resolve()
            if place.is_relative_to(PACKAGE):
                files.add(place)
    return {
        place.relative_to(REPOSITORY).as_posix(): file_state(place).sha256
        for place in sorted(files)
        if place.is_file()
    }


def command_line() -> list[str]:
    """Return the command as it would be typed again, without this machine's path to the module."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    program = ["python", "-m", spec.name] if spec else [Path(sys.argv[0]).name]
    return program + sys.argv[1:]


def code_state() -> Code:
    """Return the facts about the code of this process, as of now."""
    return Code(**git_state()._asdict(), command=command_line(), sources=imported_sources())
