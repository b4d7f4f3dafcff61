"""Model directories of the DAG: a manifest that is written last, and the weights that it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.hub_access import hub_failure
from workflow_scripts.provenance.record import Record
from workflow_scripts.provenance.revisions import read_revision
from workflow_scripts.provenance.state import artefact_state
from workflow_scripts.settings.models import HubModel, LocalModel

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
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        weights = manifest.parent / content["weights"] if content["inside"] else Path(content["weights"])
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{manifest} is not a model's manifest. Run the rule that makes it again.") from error
    if not weights.is_dir():
        raise UserError(f"{manifest} names the weights {weights}, which do not exist. Run its rule again.")
    return weights


def fetch_model(
    source: LocalModel | HubModel, directory: Path, pinned: Path | None = None
) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a model that is not made here, and what its record shall note.

    A local folder is used where it lies. A model of the hub is downloaded into `directory` at the revision that its
    entry names, else at that of the file `pinned` (rule pin_revision).
    """
    if isinstance(source, LocalModel):
        folder = Path(source.path)
        if not (folder / "config.json").is_file():
            raise UserError(f"model folder {folder}: no config.json there. Give a save_pretrained directory.")
        if not any((folder / name).is_file() for name in TOKENIZER_FILES):
            raise UserError(
                f"model folder {folder} has no tokenizer. Save it there: tokenizer.save_pretrained."
            )
        check_model_files(folder)
        return folder, {}
    revision = source.revision or (read_revision(pinned, source.id) if pinned else None)
    if revision is None:
        raise UserError(
            f"model {source.id}: no revision. Pin a commit in its entry, or give --revision (pin_revisions makes it)."
        )
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(source.id, revision=revision, local_dir=directory)
    except Exception as error:
        reason = hub_failure(error, "models", source.id)
        raise UserError(f"model {source.id} at {revision[:12]}: cannot be downloaded: {reason}") from error
    check_model_files(directory)
    return directory, {"revision": revision}


def check_model_files(folder: Path) -> None:
    """Raise UserError if a model's folder lacks weights or holds a file that is plainly cut off."""
    if not any(path.suffix in (".safetensors", ".bin") for path in folder.iterdir()):
        raise UserError(f"model folder {folder} has no weights (*.safetensors). Save them: save_pretrained.")
    for path in sorted(folder.iterdir()):
        try:
            if path.suffix == ".json":
                json.loads(path.read_text(encoding="utf-8"))
            elif path.suffix == ".safetensors":
                with open(path, "rb") as file:
                    size = int.from_bytes(file.read(8), "little")
                    header = json.loads(file.read(min(size, path.stat().st_size)))
                ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
                if 8 + size + max(ends, default=0) != path.stat().st_size:
                    raise ValueError("its size differs from what its header says")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"model file {path} is broken or cut off ({error}). Copy it again.") from error


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
