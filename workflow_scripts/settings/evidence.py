"""What artefacts and claims need, in roles, and the files in which it lies once a scale has resolved them.

`Needs` is written by people (config/artefacts/*.yaml, `needs` in config/claims.yaml); `Evidence` by the plan.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from pydantic import Field, model_validator

from workflow_scripts.settings.base import Name, NonNegative, Seed, Share, Strict
from workflow_scripts.settings.claims import NEEDS_SCORES, Part, all_terms
from workflow_scripts.settings.training import StatisticsSpec

Item = TypeVar("Item", bound=Strict)


class Needs(Strict):
    """Runs and evaluations, in roles: policies x question sets x methods x seeds."""

    policies: list[Name] = Field(min_length=1, description="policy roles")
    question_sets: list[Name] = Field(min_length=1, description="question set roles")
    methods: list[Name] = []
    seeds: Literal["all", "first"] = "all"
    base: bool = Field(default=True, description="the unadapted policy too")
    evaluate: bool = Field(
        default=True,
        description="sample and evaluate the last checkpoint of each run; false: the run's own last evaluation counts",
    )
    score_steps: list[Name] = Field(
        default=[], description="the methods whose evaluation samples get step scores; `base` is one of them"
    )
    prm: Name | None = Field(default=None, description="role of the process reward model")
    transfer: list[Name] = Field(
        default=[],
        description="question set roles on which the base and the adapted policies are evaluated without adaptation",
    )


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
        needs = self.all_needs()
        methods = {method for one in needs for method in one.methods}
        policies = {role for one in needs for role in one.policies}
        adapted = {role for one in needs for role in one.question_sets}
        evaluated = adapted | {role for one in needs for role in one.transfer}
        for part in self.parts:
            where = f"part `{part.says}`"
            _check(part.policies or [], policies, where, "needs.policies")
            _check(part.question_sets or [], evaluated, where, "needs.question_sets")
            for term in all_terms(part.quantity):
                if term.method is None and not any(one.base for one in needs):
                    raise ValueError(f"{where} compares with the base, but needs.base is false")
                if term.method is not None and term.method not in methods:
                    raise ValueError(f"{where}: method {term.method} is not in needs.methods")
                if term.adapted_on is not None:
                    _check([term.adapted_on], adapted, where, "needs.question_sets")
                name = term.method or "base"
                if term.metric in NEEDS_SCORES and not any(name in one.score_steps for one in needs):
                    raise ValueError(
                        f"{where}: {term.metric} needs step scores, but {name} is not in needs.score_steps"
                    )
        if not any(part.decides for part in self.parts):
            raise ValueError("no part decides")
        return self


def _check(roles: list[str], known: set[str], where: str, place: str) -> None:
    for role in roles:
        if role not in known:
            raise ValueError(f"{where}: {role} is not in {place}")


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
