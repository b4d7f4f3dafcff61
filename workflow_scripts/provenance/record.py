"""How a step records what it did: `start_record` when it begins, `finish` when its outputs are complete."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.provenance.code import code_state, git_state
from workflow_scripts.provenance.document import (
    SUFFIX,
    Artefact,
    BrokenRecord,
    Input,
    ProvenanceRecord,
    RecordLink,
    lineage,
    seal,
    write_record,
)
from workflow_scripts.provenance.environment import environment_state
from workflow_scripts.provenance.hashing import sha256_json
from workflow_scripts.provenance.lookup import find_record
from workflow_scripts.provenance.roots import external_roots
from workflow_scripts.provenance.state import artefact_state, portable, untouched

log = logging.getLogger(__name__)
PathLike = str | Path


def _now() -> datetime:
    return datetime.now(UTC)


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python number, and anything else that JSON lacks as text."""
    return value.item() if hasattr(value, "item") else str(value)


def _json_notes(notes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return notes that JSON can hold; a NaN becomes text, as a finished job must not fail over a remark."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(notes or {}), default=_plain), parse_constant=str)
    return plain


def _read_input(name: str, path: PathLike) -> Input:
    """Return the state of an input: from its own record where it is untouched since, else from its bytes."""
    place = Path(path)
    try:
        found = find_record(place)
    except BrokenRecord as error:
        raise UserError(f"{name}: {error}. Make it again: snakemake --force {portable(path)}.") from error
    recorded = found.output_at(place) if found else None
    if found is None or recorded is None:
        return Input(**artefact_state(name, path).model_dump())
    link = RecordLink(
        path=portable(found.path),
        record_sha256=found.record.record_sha256,
        lineage_sha256=found.record.lineage_sha256,
    )
    whole = found.place(recorded.path).resolve() == place.resolve()
    if whole and untouched(recorded, place):
        state = recorded.model_dump() | {"name": name, "path": portable(path)}
    else:
        state = artefact_state(name, path).model_dump()
        if whole and state["sha256"] != recorded.sha256:
            log.warning("%s: %s was changed after it was made; its record no longer describes it", name, path)
    return Input(**state, record=link)


class Record:
    """A job under way. Made by `start_record`."""

    def __init__(self, step: str, config: dict[str, Any], inputs: list[Input]) -> None:
        self.step = step
        self.config = config
        self.inputs = inputs
        self.roots = external_roots(step, config)
        self.started = _now()
        self._clock = time.monotonic()
        # Asked now: a commit or an edit made while a long job runs is not the code that it runs.
        git_state()

    def finish(
        self,
        outputs: Mapping[str, PathLike],
        kind: str,
        notes: Mapping[str, Any] | None = None,
    ) -> Path:
        """Hash the outputs and write the record beside the first of them. Call it last.

        Parameters
        ----------
        outputs
            Path of each output by name; a directory counts with everything in it.
        kind
            What the job makes: questions, model, samples, step_scores, run, evaluation, analysis, figure,
            table, claims, audit or report.
        notes
            Anything that JSON can hold. `attempt` and `resumed_from` move to the fields of that name; `revision`
            (the commit that a hub reference was resolved to) moves to the external root.

        Returns
        -------
        Path
            The record's path: the first output's with `.prov.json` appended.

        Raises
        ------
        UserError
            If an output does not exist.
        """
        states = [artefact_state(name, path) for name, path in outputs.items()]
        if not states:
            raise ValueError(f"{self.step}: a record needs at least one output")
        first = Path(next(iter(outputs.values())))
        sidecar = first.with_name(first.name + SUFFIX)
        write_record(self._document(states, kind, _json_notes(notes), sidecar), sidecar)
        return sidecar

    def _document(
        self, outputs: list[Artefact], kind: str, notes: dict[str, Any], sidecar: Path
    ) -> ProvenanceRecord:
        config_sha256 = sha256_json(self.config)
        environment = environment_state()
        seconds = time.monotonic() - self._clock
        revision = notes.get("revision")
        roots = [
            root.model_copy(update={"revision": revision}) if root.kind == "hub" and revision else root
            for root in self.roots
        ]
        return seal(
            {
                "path": portable(sidecar),
                "step": self.step,
                "kind": kind,
                "outputs": [output.model_dump() for output in outputs],
                "inputs": [item.model_dump() for item in self.inputs],
                "roots": [root.model_dump() for root in roots],
                "config": self.config,
                "config_sha256": config_sha256,
                "lineage_sha256": lineage(self.step, config_sha256, self.inputs),
                "code": code_state().model_dump(),
                "environment": environment.model_dump(),
                "attempt": int(notes.pop("attempt", 0))
                or int(os.environ.get("SLURM_RESTART_COUNT", "0")) + 1,
                "resumed_from": notes.pop("resumed_from", None),
                "notes": notes,
                "started": self.started.isoformat(timespec="seconds"),
                "ended": _now().isoformat(timespec="seconds"),
                "seconds": round(seconds, 3),
                "gpu_seconds": round(seconds * len(environment.gpus), 3),
            }
        )


def start_record(
    step: str,
    config: Mapping[str, Any],
    inputs: Mapping[str, PathLike | Sequence[PathLike] | None],
) -> Record:
    """Note what a job reads, before it reads it.

    Parameters
    ----------
    step
        Name of the step, as in `python -m workflow_scripts.<step>`.
    config
        The step's settings as JSON values (`model_dump(mode="json")`).
    inputs
        Path (or paths) of each input by name; None is left out. A model is given by its `manifest.json`.

    Raises
    ------
    UserError
        If an input does not exist, or its record was tampered with.
    """
    states = []
    for name, value in inputs.items():
        if value is None:
            continue
        if isinstance(value, str | Path):
            states.append(_read_input(name, value))
        else:
            states.extend(_read_input(f"{name}.{index}", path) for index, path in enumerate(value))
    return Record(step, dict(config), states)
