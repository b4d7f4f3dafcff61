"""Methods: the reward that a policy is adapted with.

Each is one entry of `config/methods.yaml`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from workflow_scripts.settings.base import NO_NUMBERS, Name, Strict

Aggregation = Literal["min", "mean", "sum", "product", "last"]
"""How step scores become one trajectory score."""


class MajorityReward(Strict):
    """TTRL: 1 if the answer is the majority answer of the group."""

    kind: Literal["majority"]
    missing: Literal["no_vote", "one_class"] = Field(
        default="no_vote",
        description="one_class: responses without an answer vote together and can win (TTRL v1)",
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


RewardSpec = Annotated[
    MajorityReward | ProcessReward | ProcessLabelReward | OracleReward | RandomReward | FormatReward,
    Field(discriminator="kind"),
]


class MethodSpec(Strict):
    """One entry of config/methods.yaml: a reward."""

    label: str = Field(
        pattern=r"\w", description="as printed in figures and tables", json_schema_extra=NO_NUMBERS
    )
    reward: RewardSpec
    paper: str = Field(description="where the method is defined", json_schema_extra=NO_NUMBERS)
