"""What is trained, on what, with what: question sets, policies, process reward models, methods.

Each class describes one entry of `config/questions.yaml`, `config/models.yaml` or `config/methods.yaml`.
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
from workflow_scripts.settings.prompts import PromptSpec

Aggregation = Literal["min", "mean", "sum", "product", "last"]
"""How step scores become one trajectory score."""

# ------------------------------------------------------------------ question sets


class GeneratedQuestions(Strict):
    """Questions drawn from a miniature world; splits of one world share no question."""

    kind: Literal["generated"]
    world: Name
    split: Literal["adapt", "unseen"]
    n: Count
    n_options: Annotated[int, Field(ge=2, le=10)] | None = Field(description="null = free-form (clock only)")
    family: Literal["patients", "many_findings", "single_finding"] = Field(
        default="patients", description="of the clinic; the clock has one kind of chain"
    )
    seed: Seed


Shape = Literal[
    "chat",
    "commonsenseqa",
    "countdown",
    "ddxplus",
    "gpqa",
    "med_prm",
    "medmcqa",
    "medqa",
    "mmlu",
    "mmlu_pro",
    "olympiadbench",
    "options_in_text",
    "problem",
    "questions",
]
"""The row format of a source; questions/shapes/ has one function for each."""


class Table(Strict):
    """What is said of rows, wherever they come from."""

    shape: Shape
    columns: dict[str, str] = Field(
        default={},
        description="field of the shape: column of the source that holds it, where the names differ",
    )
    keep: dict[str, list[str | int]] = Field(
        default={}, description="column: the values of the rows that are kept; null = all rows"
    )


class LocalQuestions(Table):
    """A local file (json, jsonl, csv or parquet) in the original schema of its source."""

    kind: Literal["local"]
    path: str
    side_files: dict[str, str] = Field(
        default={}, description="other local files of the shape: ddxplus takes `evidences` and `conditions`"
    )


class HubQuestions(Table):
    """A data set of the hub at a pinned commit, loaded through `datasets`, or one file of its repository."""

    kind: Literal["hub"]
    id: str
    config: str | None = None
    split: str
    file: str | None = Field(
        default=None, description="a file of the repository that is no table for `datasets`"
    )
    side_files: dict[str, str] = Field(
        default={}, description="other files of the repository, as for a local file"
    )
    revision: str | None = Field(
        default=None, description="commit; null = pinned once in config/revisions.lock.yaml"
    )


class MatchedQuestions(Strict):
    """Free-form questions of another set, each as a choice among its answer and wrong ones (a construction of ours)."""

    kind: Literal["matched"]
    of: Name = Field(description="question set with numbers as answers")
    wrong_answers_of: Name | None = Field(
        default=None, description="policy whose most frequent wrong answers come before the near misses"
    )


class BuiltOptions(Strict):
    """Options that are not published in this order, or not at all: drawn per question from (seed, question id)."""

    n: Annotated[int, Field(ge=2, le=10)] | None = Field(
        default=None, description="null = as many as published"
    )
    seed: Seed


class Subset(Strict):
    """Part of a question set; subsets of equal seed and skip are nested."""

    n: Count
    skip: Annotated[int, Field(ge=0)] = 0
    seed: Seed | None = Field(
        default=None, description="shuffles the questions first; null = in their own order"
    )


class ChoiceRule(Strict):
    """How the letter of an option is read from a response."""

    kind: Literal["choice"]
    named_option: Literal["must_agree", "ignored"] = Field(
        default="ignored",
        description="must_agree: a letter that contradicts the option text beside it is no answer",
    )


class MathRule(Strict):
    """How a number or a LaTeX expression is read from a response."""

    kind: Literal["number", "latex"]
    accept: Literal["boxed", "stated", "last_number"] = Field(
        default="stated",
        description="boxed: \\boxed{...} only; stated: also `the answer is ...`; last_number: also the last number",
    )
    modulo: Annotated[int, Field(ge=2)] | None = Field(
        default=None,
        description="whole numbers are compared modulo this: a smaller answer space, nothing else changed",
    )


class CountdownRule(Strict):
    """An arithmetic expression in <answer> tags or a box that uses the given numbers once each."""

    kind: Literal["countdown"]


AnswerRule = Annotated[ChoiceRule | MathRule | CountdownRule, Field(discriminator="kind")]
"""How an answer is read from a response."""


class QuestionSetSpec(Strict):
    """One entry of config/questions.yaml."""

    source: Annotated[
        GeneratedQuestions | LocalQuestions | HubQuestions | MatchedQuestions, Field(discriminator="kind")
    ]
    options: BuiltOptions | None = Field(
        default=None, description="needed by the shapes ddxplus and gpqa and by matched questions"
    )
    subset: Count | Subset | None = Field(default=None, description="a number: the first rows; null = all")
    expected_rows: Count | None = Field(
        default=None,
        description="rows of the source, checked when it is read",
        json_schema_extra=NO_NUMBERS,
    )
    prompt: PromptSpec
    answer: AnswerRule
    licence: str = Field(json_schema_extra=NO_NUMBERS)


# ------------------------------------------------------------------ policies and process reward models


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


# ------------------------------------------------------------------ methods


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
