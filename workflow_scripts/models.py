"""Model directories of the DAG: a manifest that is written last, and the weights that it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.provenance.record import Record
from workflow_scripts.provenance.state import artefact_state
from workflow_scripts.settings.specs import HubModel, LocalModel

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model")


def write_manifest(path: Path, weights: Path, content: dict[str, Any]) -> None:
    """Write a manifest: where the weights lie (relative to it if beside it, else as given) and their digest."""
    inside = weights.resolve().is_relative_to(path.parent.resolve())
    shown = weights.resolve().relative_to(path.parent.resolve()) if inside else weights
    digest = artefact_state("weights", weights).sha256
    write_json(path, {"weights": str(shown), "inside": inside, "sha256": digest, **content})


def weights_directory(manifest: Path) -> Path:
    """The save_pretrained directory that a manifest names."""
    if not manifest.is_file():
        raise UserError(f"no model manifest {manifest}. Run the rule that makes it first.")
    content = json.loads(manifest.read_text(encoding="utf-8"))
    weights = manifest.parent / content["weights"] if content["inside"] else Path(content["weights"])
    if not weights.is_dir():
        raise UserError(f"{manifest} names the weights {weights}, which do not exist. Run its rule again.")
    return weights


def fetch_model(source: LocalModel | HubModel, directory: Path) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a model that is not made here, and what its record shall note.

    A local folder is used where it lies. A model of the hub is downloaded into `directory` at its revision.
    """
    if isinstance(source, LocalModel):
        folder = Path(source.path)
        if not (folder / "config.json").is_file():
            raise UserError(f"model folder {folder}: no config.json there. Give a save_pretrained directory.")
        if not any((folder / name).is_file() for name in TOKENIZER_FILES):
            raise UserError(
                f"model folder {folder} has no tokenizer. Save it there: tokenizer.save_pretrained."
            )
        return folder, {}
    if source.revision is None:
        raise UserError(f"model {source.id}: no revision. Pin a commit in config/models.yaml.")
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(source.id, revision=source.revision, local_dir=directory)
    except Exception as error:
        raise UserError(
            f"model {source.id}@{source.revision}: download failed ({type(error).__name__}). "
            "Check the network and the access token, or give a local folder."
        ) from error
    return directory, {"revision": source.revision}


def publish(
    record: Record,
    out: Path,
    weights: Path,
    about: dict[str, Any],
    report: dict[str, Any],
    notes: dict[str, Any],
) -> None:
    """Write a model's report, its manifest (last) and its record into `out`."""
    write_json(out / "report.json", report)
    write_manifest(out / "manifest.json", weights, about)
    outputs = {"manifest": out / "manifest.json", "report": out / "report.json", "weights": weights}
    record.finish(outputs, kind="model", notes={**notes, **report})
