"""What enters the chain from outside: hub repositories, local files, the miniature worlds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.provenance.document import ExternalRoot
from workflow_scripts.provenance.revisions import is_commit
from workflow_scripts.provenance.state import artefact_state

SOURCE_KEY = {"prepare_questions": "question_set", "pretrain_policy": "policy", "train_prm": "prm"}
"""The steps where something enters, and the key of their configuration that names it."""

QUESTIONS = SOURCE_KEY["prepare_questions"]


def external_roots(step: str, config: Mapping[str, Any]) -> list[ExternalRoot]:
    """Return the sources that `config` of a first step names; a local path is hashed where it exists."""
    key = SOURCE_KEY.get(step, "")
    entry = config.get(key)
    source = entry.get("source") if isinstance(entry, Mapping) else None
    if not isinstance(source, Mapping):
        return []
    kind = source.get("kind")
    if kind == "hub":
        return [ExternalRoot(name=key, kind="hub", id=str(source["id"]), revision=source.get("revision"))]
    if kind == "local":
        side_files = source.get("side_files") or {}
        places = {key: source["path"], **{f"{key}.{name}": side_files[name] for name in sorted(side_files)}}
        return [_local(name, str(place)) for name, place in places.items()]
    if kind in ("generated", "pretrained", "finetuned", "trained"):
        return [ExternalRoot(name=key, kind=kind, id=str(source.get("world")))]
    return []


def _local(name: str, path: str) -> ExternalRoot:
    place = Path(path)
    sha256 = artefact_state(name, place).sha256 if place.exists() else None
    return ExternalRoot(name=name, kind="local", id=path, sha256=sha256)


def lock_key(root: ExternalRoot) -> str:
    """Return the key of a hub root in config/revisions.lock.yaml."""
    return f"{'datasets' if root.name == QUESTIONS else 'models'}/{root.id}"


def named_revision(root: ExternalRoot, config: Mapping[str, Any]) -> str | None:
    """Return the revision that the entry itself names; None where it was pinned by the lock."""
    revision = config[root.name]["source"].get("revision")
    return None if revision is None else str(revision)


def unpinned(root: ExternalRoot) -> str | None:
    """Return why a hub root may be something else tomorrow, in a few words; None where its commit is known."""
    if root.kind != "hub":
        return None
    if not root.revision:
        return "NO REVISION"
    return None if is_commit(root.revision) else f"{root.revision} (NO COMMIT)"
