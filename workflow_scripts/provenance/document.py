"""The provenance record as it lies on disk: its fields, its seal, and how it is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workflow_scripts.files import write_text
from workflow_scripts.provenance.hashing import sha256_json

SUFFIX = ".prov.json"


class Part(BaseModel):
    """The strict base of every part of a record."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FileState(Part):
    """A file's content, and the size and time by which an untouched file is known without reading it."""

    sha256: str
    bytes: int
    mtime_ns: int


class Artefact(FileState):
    """An output: a file, or a directory with its Merkle digest and each file's own state."""

    name: str
    path: str
    files: dict[str, FileState] | None = None


class RecordLink(Part):
    """The record that an input came with, as it was when the input was read."""

    path: str
    record_sha256: str
    lineage_sha256: str


class Input(Artefact):
    """An input. Without a record of its own it is an external root of the chain."""

    record: RecordLink | None = None


class ExternalRoot(Part):
    """Something that enters the chain from outside the pipeline."""

    name: str
    kind: Literal["hub", "local", "generated", "pretrained", "finetuned", "trained"]
    id: str = Field(description="hub id, local path, or name of the miniature world")
    revision: str | None = Field(default=None, description="commit of the hub repository")
    sha256: str | None = Field(default=None, description="of the local file or directory")


class Code(Part):
    """The code that ran. `commit` and `dirty` are null outside a git checkout."""

    commit: str | None
    dirty: bool | None
    diff_sha256: str | None = Field(description="of the uncommitted changes to the code, if dirty")
    command: list[str]
    sources: dict[str, str] = Field(description="SHA-256 of each file of the package that was imported")


class Environment(Part):
    """The software and the machine."""

    python: str
    platform: str
    packages: dict[str, str | None] = Field(description="version, or null where not installed")
    locks: dict[str, str] = Field(description="SHA-256 of each lock file under envs/")
    cuda: str | None
    gpus: list[str]
    host: str = Field(description="hash of the host's name")
    slurm_job_id: str | None


class ProvenanceRecord(Part):
    """One job: what it wrote, from what, with which settings, code and software. Paths are relative to
    the working directory of the workflow where they lie inside it."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    schema_version: Literal[1] = Field(default=1, alias="schema")
    path: str = Field(description="of this record")
    step: str
    kind: str
    outputs: list[Artefact] = Field(min_length=1)
    inputs: list[Input]
    roots: list[ExternalRoot]
    config: dict[str, Any]
    config_sha256: str
    lineage_sha256: str = Field(
        description="of step, config and inputs with their lineage: equal if made alike"
    )
    code: Code
    environment: Environment
    notes: dict[str, Any]
    started: str = Field(description="UTC, ISO 8601")
    ended: str
    seconds: float
    gpu_seconds: float = Field(description="seconds times the GPUs that the job could see")
    attempt: int
    resumed_from: str | int | None
    record_sha256: str = Field(description="of the canonical JSON of everything above")


class BrokenRecord(Exception):
    """A record that cannot be trusted: unreadable, of another schema, or changed since it was written."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name} {reason}")
        self.path = path


def lineage(step: str, config_sha256: str, inputs: list[Input]) -> str:
    """Return the digest of what decides a job's result, all the way up: no times, no host, no paths of records."""
    sources = sorted(
        [item.name, item.sha256, item.record.lineage_sha256 if item.record else ""] for item in inputs
    )
    return sha256_json([step, config_sha256, sources])


def seal(fields: dict[str, Any]) -> ProvenanceRecord:
    """Return the record of `fields`, with its own digest filled in."""
    draft = ProvenanceRecord.model_validate({**fields, "record_sha256": ""})
    content = draft.model_dump(mode="json", exclude={"record_sha256"})
    return ProvenanceRecord.model_validate({**content, "record_sha256": sha256_json(content)})


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_record(record: ProvenanceRecord, path: Path) -> None:
    """Write `record` to `path`, atomically."""
    write_text(path, _text(record.model_dump(mode="json")))


def read_record(path: Path) -> ProvenanceRecord:
    """Read a record and check that no byte of it changed since it was written.

    Raises
    ------
    BrokenRecord
        If it cannot be read, is of another schema, or does not match its own digest.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
        record = ProvenanceRecord.model_validate(content)
    except (OSError, ValueError, RecursionError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise BrokenRecord(path, f"is not a readable record ({reason})") from error
    # Comparing the text too finds a changed space or line end, which the digest of the content cannot see.
    seal_value = content.pop("record_sha256")
    if sha256_json(content) != seal_value or _text({**content, "record_sha256": seal_value}) != text:
        raise BrokenRecord(path, "was changed after it was written")
    return record
