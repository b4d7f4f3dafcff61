"""Sampling and GRPO settings; every one explicit, none left to a library's default."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from workflow_scripts.settings.base import (
    LATER,
    NO_NUMBERS,
    Count,
    Name,
    NonNegative,
    Positive,
    Seed,
    Share,
    Strict,
)


class SamplingSpec(Strict):
    """How responses are sampled."""

    n_samples: Count
    temperature: NonNegative = Field(description="0 = greedy")
    top_p: Annotated[float, Field(gt=0, le=1)]
    max_prompt_tokens: Count
    max_new_tokens: Count
    seed: Seed
    backend: Literal["transformers"]
    max_rows: Count = Field(
        description="responses decoded together; a memory knob", json_schema_extra=NO_NUMBERS
    )


class GrpoSpec(Strict):
    """One GRPO run (paper-scale defaults: PROSE, section 5, "Optimization")."""

    epochs: Positive | None = Field(default=None, description="passes over the questions; or give steps")
    steps: Count | None = Field(default=None, description="batches of rollouts; or give epochs")
    prompts_per_step: Count
    n_samples: Annotated[int, Field(ge=2)] = Field(
        description="trained rollouts per question (K); GRPO needs at least 2"
    )
    n_votes: Count = Field(description="rollouts that vote; the first n_samples of them are trained on")
    temperature: Positive
    top_p: Annotated[float, Field(gt=0, le=1)]
    max_prompt_tokens: Count
    max_new_tokens: Count
    backend: Literal["transformers"]
    learning_rate: Positive
    schedule: Literal["constant", "constant_with_warmup", "cosine", "linear"]
    warmup_share: Share
    weight_decay: NonNegative
    adam_beta1: Share
    adam_beta2: Share
    adam_epsilon: Positive
    max_grad_norm: Positive
    kl_coefficient: NonNegative = Field(description="beta of the k3 (low-variance) KL in the loss")
    measure_drift: bool = Field(
        default=False,
        description="log the KL to the base policy where it is not in the loss, too; costs a forward pass",
        json_schema_extra=LATER,
    )
    clip_low: Positive
    clip_high: Positive
    dual_clip: Positive | None = Field(description="delta, the cap of the ratio for negative advantages")
    updates_per_batch: Count = Field(
        description="PPO epochs: how often the rollouts of a step are gone through"
    )
    mini_batches: Count | Literal["prompts"] = Field(
        default=1,
        description="parts that the rollouts of a step are split into, an optimiser step each; prompts = as many as "
        "prompts_per_step",
        json_schema_extra=LATER,
    )
    estimator: Literal["grpo", "rloo", "reinforce_plus_plus"] = Field(
        default="grpo",
        description="of advantages (training/advantages.py); REINFORCE with the group's mean as baseline is grpo with "
        "scale_rewards none",
        json_schema_extra=LATER,
    )
    loss: Literal["grpo", "dapo", "dr_grpo"]
    scale_rewards: Literal["group", "batch", "none"]
    mask_truncated: bool
    micro_batch: Count = Field(
        description="rollouts per forward pass at most; a memory knob", json_schema_extra=NO_NUMBERS
    )
    max_rows: Count = Field(
        description="responses decoded together while training; a memory knob", json_schema_extra=NO_NUMBERS
    )
    gradient_checkpointing: bool = Field(description="a memory knob", json_schema_extra=NO_NUMBERS)
    evaluate_every: Count = Field(description="steps between evaluations; the last step is always one")
    save_every: Count = Field(description="steps between resume points", json_schema_extra=NO_NUMBERS)

    @model_validator(mode="after")
    def _sizes_fit(self) -> GrpoSpec:
        if (self.epochs is None) == (self.steps is None):
            raise ValueError("give exactly one of epochs and steps")
        if self.n_votes < self.n_samples:
            raise ValueError("n_votes must be at least n_samples")
        if self.prompts_per_step % self._parts:
            raise ValueError(
                f"mini_batches ({self._parts}) must divide prompts_per_step ({self.prompts_per_step})"
            )
        if self.estimator != "grpo" and self.scale_rewards != "none":
            raise ValueError(f"scale_rewards must be none: {self.estimator} scales in its own way")
        return self

    @property
    def updates_per_step(self) -> int:
        """Optimiser steps on one batch of rollouts."""
        return self.updates_per_batch * self._parts

    @property
    def rollouts_per_update(self) -> int:
        """Rollouts behind one optimiser step."""
        return self.prompts_per_step * self.n_samples // self._parts

    @property
    def _parts(self) -> int:
        return self.prompts_per_step if self.mini_batches == "prompts" else self.mini_batches

    @property
    def rollouts_per_pass(self) -> int:
        """The largest equal parts of an update that `micro_batch` allows."""
        sizes = range(min(self.micro_batch, self.rollouts_per_update), 0, -1)
        return next(size for size in sizes if self.rollouts_per_update % size == 0)


class SetupSpec(Strict):
    """What one kind of experiment changes of the scale's `grpo` and `evaluation`.

    A method's own `grpo` comes on top of its `grpo`, and `methods` on top of that.
    """

    grpo: dict[str, JsonValue] = {}
    evaluation: dict[str, JsonValue] = {}
    methods: dict[Name, dict[str, JsonValue]] = Field(
        default={}, description="what it changes of grpo for one method alone"
    )


COLLAPSE_THRESHOLDS = (0.01, 0.02, 0.04, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
"""Of reward accuracy: the paper's 1 %, and others, since a policy that guesses one value is right by chance."""


class StatisticsSpec(Strict):
    """Intervals (bootstrap over questions, seeds apart), and what counts as a collapse."""

    bootstrap_samples: Annotated[int, Field(ge=100)]
    confidence: Annotated[float, Field(ge=0.5, lt=1)]
    seed: Seed
    collapse_threshold: Share = Field(
        default=0.01,
        description="of reward accuracy: a run that stays below has collapsed (URLVR: 1 %; more where a guess is often "
        "right)",
    )

    @model_validator(mode="after")
    def _threshold_is_worked_out(self) -> StatisticsSpec:
        if self.collapse_threshold not in COLLAPSE_THRESHOLDS:
            known = ", ".join(f"{threshold:g}" for threshold in COLLAPSE_THRESHOLDS)
            raise ValueError(f"collapse_threshold must be one of {known}")
        return self
