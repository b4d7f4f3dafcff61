"""What artefacts and claims need, in roles, and the files in which it lies once a scale has resolved them.

`Needs` is written by people (config/artefacts/*.yaml, `needs` in config/claims.yaml); `Evidence` by the plan.
"""

from __future__ import annotations

from itertools import product
from typing import Literal, TypeVar

from pydantic import Field, model_validator

from workflow_scripts.settings.base import LATER, Name, Names, NonNegative, Seed, Share, Strict
from workflow_scripts.settings.claims import NEEDS_SCORES, Part, Term, all_terms
from workflow_scripts.settings.training import StatisticsSpec

Item = TypeVar("Item", bound=Strict)


class Needs(Strict):
    """Runs and evaluations, in roles: policies x question sets x methods x seeds."""

    policies: Names = Field(min_length=1, description="policy roles")
    question_sets: Names = Field(min_length=1, description="question set roles")
    methods: Names = []
    seeds: Literal["all", "first"] = "all"
    base: bool = Field(default=True, description="the unadapted policy too")
    evaluate: bool = Field(
        default=True,
        description="sample and evaluate the last checkpoint of each run; false: the run's own last evaluation counts",
    )
    score_steps: Names = Field(
        default=[], description="the methods whose evaluation samples get step scores; `base` is one of them"
    )
    prm: Name | None = Field(default=None, description="role of the process reward model")
    transfer: Names = Field(
        default=[],
        description="question set roles on which the base and the adapted policies are evaluated without adaptation",
    )

    setup: Name | None = Field(
        default=None,
        description="of the scale file: how these train and evaluate; null = by grpo and evaluation",
    )
    base_on: Names = Field(
        default=[],
        description="question set roles on which the unadapted policy is evaluated; empty = question_sets",
    )
    base_setup: Name | None = Field(
        default=None, description="of the scale file: how the unadapted policy is sampled; null = by `setup`"
    )
    validation: Names = Field(
        default=[],
        description="question set roles that are evaluated while training, in place of the questions of the training",
    )

    def setup_of(self, method: str | None) -> str | None:
        """Return the setup of a method, or of the unadapted policy (None)."""
        return self.setup if method else self.base_setup or self.setup

    @model_validator(mode="after")
    def _nothing_is_asked_in_vain(self) -> Needs:
        if not (self.methods or self.base or isinstance(self, ArtefactEntry)):
            raise ValueError("neither methods nor base: nothing is asked for")
        for name in self.score_steps:
            if name == "base" and not self.base:
                raise ValueError("score_steps names base, but base is false")
            if name in self.methods and not self.evaluate:
                raise ValueError(
                    f"score_steps names {name}, but evaluate is false: there are no samples of it"
                )
        for role in self.transfer:
            if self.question_sets == [role]:
                raise ValueError(f"transfer names {role}, the one set that is adapted on")
        if self.validation and not self.methods:
            raise ValueError("validation is named, but no method: nothing is trained")
        for name in ("base_on", "base_setup"):
            if getattr(self, name) and not self.base:
                raise ValueError(f"{name} is given, but base is false")
        if self.base_on and self.transfer:
            raise ValueError("base_on and transfer: the base is evaluated on the sets of transfer anyway")
        return self


class Axis(Strict):
    """What is varied over an artefact, and where on the axis each of its roles or methods stands."""

    label: str = Field(description="as printed on the axis")
    over: Literal["policies", "question_sets", "methods"]
    at: dict[Name, float] = Field(description="role or method -> its place on the axis")


class ArtefactEntry(Needs):
    """One entry of config/artefacts/*.yaml."""

    kind: Literal["figure", "table"]
    title: str
    caption: str = Field(description="what is shown, in a sentence or two; goes to the report")
    budget_minutes: NonNegative = Field(
        description="at the mini scale, on two cores: what the artefact adds to those before it"
    )
    axis: Axis | None = None
    like: Name | None = Field(
        default=None,
        description="artefact or renderer that it is analysed and drawn like; null = its own name",
    )
    sweep: bool = Field(default=False, description="of the target all_sweeps, and not of all")

    def drawn_as(self, name: str) -> str:
        """Return the name of the analysis and the renderer of the entry `name`."""
        return self.like or name

    @model_validator(mode="after")
    def _axis_has_a_place_for_each(self) -> ArtefactEntry:
        if self.axis is not None:
            varied: list[str] = getattr(self, self.axis.over)
            if set(varied) != set(self.axis.at):
                wrong = ", ".join(sorted(set(varied) ^ set(self.axis.at)))
                raise ValueError(
                    f"axis.at must name each of {self.axis.over} and nothing else; look at {wrong}"
                )
        return self


class ClaimSpec(Strict):
    """One entry of config/claims.yaml: a published statement and the test that decides it.

    All parts that decide must hold, each in its own cells: policy roles x question set roles, those of `needs` where
    it names none.
    """

    paper: Name
    place: str = Field(description="where the paper says it")
    statement: str = Field(description="in our words")
    needs: Needs
    also_needs: list[Needs] = Field(
        default=[], description="more runs, where one product of roles would ask for too many"
    )
    parts: list[Part] = Field(min_length=1)

    def all_needs(self) -> list[Needs]:
        """Return `needs` and `also_needs`."""
        return [self.needs, *self.also_needs]

    @model_validator(mode="after")
    def _parts_use_what_is_needed(self) -> ClaimSpec:
        for part in self.parts:
            policies = part.policies or self.needs.policies
            question_sets = part.question_sets or self.needs.question_sets
            for policy, role, term in product(policies, question_sets, all_terms(part.quantity)):
                lacks = min((_lacks(needs, policy, role, term) for needs in self.all_needs()), key=len)
                if lacks:
                    raise ValueError(f"part `{part.says}`: {term.text}: {lacks[0]}")
        if not any(part.decides for part in self.parts):
            raise ValueError("no part decides")
        return self


def _lacks(needs: Needs, policy: str, role: str, term: Term) -> list[str]:
    """Return what `needs` does not ask for, of what a term takes in the cell of a policy and a question set."""
    name = term.method or "base"
    home = role if term.adapted_on is None else term.adapted_on
    moved = home != role
    elsewhere = [*needs.transfer, *needs.validation]
    given = needs.question_sets if term.method else [*(needs.base_on or needs.question_sets), *needs.transfer]
    hint = "; a set of needs.transfer or needs.validation goes with `adapted_on`" if home in elsewhere else ""
    watched = role in needs.validation or (role in needs.transfer and term.where == "last")
    tests = [
        (policy in needs.policies, f"{policy} is not in needs.policies"),
        (term.method is not None or needs.base, "needs.base is false"),
        (term.method is None or term.method in needs.methods, f"method {name} is not in needs.methods"),
        (home in given, f"{home} is not in needs.question_sets{hint}"),
        (
            not moved or watched,
            f"{role} is not in needs.{'transfer' if term.where == 'last' else 'validation'}",
        ),
    ]
    if term.metric in NEEDS_SCORES:
        scored = name in needs.score_steps and role in needs.question_sets and not moved
        tests.append((scored, f"{name} is not in needs.score_steps, or {role} not in needs.question_sets"))
    return [lack for holds, lack in tests if not holds]


class BaseEvidence(Strict):
    """The unadapted policy on one question set: paths of its evaluation."""

    policy_role: Name
    questions_role: Name
    evaluation: str
    per_question: str
    samples: str | None = Field(default=None, description="the evaluated responses")
    step_scores_report: str | None = None


class RunEvidence(Strict):
    """One adapted policy: paths of what its training wrote, and of its last checkpoint's evaluation."""

    policy_role: Name
    questions_role: Name
    method: Name
    seed: Seed
    run_id: str
    metrics: str
    curve: str
    rollouts: str = Field(description="the responses that training drew, with their rewards")
    evaluation: str | None = None
    per_question: str | None = None
    step_scores_report: str | None = None
    prm_report: str | None = Field(
        default=None, description="report of the process reward model that rewarded"
    )
    validation: dict[Name, str] = Field(
        default={}, description="question set role -> id of the set, which the curve follows"
    )


class TransferEvidence(Strict):
    """A policy on questions that it was not adapted on; `method` null = the base."""

    policy_role: Name
    adapted_on: Name = Field(description="question set role of the training")
    questions_role: Name
    method: Name | None
    seed: Seed | None
    evaluation: str
    per_question: str


class NotRun(Strict):
    """What was asked for and cannot exist at this scale."""

    policy_role: Name
    questions_role: Name
    method: Name | None = Field(description="null = the base")
    reason: str


class Evidence(Strict):
    """All files behind one artefact or claim."""

    base: list[BaseEvidence]
    runs: list[RunEvidence]
    transfers: list[TransferEvidence] = []
    not_run: list[NotRun]


def merged(found: list[Evidence]) -> Evidence:
    """Return the evidence of several needs as one: each base and run once, with the paths that any need asked for."""
    return Evidence(
        base=_one_each([item for one in found for item in one.base], ("policy_role", "questions_role")),
        runs=_one_each(
            [item for one in found for item in one.runs], ("policy_role", "questions_role", "run_id")
        ),
        transfers=_one_each(
            [item for one in found for item in one.transfers], tuple(TransferEvidence.model_fields)
        ),
        not_run=_one_each([item for one in found for item in one.not_run], tuple(NotRun.model_fields)),
    )


def _one_each(items: list[Item], key: tuple[str, ...]) -> list[Item]:
    groups: dict[tuple[object, ...], list[Item]] = {}
    for item in items:
        groups.setdefault(tuple(getattr(item, name) for name in key), []).append(item)
    return [_filled(group) for group in groups.values()]


def _filled(same: list[Item]) -> Item:
    """Return the item that lacks least, with what it lacks taken from the others."""
    fullest, *others = sorted(same, key=lambda item: sum(value is None for _, value in item))
    lacking = {
        name: value
        for other in reversed(others)
        for name, value in other
        if value is not None and getattr(fullest, name) is None
    }
    return fullest.model_copy(update=lacking)


class Analyse(Strict):
    """Step `analyse`: evidence -> one tidy table."""

    artefact: Name
    like: Name | None = Field(default=None, description="as in the artefact's entry", json_schema_extra=LATER)
    evidence: Evidence
    statistics: StatisticsSpec


class Render(Strict):
    """Step `render`: the tidy table -> figure or table, with the printed names."""

    artefact: Name
    entry: ArtefactEntry
    scale: str
    method_labels: dict[Name, str] = Field(description="method -> as printed")
    policy_labels: dict[Name, str] = Field(description="policy role -> the policy's name at this scale")
    question_set_labels: dict[Name, str] = Field(description="question set role -> its name at this scale")
    confidence: Share = Field(description="of the intervals in the tidy table, as printed")
    collapse_threshold: Share = Field(
        default=0.01, description="of reward accuracy: below it a run has collapsed"
    )
    evaluation_temperature: NonNegative = Field(description="of the evaluated samples, as printed")
    training_temperature: NonNegative = Field(description="of the rollouts of training, as printed")


class ClaimWithEvidence(Strict):
    """One claim and the files that decide it."""

    claim: ClaimSpec
    evidence: Evidence


class CheckClaims(Strict):
    """Step `check_claims`: claim id -> claim with its evidence."""

    scale: str
    claims: dict[Name, ClaimWithEvidence]
    statistics: StatisticsSpec
