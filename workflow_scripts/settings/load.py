"""Read and check everything that people write: the scale file and the registries in config/."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError, create_model

from workflow_scripts.artefacts.names import check_renderable
from workflow_scripts.errors import UserError
from workflow_scripts.settings.base import Name, Strict
from workflow_scripts.settings.configuration import Configuration
from workflow_scripts.settings.evidence import ArtefactEntry, ClaimSpec
from workflow_scripts.settings.messages import readable
from workflow_scripts.settings.methods import MethodSpec
from workflow_scripts.settings.pairings import check_pairings
from workflow_scripts.settings.question_sets import QuestionSetSpec
from workflow_scripts.settings.references import check_published, check_references
from workflow_scripts.settings.scale import ModelRegistry, Settings
from workflow_scripts.settings.variants import with_variants
from workflow_scripts.settings.worlds import World
from workflow_scripts.yaml_file import read_yaml

Model = TypeVar("Model", bound=Strict)
Entry = TypeVar("Entry")


def load_settings(scale: Mapping[str, Any], root: Path, source: str = "the scale file") -> Configuration:
    """Validate the scale's mapping and the registries under `root`/config.

    Raises
    ------
    UserError
        In one line: file, key, what is wrong, and the nearest known word.
    """
    settings = validate(Settings, dict(scale), source)
    config = root / "config"
    models = _read(config / "models.yaml", ModelRegistry)
    loaded = Configuration(
        settings=settings,
        worlds=_merged("worlds", _entries(config / "worlds.yaml", World), settings.worlds, source),
        questions=_merged(
            "questions", _entries(config / "questions.yaml", QuestionSetSpec), settings.questions, source
        ),
        policies=_merged("models.policies", models.policies, settings.models.policies, source),
        prms=_merged(
            "models.process_reward_models",
            models.process_reward_models,
            settings.models.process_reward_models,
            source,
        ),
        methods=with_variants(
            _merged("methods", _entries(config / "methods.yaml", MethodSpec), settings.methods, source)
        ),
        artefacts=_merged("artefacts", _artefacts(config / "artefacts"), settings.artefacts, source),
        claims=_entries(config / "claims.yaml", ClaimSpec) if (config / "claims.yaml").is_file() else {},
    )
    check_references(loaded, source)
    check_pairings(loaded)
    for name, entry in loaded.artefacts.items():
        check_renderable(name, entry)
    check_published(loaded.claims, config / "paper_numbers.csv")
    return loaded


def load_scale_file(path: Path, root: Path, n_seeds: int | None = None) -> Configuration:
    """Read the scale file `path`, with another number of seeds if one is given, and check it as `load_settings`."""
    scale = read_yaml(path)
    if not isinstance(scale, dict) or not scale:
        raise UserError(f"{path}: is no scale file: it needs keys and values, as config/mini.yaml has them.")
    return load_settings(scale if n_seeds is None else {**scale, "n_seeds": n_seeds}, root, str(path))


def validate(model: type[Model], data: Any, source: str) -> Model:
    """Return `data` as `model`; raise UserError with one readable line."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise UserError(readable(error, model, source)) from error


def _read(path: Path, model: type[Model]) -> Model:
    return validate(model, read_yaml(path), _relative(path))


def _relative(path: Path) -> str:
    parts = path.parts
    return "/".join(parts[parts.index("config") :]) if "config" in parts else str(path)


def _entries(path: Path, entry: Any) -> dict[str, Any]:
    """Read a file whose top level maps names to entries of one kind."""
    registry = create_model("Registry", __base__=Strict, entries=(dict[Name, entry], ...))
    try:
        return dict(registry.model_validate({"entries": read_yaml(path)}).entries)  # type: ignore[attr-defined]
    except ValidationError as error:
        message = readable(error, registry, _relative(path)).replace(": entries.", ": ", 1)
        raise UserError(message) from error


def _artefacts(folder: Path) -> dict[str, ArtefactEntry]:
    found: dict[str, ArtefactEntry] = {}
    for path in sorted(folder.glob("*.yaml")):
        found = _merged("artefacts", found, _entries(path, ArtefactEntry), _relative(path))
    return found


def _merged(
    section: str, registry: Mapping[str, Entry], own: Mapping[str, Entry], source: str
) -> dict[str, Entry]:
    clash = sorted(set(registry) & set(own))
    if clash:
        raise UserError(f"{source}: {section}.{clash[0]}: exists already in config/; choose another name")
    return {**registry, **own}
