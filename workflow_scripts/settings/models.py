"""Policies and process reward models: trained here, from a folder, or from the hub.

Each is one entry of `config/models.yaml`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflow_scripts.settings.base import (
    NO_NUMBERS,
    Count,
    Name,
    NonNegative,
    Positive,
    Seed,
    Share,
    Strict,
    check_sum,
)


class Architecture(Strict):
    """A Qwen3 decoder; sizes in units of channels and layers."""

    hidden_size: Count
    layers: Count
    heads: Count
    intermediate_size: Count


class CorpusTraining(Strict):
    """Next-token training on a reasoner's corpus, with a share of binding drills in each batch."""

    corpus_steps: Count
    drill_share: Share = Field(description="share of drills in each corpus batch")
    batch_size: Count
    corpus_size: Count = Field(description="different responses in the corpus")
    weight_decay: NonNegative
    seed: Seed


class Pretraining(CorpusTraining):
    """Next-token training of a tiny policy: binding drills first, then the reasoner's corpus."""

    drill_steps: Annotated[int, Field(ge=0)]
    drill_learning_rate: Positive
    corpus_learning_rate: Positive


class TinyPolicy(Strict):
    """What both kinds of tiny policies have: a job's threads, and the gates that close on a broken policy."""

    threads: Count | None = Field(
        default=None,
        description="of the job; null = resources.pretrain_policy.threads of the scale",
        json_schema_extra=NO_NUMBERS,
    )
    min_agreement: Share = Field(
        description="the job fails if fewer samples' answers agree with their own steps",
        json_schema_extra=NO_NUMBERS,
    )
    max_unparseable: Share | None = Field(
        default=None,
        description="the job fails if more samples than this hold no answer that can be read",
        json_schema_extra=NO_NUMBERS,
    )
    max_form_gap: Share | None = Field(
        default=None,
        description="clock: the job fails if accuracy in the free form and as a choice differ by more",
        json_schema_extra=NO_NUMBERS,
    )


class PretrainedPolicy(TinyPolicy):
    """A tiny policy that the pipeline pretrains itself in a miniature world."""

    kind: Literal["pretrained"]
    world: Name
    architecture: Architecture
    pretraining: Pretraining


class FinetunedPolicy(TinyPolicy, CorpusTraining):
    """A pretrained policy whose training goes on in another world of the same kind: other beliefs, same vocabulary."""

    kind: Literal["finetuned"]
    policy: Name = Field(description="the pretrained policy that it starts from")
    world: Name
    learning_rate: Positive


class LocalModel(Strict):
    """A model directory as transformers' `save_pretrained` writes it."""

    kind: Literal["local"]
    path: str


class HubModel(Strict):
    """A model of the hub at a pinned revision."""

    kind: Literal["hub"]
    id: str
    revision: str | None = None


class PolicySpec(Strict):
    """One entry under `policies` of config/models.yaml."""

    source: Annotated[PretrainedPolicy | FinetunedPolicy | LocalModel | HubModel, Field(discriminator="kind")]
    dtype: Literal["float32", "bfloat16"]
    chat_template_arguments: dict[str, bool] = Field(
        default={}, description="for example enable_thinking: false"
    )
    parameters: str | None = Field(
        default=None, description="size as printed in tables, e.g. 8B", json_schema_extra=NO_NUMBERS
    )


class StepLabels(Strict):
    """The labelled steps that a tiny process reward model learns from."""

    responses: Count
    corrupted_share: Share = Field(description="share of responses with foreign, repeated or swapped steps")
    foreign: Share = Field(description="of the corruptions: a finding the patient does not have")
    repeated: Share = Field(description="of the corruptions: a step said again; the rest swap the answer")
    systematic_noise: Share = Field(description="labels flipped always for a (finding, condition) pair")
    random_noise: Share = Field(description="labels flipped at random")

    @model_validator(mode="after")
    def _leave_a_rest(self) -> StepLabels:
        check_sum("foreign and repeated", self.foreign, self.repeated)
        return self


class TrainedPrm(Strict):
    """A tiny process reward model that the pipeline trains itself, initialised from a tiny policy."""

    kind: Literal["trained"]
    world: Name
    policy: Name = Field(description="the tiny policy whose weights it starts from")
    labels: StepLabels
    steps: Count
    learning_rate: Positive
    batch_size: Count
    weight_decay: NonNegative
    seed: Seed
    held_out_responses: Count = Field(
        description="responses on which its step AUC is reported", json_schema_extra=NO_NUMBERS
    )


class Message(Strict):
    """One chat message; templates with {question} and {explanation}."""

    role: Literal["system", "user", "assistant"]
    content: str


class StepFormat(Strict):
    """How a trajectory is shown to a process reward model, and where its verdicts are read.

    The probability of a step is softmax(plus, minus)[plus] of the logits at the step tag (Med-PRM).
    """

    messages: list[Message]
    add_generation_prompt: bool
    step_tag: str
    plus: str
    minus: str
    max_tokens: Count


class PrmSpec(Strict):
    """One entry under `process_reward_models` of config/models.yaml."""

    source: Annotated[TrainedPrm | LocalModel | HubModel, Field(discriminator="kind")]
    dtype: Literal["float32", "bfloat16"]
    format: StepFormat
    split: Literal["line", "step_number"] = Field(
        description="line: one step per non-empty line; step_number: Med-PRM's `Step N:`"
    )
    score_answer: bool = Field(description="the answer sentence is scored as the last step")
