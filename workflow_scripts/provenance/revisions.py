"""Commits of hub repositories: the lock that pins them, and the small file in which a job gets its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.provenance.code import REPOSITORY
from workflow_scripts.yaml_file import read_yaml

LOCK = REPOSITORY / "config" / "revisions.lock.yaml"

HEADER = "# Commits of hub repositories, written by `python -m workflow_scripts.pin_revisions`. Commit this file.\n"


def is_commit(revision: str) -> bool:
    """Return whether `revision` is a full commit; branches, tags and short commits can name another one tomorrow."""
    return re.fullmatch(r"[0-9a-f]{40}", revision) is not None


def read_lock(path: Path) -> dict[str, str]:
    """Return the lock: `datasets/<id>` or `models/<id>` -> commit; empty if there is no file.

    Raises
    ------
    UserError
        If it is not YAML of that kind.
    """
    if not path.is_file():
        return {}
    entries = read_yaml(path)
    if not isinstance(entries, dict):
        raise UserError(f"{path}: needs lines such as `datasets/owner/name: <commit>`.")
    for key, commit in entries.items():
        if not isinstance(key, str) or not key.startswith(("datasets/", "models/")):
            raise UserError(f"{path}: {key}: is neither datasets/<id> nor models/<id>.")
        if not isinstance(commit, str) or not is_commit(commit):
            raise UserError(
                f"{path}: {key}: {commit!r} is no commit (40 hex digits, in quotes if all are 0-9)."
            )
    return entries


def write_lock(path: Path, entries: dict[str, str]) -> None:
    """Write the lock, sorted and atomically."""
    write_text(path, HEADER + yaml.safe_dump(dict(sorted(entries.items())), width=1000))


def read_revision(path: Path, source_id: str) -> str:
    """Return the commit of repository `source_id` from the file that the rule pin_revision made.

    Raises
    ------
    UserError
        If the file is missing, broken, or of another repository.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found, revision = content["id"], content["revision"]
    except OSError as error:
        raise UserError(
            f"--revision: cannot read {path} ({error.strerror}). Run the rule pin_revision."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"--revision: {path} is no file of the rule pin_revision. Make it again.") from error
    if found != source_id or not isinstance(revision, str) or not is_commit(revision):
        raise UserError(f"--revision: {path} names no commit of {source_id}, but {found!r} at {revision!r}.")
    return revision
