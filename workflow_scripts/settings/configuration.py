"""Everything that people wrote, read and checked: what the plan is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from workflow_scripts.settings.evidence import ArtefactEntry, ClaimSpec, Needs
from workflow_scripts.settings.methods import MethodSpec, ProcessReward
from workflow_scripts.settings.models import (
    FinetunedPolicy,
    PolicySpec,
    PretrainedPolicy,
    PrmSpec,
    TrainedPrm,
)
from workflow_scripts.settings.question_sets import GeneratedQuestions, OutvotedQuestions, QuestionSetSpec
from workflow_scripts.settings.scale import Settings
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec, SetupSpec
from workflow_scripts.settings.worlds import World

DEFAULT_PRM = "process_reward_model"
"""The role that scores steps where an entry names none."""

PRM_NEEDED = ("process", "process_label")
"""Kinds of rewards that score steps."""


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

    def world_of(self, source: object) -> World | None:
        """The miniature world of a question set's, policy's or process reward model's source; None: it has none."""
        if isinstance(source, GeneratedQuestions | PretrainedPolicy | FinetunedPolicy | TrainedPrm):
            return self.worlds[source.world]
        return None

    def prm_role(self, needs: Needs, method: str) -> str:
        """The process reward model of a method: its own, else the entry's, else the usual one."""
        reward = self.methods[method].reward
        own = reward.prm if isinstance(reward, ProcessReward) else None
        return own or needs.prm or DEFAULT_PRM

    def grpo(self, setup: str | None, method: str | None) -> GrpoSpec:
        """How a method trains in a setup: what the scale says, as setup and method change it (`SetupSpec`)."""
        chosen = self._setup(setup)
        of_method = {**self.methods[method].grpo, **chosen.methods.get(method, {})} if method else {}
        changes = {**chosen.grpo, **of_method}
        return GrpoSpec.model_validate(self.settings.grpo.model_dump() | changes)

    def evaluation(self, setup: str | None) -> SamplingSpec:
        """How responses are sampled for evaluation in a setup."""
        return self._changed(self._setup(setup).evaluation)

    def sampling(self, source: OutvotedQuestions) -> SamplingSpec:
        """How responses are sampled to find the questions that are outvoted."""
        return self._changed(source.sampling)

    def _changed(self, changes: dict[str, JsonValue]) -> SamplingSpec:
        return SamplingSpec.model_validate(self.settings.evaluation.model_dump() | changes)

    def _setup(self, name: str | None) -> SetupSpec:
        return self.setups.get(name, SetupSpec()) if name else SetupSpec()

    @property
    def setups(self) -> Mapping[str, SetupSpec]:
        """The setups that this scale has."""
        return {str(role): setup for role, setup in self.settings.setups.items()}
