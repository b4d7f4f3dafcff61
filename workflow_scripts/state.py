"""State folders: where a job that was stopped resumes, and to which job they belong."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.provenance.hashing import sha256_file
from workflow_scripts.settings.base import Strict
from workflow_scripts.settings.identity import identity

logger = logging.getLogger(__name__)

OWNER = "owner.json"


def claim(state: Path, config: Strict, inputs: Mapping[str, Path | None]) -> None:
    """Make `state` this job's, emptied unless an unfinished job with the same settings and inputs left it.

    Knobs that change no number may differ. A model counts by its manifest, which holds the digest of its weights.

    Raises
    ------
    UserError
        If the folder belongs to a job with other settings.
    """
    for name, place in inputs.items():
        if place is not None and not place.is_file():
            raise UserError(f"--{name}: no file {place}. Run the rule that makes it first.")
    owner = {
        "settings": identity(config),
        "inputs": {name: sha256_file(path) for name, path in inputs.items() if path is not None},
        "finished": False,
    }
    path = state / OWNER
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    if found is not None and found["settings"] != owner["settings"]:
        raise UserError(
            f"{state} holds the state of a job with other settings. Remove it, or give another --state."
        )
    if found != owner:
        if found is not None:
            logger.info("the state in %s is of a finished job or of other inputs: starting afresh", state)
        for entry in state.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != ".lock":
                entry.unlink()
    write_json(path, owner)


def finish(state: Path) -> None:
    """Mark the state as that of a finished job: it is kept for a reader, and never resumed from."""
    path = state / OWNER
    write_json(path, {**json.loads(path.read_text(encoding="utf-8")), "finished": True})
