"""Read and check everything that people write: the scale file and the registries in config/."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import ValidationError, create_model

from workflow_scripts.errors import UserError
from workflow_scripts.settings.base import Name, Strict
from workflow_scripts.settings.evidence import ArtefactEntry, ClaimSpec, Needs
from workflow_scripts.settings.messages import did_you_mean, readable
from workflow_scripts.settings.scale import ModelRegistry, PolicyRole, PrmRole, QuestionRole, Settings
from workflow_scripts.settings.specs import (
    FinetunedPolicy,
    GeneratedQuestions,
    HubModel,
    HubQuestions,
    LocalQuestions,
    MatchedQuestions,
    MethodSpec,
    PolicySpec,
    PretrainedPolicy,
    PrmSpec,
    QuestionSetSpec,
    TrainedPrm,
)
from workflow_scripts.settings.worlds import World

Model = TypeVar("Model", bound=Strict)
Entry = TypeVar("Entry")

ROLES: dict[str, tuple[str, ...]] = {
    "policies": get_args(PolicyRole),
    "question_sets": get_args(QuestionRole),
    "prm": get_args(PrmRole),
}
DEFAULT_PRM = "process_reward_model"
"""The role that scores steps where an entry names none."""

BUILT, SHUFFLED = ("ddxplus", "matched"), ("gpqa",)
"""Shapes (and the kind matched) whose options are made here, and those whose published ones are put in an order."""

SIDE_FILES: dict[str, tuple[str, ...]] = {"ddxplus": ("evidences", "conditions")}
"""The files beside its rows that a shape needs."""

NO_PRM_NEEDED = ("majority", "oracle", "random", "format")


@dataclass(frozen=True)
class Configuration:
    """The scale file together with all entries it may refer to; every reference is known to resolve."""

    settings: Settings
    worlds: Mapping[str, World]
    questions: Mapping[str, QuestionSetSpec]
    policies: Mapping[str, PolicySpec]
    prms: Mapping[str, PrmSpec]
    methods: Mapping[str, MethodSpec]
    artefacts: Mapping[str, ArtefactEntry]
    claims: Mapping[str, ClaimSpec]


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
        methods=_merged("methods", _entries(config / "methods.yaml", MethodSpec), settings.methods, source),
        artefacts=_merged("artefacts", _artefacts(config / "artefacts"), settings.artefacts, source),
        claims=_entries(config / "claims.yaml", ClaimSpec) if (config / "claims.yaml").is_file() else {},
    )
    _check_references(loaded, source)
    return loaded


def load_scale_file(path: Path, root: Path, n_seeds: int | None = None) -> Configuration:
    """Read the scale file `path`, with another number of seeds if one is given, and check it as `load_settings`."""
    scale = _read_yaml(path)
    if not isinstance(scale, dict) or not scale:
        raise UserError(f"{path}: is no scale file: it needs keys and values, as config/mini.yaml has them.")
    return load_settings(scale if n_seeds is None else {**scale, "n_seeds": n_seeds}, root, str(path))


def validate(model: type[Model], data: Any, source: str) -> Model:
    """Return `data` as `model`; raise UserError with one readable line."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise UserError(readable(error, model, source)) from error


def _read_yaml(path: Path) -> Any:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}). Run from the repository's folder."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    return {} if data is None else data


def _read(path: Path, model: type[Model]) -> Model:
    return validate(model, _read_yaml(path), _relative(path))


def _relative(path: Path) -> str:
    parts = path.parts
    return "/".join(parts[parts.index("config") :]) if "config" in parts else str(path)


def _entries(path: Path, entry: Any) -> dict[str, Any]:
    """Read a file whose top level maps names to entries of one kind."""
    registry = create_model("Registry", __base__=Strict, entries=(dict[Name, entry], ...))
    try:
        return dict(registry.model_validate({"entries": _read_yaml(path)}).entries)  # type: ignore[attr-defined]
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


# ------------------------------------------------------------------ references between entries


def _known(word: str, known: Mapping[str, Any] | tuple[str, ...], where: str, what: str) -> None:
    if word not in known:
        raise UserError(f"{where}: unknown {what} {word!r}.{did_you_mean(word, known)}")


def _check_roles(roles: Mapping[Any, str], known: Mapping[str, Any], where: str, what: str) -> None:
    for role, name in roles.items():
        _known(name, known, f"{where}.{role}", what)


def _check_references(loaded: Configuration, source: str) -> None:
    settings = loaded.settings
    roles = settings.roles
    _check_roles(roles.policies, loaded.policies, f"{source}: roles.policies", "policy")
    _check_roles(roles.question_sets, loaded.questions, f"{source}: roles.question_sets", "question set")
    _check_roles(
        roles.process_reward_models,
        loaded.prms,
        f"{source}: roles.process_reward_models",
        "process reward model",
    )
    for name in settings.headline:
        _known(name, loaded.artefacts, f"{source}: headline", "artefact")
    for name in settings.headline_claims:
        _known(name, loaded.claims, f"{source}: headline_claims", "claim")
    for name, questions in loaded.questions.items():
        _check_question_set(name, questions, loaded)
    for name, policy in loaded.policies.items():
        _check_hub_id(policy.source, f"policy {name}")
        if isinstance(policy.source, PretrainedPolicy):
            _known(policy.source.world, loaded.worlds, f"policy {name}: source.world", "world")
        elif isinstance(policy.source, FinetunedPolicy):
            _check_finetuned(f"policy {name}", policy.source, loaded)
    for name, prm in loaded.prms.items():
        _check_hub_id(prm.source, f"process reward model {name}")
        if isinstance(prm.source, TrainedPrm):
            _known(prm.source.world, loaded.worlds, f"process reward model {name}: source.world", "world")
            _known(
                prm.source.policy, loaded.policies, f"process reward model {name}: source.policy", "policy"
            )
    for name, artefact in loaded.artefacts.items():
        _check_needs(artefact, loaded, f"artefact {name}")
    for name, claim in loaded.claims.items():
        for i, needs in enumerate(claim.all_needs()):
            _check_needs(needs, loaded, f"claim {name}: {f'also_needs.{i - 1}' if i else 'needs'}")


def _check_finetuned(where: str, source: FinetunedPolicy, loaded: Configuration) -> None:
    _known(source.world, loaded.worlds, f"{where}: source.world", "world")
    _known(source.policy, loaded.policies, f"{where}: source.policy", "policy")
    start = loaded.policies[source.policy].source
    if not isinstance(start, PretrainedPolicy):
        raise UserError(
            f"{where}: source.policy: {source.policy} is of kind {start.kind}. Name a pretrained policy."
        )
    _known(start.world, loaded.worlds, f"policy {source.policy}: source.world", "world")
    kind, start_kind = loaded.worlds[source.world].kind, loaded.worlds[start.world].kind
    if kind != start_kind:
        raise UserError(
            f"{where}: source.world: {source.world} is a {kind}, but {source.policy} was pretrained in a {start_kind}."
            " Name a world of the same kind."
        )


def _check_question_set(name: str, entry: QuestionSetSpec, loaded: Configuration) -> None:
    where, source = f"question set {name}", entry.source
    _check_options(where, entry)
    if isinstance(source, GeneratedQuestions):
        _known(source.world, loaded.worlds, f"{where}: source.world", "world")
        if entry.prompt != loaded.worlds[source.world].prompt:
            raise UserError(
                f"{where}: prompt differs from that of its world {source.world}, in which "
                "the corpus of its policies is written. Use the same."
            )
    elif isinstance(source, MatchedQuestions):
        _check_matched(where, source, entry, loaded)
    else:
        _check_hub_id(source, where)
        _check_side_files(where, source)


def _check_matched(
    where: str, source: MatchedQuestions, entry: QuestionSetSpec, loaded: Configuration
) -> None:
    _known(source.of, loaded.questions, f"{where}: source.of", "question set")
    base = loaded.questions[source.of]
    if isinstance(base.source, MatchedQuestions):
        raise UserError(f"{where}: source.of: {source.of} is made of {base.source.of} itself. Name that one.")
    if base.answer.kind not in ("number", "latex"):
        raise UserError(
            f"{where}: source.of: the answers of {source.of} are of kind {base.answer.kind}; matched questions need "
            "number or latex."
        )
    if entry.answer.kind != "choice":
        raise UserError(
            f"{where}: answer.kind: {entry.answer.kind} is not allowed: matched questions are a choice."
        )
    if source.wrong_answers_of is not None:
        _known(source.wrong_answers_of, loaded.policies, f"{where}: source.wrong_answers_of", "policy")


def _check_options(where: str, entry: QuestionSetSpec) -> None:
    source, options = entry.source, entry.options
    form = source.shape if isinstance(source, LocalQuestions | HubQuestions) else source.kind
    if form in BUILT and (options is None or options.n is None):
        key = "options" if options is None else "options.n"
        raise UserError(
            f"{where}: {key}: is missing: {form} questions need the number of options and a seed."
        )
    if form in SHUFFLED and options is None:
        raise UserError(f"{where}: options: is missing: the shape {form} needs a seed for their order.")
    if form in SHUFFLED and options is not None and options.n is not None:
        raise UserError(f"{where}: options.n: is not allowed: {form} questions keep all published options.")
    if form not in (*BUILT, *SHUFFLED) and options is not None:
        raise UserError(f"{where}: options: is not allowed: {form} questions keep theirs as they are.")


def _check_side_files(where: str, source: LocalQuestions | HubQuestions) -> None:
    needed = SIDE_FILES.get(source.shape, ())
    for file in needed:
        if file not in source.side_files:
            raise UserError(
                f"{where}: source.side_files.{file}: is missing: the shape {source.shape} needs it."
            )
    for file in source.side_files:
        if file not in needed:
            raise UserError(
                f"{where}: source.side_files.{file}: the shape {source.shape} has no such file."
                f"{did_you_mean(file, needed)}"
            )


def _check_hub_id(source: object, where: str) -> None:
    if isinstance(source, HubQuestions | HubModel) and not re.fullmatch(
        r"\w[\w.-]*(/\w[\w.-]*)?", source.id, re.ASCII
    ):
        raise UserError(
            f"{where}: source.id: {source.id!r} is no id of the hub (owner/name). A path is kind local."
        )


def _check_needs(needs: Needs, loaded: Configuration, where: str) -> None:
    for field, kind in (
        ("policies", "policies"),
        ("question_sets", "question_sets"),
        ("transfer", "question_sets"),
    ):
        for role in getattr(needs, field):
            _known(role, ROLES[kind], f"{where}.{field}", "role")
    for method in needs.methods:
        _known(method, loaded.methods, f"{where}.methods", "method")
    for method in needs.score_steps:
        _known(method, ("base", *needs.methods), f"{where}.score_steps", "method")
    _known(needs.prm or DEFAULT_PRM, ROLES["prm"], f"{where}.prm", "role")
