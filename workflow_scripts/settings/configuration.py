"""Everything that people wrote, read and checked: what the plan is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflow_scripts.settings.evidence import ArtefactEntry, ClaimSpec, Needs
from workflow_scripts.settings.methods import MethodSpec, ProcessReward
from workflow_scripts.settings.models import (
    FinetunedPolicy,
    PolicySpec,
    PretrainedPolicy,
    PrmSpec,
    TrainedPrm,
)
from workflow_scripts.settings.question_sets import GeneratedQuestions, QuestionSetSpec
from workflow_scripts.settings.scale import Settings
from workflow_scripts.settings.worlds import World

DEFAULT_PRM = "process_reward_model"
"""The role that scores steps where an entry names none."""

NO_PRM_NEEDED = ("majority", "oracle", "random", "format")
"""Kinds of rewards that score no steps."""


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
