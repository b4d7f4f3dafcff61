"""What artefacts and claims need, in roles, and the files in which it lies once a scale has resolved them.

`Needs` is written by people (config/artefacts/*.yaml, `needs` in config/claims.yaml); `Evidence` by the plan.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from workflow_scripts.settings.base import Name, NonNegative, Seed, Share, Strict
from workflow_scripts.settings.claims import Part
from workflow_scripts.settings.training import StatisticsSpec


class Needs(Strict):
    """Runs and evaluations, in roles: policies x question sets x methods x seeds."""

    policies: list[Name] = Field(min_length=1, description="policy roles")
    question_sets: list[Name] = Field(min_length=1, description="question set roles")
    methods: list[Name] = []
    seeds: Literal["all", "first"] = "all"
    base: bool = Field(default=True, description="the unadapted policy too")
    evaluate: bool = Field(default=True, description="sample and evaluate the last checkpoint of each run")
    score_steps: list[Name] = Field(
        default=[], description="the methods whose evaluation samples get step scores; `base` is one of them"
    )
    prm: Name | None = Field(default=None, description="role of the process reward model")


class ArtefactEntry(Needs):
    """One entry of config/artefacts/*.yaml."""

    kind: Literal["figure", "table"]
    title: str
    caption: str = Field(description="what is shown, in a sentence or two; goes to the report")
    budget_minutes: NonNegative = Field(description="at the mini scale, on two cores")


class ClaimSpec(Strict):
    """One entry of config/claims.yaml: a published statement and the test that decides it.

    All parts must hold, for every policy role and question set role of `needs`.
    """

    paper: Name
    place: str = Field(description="where the paper says it")
    statement: str = Field(description="in our words")
    needs: Needs
    parts: list[Part] = Field(min_length=1)

    @model_validator(mode="after")
    def _parts_use_what_is_needed(self) -> ClaimSpec:
        for part in self.parts:
            for term in part.quantity.terms():
                if term.method is None and not self.needs.base:
                    raise ValueError(f"part `{part.says}` compares with the base, but needs.base is false")
                if term.method is not None and term.method not in self.needs.methods:
                    raise ValueError(f"part `{part.says}`: method {term.method} is not in needs.methods")
        return self


class BaseEvidence(Strict):
    """The unadapted policy on one question set: paths of its evaluation."""

    policy_role: Name
    questions_role: Name
    evaluation: str
    per_question: str
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
    not_run: list[NotRun]


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
