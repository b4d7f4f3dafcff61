"""Every name that an entry uses must be that of an entry, a role or a row that exists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from workflow_scripts.artefacts.literal import one_line
from workflow_scripts.artefacts.paper_numbers import read_paper_numbers
from workflow_scripts.errors import UserError
from workflow_scripts.settings.base import Strict
from workflow_scripts.settings.configuration import DEFAULT_PRM, Configuration
from workflow_scripts.settings.evidence import ClaimSpec, Needs
from workflow_scripts.settings.messages import did_you_mean, readable
from workflow_scripts.settings.methods import ProcessReward
from workflow_scripts.settings.models import FinetunedPolicy, HubModel, PretrainedPolicy, TrainedPrm
from workflow_scripts.settings.question_sets import (
    GeneratedQuestions,
    HubQuestions,
    MatchedQuestions,
    OutvotedQuestions,
)
from workflow_scripts.settings.scale import PolicyRole, PrmRole, QuestionRole, SetupRole
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec

ROLES: dict[str, tuple[str, ...]] = {
    "policies": get_args(PolicyRole),
    "question_sets": get_args(QuestionRole),
    "prm": get_args(PrmRole),
}


def _known(word: str, known: Mapping[str, Any] | tuple[str, ...], where: str, what: str) -> None:
    if word not in known:
        raise UserError(f"{where}: unknown {what} {word!r}.{did_you_mean(word, known)}")


def _check_roles(roles: Mapping[Any, str], known: Mapping[str, Any], where: str, what: str) -> None:
    for role, name in roles.items():
        _known(name, known, f"{where}.{role}", what)


def check_references(loaded: Configuration, source: str) -> None:
    """Raise UserError at the first name that is unknown, with the nearest known one; `source` is the scale file."""
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
        _check_source(f"question set {name}", questions.source, loaded)
    for name, policy in loaded.policies.items():
        _check_source(f"policy {name}", policy.source, loaded)
    for name, prm in loaded.prms.items():
        _check_source(f"process reward model {name}", prm.source, loaded)
    labels = {"base": "the unadapted policy"}
    for name, method in loaded.methods.items():
        if name == "base":
            raise UserError(
                "method base: is the name of the unadapted policy in every table. Choose another."
            )
        if labels.setdefault(one_line(method.label), name) != name:
            raise UserError(
                f"method {name}: label: {method.label!r} is that of {labels[one_line(method.label)]}, too. "
                "A figure could not tell them apart."
            )
        if isinstance(method.reward, ProcessReward) and method.reward.prm is not None:
            _known(method.reward.prm, ROLES["prm"], f"method {name}: reward.prm", "role")
    for role, setup in loaded.setups.items():
        for name in setup.methods:
            _known(name, loaded.methods, f"{source}: setups.{role}.methods", "method")
    for name, artefact in loaded.artefacts.items():
        _check_needs(artefact, loaded, f"artefact {name}")
    for name, claim in loaded.claims.items():
        for i, needs in enumerate(claim.all_needs()):
            _check_needs(needs, loaded, f"claim {name}: {f'also_needs.{i - 1}' if i else 'needs'}")


def _check_source(where: str, source: object, loaded: Configuration) -> None:
    if isinstance(source, GeneratedQuestions | PretrainedPolicy | FinetunedPolicy | TrainedPrm):
        _known(source.world, loaded.worlds, f"{where}: source.world", "world")
    if isinstance(source, FinetunedPolicy | TrainedPrm):
        _known(source.policy, loaded.policies, f"{where}: source.policy", "policy")
    if isinstance(source, MatchedQuestions):
        _known(source.of, loaded.questions, f"{where}: source.of", "question set")
        if source.wrong_answers_of is not None:
            _known(source.wrong_answers_of, loaded.policies, f"{where}: source.wrong_answers_of", "policy")
    if isinstance(source, OutvotedQuestions):
        _known(source.of, loaded.questions, f"{where}: source.of", "question set")
        _known(source.policy, loaded.policies, f"{where}: source.policy", "policy")
        _merged(f"{where}: source.sampling", SamplingSpec, partial(loaded.sampling, source))
    _check_hub_id(source, where)


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
        ("validation", "question_sets"),
        ("base_on", "question_sets"),
    ):
        for role in getattr(needs, field):
            _known(role, ROLES[kind], f"{where}.{field}", "role")
    for method in needs.methods:
        _known(method, loaded.methods, f"{where}.methods", "method")
    for key in ("setup", "base_setup"):
        setup = getattr(needs, key)
        if setup is not None:
            _known(setup, get_args(SetupRole), f"{where}.{key}", "setup")
            _merged(f"setup {setup}: evaluation", SamplingSpec, partial(loaded.evaluation, setup))
    for method in needs.methods if needs.setup is None or needs.setup in loaded.setups else []:
        what = f"method {method}" if needs.setup is None else f"method {method} in setup {needs.setup}"
        _merged(f"{what}: grpo", GrpoSpec, partial(loaded.grpo, needs.setup, method))
    for method in needs.score_steps:
        _known(method, ("base", *needs.methods), f"{where}.score_steps", "method")
    _known(needs.prm or DEFAULT_PRM, ROLES["prm"], f"{where}.prm", "role")


def _merged(where: str, model: type[Strict], merge: Callable[[], object]) -> None:
    try:
        merge()
    except ValidationError as error:
        raise UserError(readable(error, model, where)) from error


def check_published(claims: Mapping[str, ClaimSpec], path: Path) -> None:
    """Raise UserError where a part names a published number that no row of the file `path` gives."""
    if not path.is_file():
        return
    numbers = read_paper_numbers(path)
    for name, claim in claims.items():
        for i, part in enumerate(claim.parts):
            wanted = {} if part.published is None else part.published.model_dump(exclude_none=True)
            if not any(wanted.items() <= vars(number).items() for number in numbers):
                raise UserError(
                    f"claim {name}: parts.{i}.published: {path.name} has no row with {', '.join(wanted.values())}."
                )
