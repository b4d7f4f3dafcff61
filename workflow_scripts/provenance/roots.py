"""What enters the chain from outside: hub repositories, local files, the miniature worlds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.provenance.document import ExternalRoot
from workflow_scripts.provenance.state import artefact_state

SOURCE_KEY = {"prepare_questions": "question_set", "pretrain_policy": "policy", "train_prm": "prm"}
"""The steps where something enters, and the key of their configuration that names it."""


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
        place = Path(source["path"])
        sha256 = artefact_state(key, place).sha256 if place.exists() else None
        return [ExternalRoot(name=key, kind="local", id=str(source["path"]), sha256=sha256)]
    if kind in ("generated", "pretrained", "trained"):
        return [ExternalRoot(name=key, kind=kind, id=str(source.get("world")))]
    return []
