"""Methods: the reward that a policy is adapted with, and how.

Each is one entry of `config/methods.yaml`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from workflow_scripts.settings.base import LATER, NO_NUMBERS, Name, Share, Strict

Aggregation = Literal["min", "mean", "sum", "product", "last"]
"""How step scores become one trajectory score."""


class MajorityReward(Strict):
    """TTRL: 1 if the answer is the majority answer of the group."""

    kind: Literal["majority"]
    missing: Literal["no_vote", "one_class"] = Field(
        default="no_vote",
        description="one_class: responses without an answer vote together and can win (TTRL v1)",
    )
    min_share: Share = Field(
        default=0.0,
        description="a group whose majority has less of the samples has no label and teaches nothing (SRT's filter)",
        json_schema_extra=LATER,
    )


class EmpoReward(Strict):
    """EMPO: the share of the group whose answer means the same."""

    kind: Literal["empo"]
    all_distinct: Literal["zero", "share"] = Field(
        default="zero", description="reward of a group without two equal answers"
    )


class ProcessReward(Strict):
    """PROSE: an aggregate of the step scores, 0 without a parseable answer if guarded."""

    kind: Literal["process"]
    aggregation: Aggregation
    format_guard: bool
    prm: Name | None = Field(
        default=None, description="role of its process reward model; null = the artefact's"
    )


class ProcessLabelReward(Strict):
    """PRM as label: 1 if the answer is the one that the process reward model selects."""

    kind: Literal["process_label"]
    selection: Literal["sc_rm", "bon"]
    aggregation: Aggregation


class OracleReward(Strict):
    """1 if the answer is right: supervised reinforcement learning, the control."""

    kind: Literal["oracle"]


class RandomReward(Strict):
    """A fair coin per rollout: the control for gains that need no signal."""

    kind: Literal["random"]


class FormatReward(Strict):
    """1 if an answer can be read: the control for gains in format alone."""

    kind: Literal["format"]


CertaintyFormula = Literal[
    "self_certainty", "token_entropy", "trajectory_entropy", "probability", "probability_disparity"
]


class CertaintyReward(Strict):
    """How sure the policy is of its own response, by one of five formulas (rewards/certainty.py)."""

    kind: Literal["certainty"]
    formula: CertaintyFormula


RewardSpec = Annotated[
    MajorityReward
    | EmpoReward
    | ProcessReward
    | ProcessLabelReward
    | CertaintyReward
    | OracleReward
    | RandomReward
    | FormatReward,
    Field(discriminator="kind"),
]


class MethodSpec(Strict):
    """One entry of config/methods.yaml: a reward, with optimisation settings of its own if it needs any."""

    label: str = Field(
        pattern=r"\w", description="as printed in figures and tables", json_schema_extra=NO_NUMBERS
    )
    reward: RewardSpec
    grpo: dict[str, JsonValue] = Field(
        default={},
        description="what it changes of the scale's grpo and of the artefact's setup",
        json_schema_extra=NO_NUMBERS,
    )
    vary: dict[Name, list[JsonValue]] = Field(
        default={},
        description="setting of grpo (or `rollouts`) -> values; each is a method more (settings/variants.py)",
        json_schema_extra=NO_NUMBERS,
    )
    paper: str = Field(description="where the method is defined", json_schema_extra=NO_NUMBERS)
