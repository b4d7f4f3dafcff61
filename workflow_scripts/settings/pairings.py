"""What is put together must go together: a tiny model knows one kind of world, and some keys one kind of entry.

Runs after every name is known to exist (settings/references.py). What no entry can use is refused, so that no setting
is without effect.
"""

from __future__ import annotations

from itertools import product

from workflow_scripts.errors import UserError
from workflow_scripts.settings.claims import OF_LABELS, all_terms
from workflow_scripts.settings.configuration import DEFAULT_PRM, PRM_NEEDED, Configuration
from workflow_scripts.settings.evidence import Needs
from workflow_scripts.settings.messages import did_you_mean
from workflow_scripts.settings.models import FinetunedPolicy, PretrainedPolicy, TrainedPrm
from workflow_scripts.settings.question_sets import (
    GeneratedQuestions,
    HubQuestions,
    LocalQuestions,
    MatchedQuestions,
    OutvotedQuestions,
    QuestionSetSpec,
)
from workflow_scripts.worlds.limits import check_questions

BUILT, SHUFFLED = ("ddxplus", "matched"), ("gpqa",)
"""Shapes (and the kind matched) whose options are made here, and those whose published ones are put in an order."""

CONTINUOUS = ("process", "empo", "certainty")
"""Kinds of rewards that take other values than 0 and 1."""

SIDE_FILES: dict[str, tuple[str, ...]] = {"ddxplus": ("evidences", "conditions")}
"""The files beside its rows that a shape needs."""


def check_pairings(loaded: Configuration) -> None:
    """Raise UserError at the first entry, or cell of an artefact or claim, whose parts do not go together."""
    for name, questions in loaded.questions.items():
        _check_question_set(f"question set {name}", questions, loaded)
    for name, policy in loaded.policies.items():
        if isinstance(policy.source, PretrainedPolicy | FinetunedPolicy):
            _check_tiny_policy(f"policy {name}", policy.source, loaded)
    for name, prm in loaded.prms.items():
        if isinstance(prm.source, TrainedPrm):
            _check_trained_prm(f"process reward model {name}", prm.source, loaded)
    for name, artefact in loaded.artefacts.items():
        _check_cells(f"artefact {name}", artefact, loaded)
    for name, claim in loaded.claims.items():
        for needs in claim.all_needs():
            _check_cells(f"claim {name}", needs, loaded)
        _check_label_metrics(name, loaded)


# ------------------------------------------------------------------ question sets


def _check_question_set(where: str, entry: QuestionSetSpec, loaded: Configuration) -> None:
    source = entry.source
    _check_options(where, entry)
    if isinstance(source, GeneratedQuestions):
        _check_generated(where, source, entry, loaded)
    elif isinstance(source, MatchedQuestions):
        _check_matched(where, source, entry, loaded)
    elif isinstance(source, OutvotedQuestions):
        _check_outvoted(where, source, entry, loaded)
    else:
        _check_side_files(where, source)


def _check_generated(
    where: str, source: GeneratedQuestions, entry: QuestionSetSpec, loaded: Configuration
) -> None:
    world = loaded.worlds[source.world]
    check_questions(where, world, source)
    if entry.prompt != world.prompt:
        raise UserError(
            f"{where}: prompt differs from that of its world {source.world}, in which "
            "the corpus of its policies is written. Use the same."
        )
    kind = "number" if source.n_options is None else "choice"
    if entry.answer.kind != kind:
        raise UserError(
            f"{where}: answer.kind: is {entry.answer.kind}; with n_options "
            f"{'null' if source.n_options is None else source.n_options} it is {kind}."
        )


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


def _made_of(
    where: str, source: MatchedQuestions | OutvotedQuestions, loaded: Configuration
) -> QuestionSetSpec:
    """The question set that another is made of, which must not be made of a third."""
    base = loaded.questions[source.of]
    if isinstance(base.source, MatchedQuestions | OutvotedQuestions):
        raise UserError(f"{where}: source.of: {source.of} is made of {base.source.of} itself. Name that one.")
    return base


def _check_matched(
    where: str, source: MatchedQuestions, entry: QuestionSetSpec, loaded: Configuration
) -> None:
    base = _made_of(where, source, loaded)
    if base.answer.kind not in ("number", "latex"):
        raise UserError(
            f"{where}: source.of: the answers of {source.of} are of kind {base.answer.kind}; matched questions need "
            "number or latex."
        )
    if entry.answer.kind != "choice":
        raise UserError(
            f"{where}: answer.kind: {entry.answer.kind} is not allowed: matched questions are a choice."
        )
    policy = source.wrong_answers_of
    if policy is not None:
        start = loaded.policies[policy].source
        _check_model(f"{where}: source.wrong_answers_of", policy, start, source.of, loaded)


def _check_outvoted(
    where: str, source: OutvotedQuestions, entry: QuestionSetSpec, loaded: Configuration
) -> None:
    base = _made_of(where, source, loaded)
    if entry.answer != base.answer or entry.prompt != base.prompt:
        raise UserError(f"{where}: prompt and answer must be those of {source.of}, whose questions they are.")
    start = loaded.policies[source.policy].source
    _check_model(f"{where}: source.policy", source.policy, start, source.of, loaded)


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


# ------------------------------------------------------------------ tiny models


def _check_tiny_policy(where: str, source: PretrainedPolicy | FinetunedPolicy, loaded: Configuration) -> None:
    kind = loaded.worlds[source.world].kind
    if source.max_form_gap is not None and kind != "clock":
        raise UserError(
            f"{where}: source.max_form_gap: compares the two forms of the clock; the {kind} has one. Leave it out."
        )
    if isinstance(source, PretrainedPolicy):
        return
    start = loaded.policies[source.policy].source
    if not isinstance(start, PretrainedPolicy):
        raise UserError(
            f"{where}: source.policy: {source.policy} is of kind {start.kind}. Name a pretrained policy."
        )
    start_kind = loaded.worlds[start.world].kind
    if kind != start_kind:
        raise UserError(
            f"{where}: source.world: {source.world} is a {kind}, but {source.policy} was pretrained in a {start_kind}."
            " Name a world of the same kind."
        )


def _check_trained_prm(where: str, source: TrainedPrm, loaded: Configuration) -> None:
    start = loaded.policies[source.policy].source
    if not isinstance(start, PretrainedPolicy | FinetunedPolicy):
        raise UserError(
            f"{where}: source.policy: {source.policy} is of kind {start.kind}. Name a policy that is trained here."
        )
    for key, world in (("world", source.world), ("policy", start.world)):
        if loaded.worlds[world].kind != "clinic":
            raise UserError(
                f"{where}: source.{key}: {getattr(source, key)} is of the {loaded.worlds[world].kind}; the truth of "
                "steps is known in the clinic only."
            )


# ------------------------------------------------------------------ cells of artefacts and claims


def _check_cells(where: str, needs: Needs, loaded: Configuration) -> None:
    """Check, on each question set, the policies and the process reward models that this scale has for it."""
    names = loaded.settings.roles.names()
    for role, questions_role in product(
        needs.policies, (*needs.question_sets, *needs.transfer, *needs.validation, *needs.base_on)
    ):
        if role not in names or questions_role not in names:
            continue
        policy, questions = names[role], names[questions_role]
        _check_model(f"{where}: {role}", policy, loaded.policies[policy].source, questions, loaded)
        if questions_role in needs.question_sets:
            for prm in {names[prm] for prm in _prm_roles(needs, loaded) if prm in names}:
                _check_model(f"{where}: {questions_role}", prm, loaded.prms[prm].source, questions, loaded)


def _prm_roles(needs: Needs, loaded: Configuration) -> set[str]:
    """The roles of the process reward models that score steps for `needs`."""
    scored = {
        loaded.prm_role(needs, method)
        for method in needs.methods
        if loaded.methods[method].reward.kind in PRM_NEEDED
    }
    return scored | ({needs.prm or DEFAULT_PRM} if needs.score_steps else set())


def _check_model(where: str, model: str, source: object, questions: str, loaded: Configuration) -> None:
    """Raise UserError if a tiny model of one kind of world would read questions from elsewhere."""
    known, asked = _kind(source, loaded), _kind(loaded.questions[questions].source, loaded)
    if known is not None and known != asked:
        raise UserError(
            f"{where}: {model} knows the words of the {known} only, and {questions} is "
            f"{f'of the {asked}' if asked else 'no question set of a miniature world'}. Change the roles or the entry."
        )


def _kind(source: object, loaded: Configuration) -> str | None:
    """The kind of world in which a source speaks; None for what is not of a miniature world."""
    if isinstance(source, MatchedQuestions | OutvotedQuestions):
        return _kind(loaded.questions[source.of].source, loaded)
    world = loaded.world_of(source)
    return world.kind if world else None


def _check_label_metrics(name: str, loaded: Configuration) -> None:
    for i, part in enumerate(loaded.claims[name].parts):
        for term in all_terms(part.quantity):
            if term.metric in OF_LABELS and loaded.methods[term.method or ""].reward.kind in CONTINUOUS:
                raise UserError(
                    f"claim {name}: parts.{i}.quantity: {term.metric} is of rewards that are 0 or 1; that of "
                    f"{term.method} is neither right nor wrong. Take train.reward, or another method."
                )
