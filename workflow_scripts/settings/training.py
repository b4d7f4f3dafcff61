"""Sampling and GRPO settings; every one explicit, none left to a library's default."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflow_scripts.settings.base import NO_NUMBERS, Count, NonNegative, Positive, Seed, Share, Strict


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
    steps: Count | None = Field(default=None, description="optimiser steps; or give epochs")
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
    clip_low: Positive
    clip_high: Positive
    dual_clip: Positive | None = Field(description="delta, the cap of the ratio for negative advantages")
    updates_per_batch: Count = Field(description="PPO epochs (num_iterations)")
    loss: Literal["grpo", "dapo", "dr_grpo"]
    scale_rewards: Literal["group", "batch", "none"]
    mask_truncated: bool
    micro_batch: Count = Field(
        description="rollouts per forward pass; a memory knob", json_schema_extra=NO_NUMBERS
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
        batch = self.prompts_per_step * self.n_samples
        if batch % self.micro_batch:
            raise ValueError(
                f"micro_batch ({self.micro_batch}) must divide prompts_per_step x n_samples "
                f"({self.prompts_per_step} x {self.n_samples} = {batch})"
            )
        return self


class StatisticsSpec(Strict):
    """Intervals: bootstrap over questions, seeds apart."""

    bootstrap_samples: Annotated[int, Field(ge=100)]
    confidence: Annotated[float, Field(ge=0.5, lt=1)]
    seed: Seed
