"""The configuration that each step of the DAG receives as one JSON argument (`--config`).

A step's configuration holds everything that changes its numbers; the hash of that is part of the path of every result
up to the evaluations. Fields marked NO_NUMBERS come along unhashed: changing them runs nothing again.
"""

from __future__ import annotations

from pydantic import Field

from workflow_scripts.settings.base import LATER, Name, Seed, Strict
from workflow_scripts.settings.methods import Aggregation, MethodSpec
from workflow_scripts.settings.models import PolicySpec, PrmSpec
from workflow_scripts.settings.question_sets import QuestionSetSpec
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec
from workflow_scripts.settings.worlds import World


class PrepareQuestions(Strict):
    """Step `prepare_questions`."""

    name: Name
    question_set: QuestionSetSpec
    world: World | None
    base: str | None = Field(default=None, description="question set id that matched questions are made of")
    base_samples: str | None = Field(default=None, description="`<owner>/<sample id>` of the wrong answers")


class CheckOverlap(Strict):
    """Step `check_overlap`."""

    question_sets: list[Name] = Field(description="names of the sets, in the order of `--questions`")


class PreparePolicy(Strict):
    """Step `pretrain_policy` (a policy of a local folder is checked and named instead, one of the hub downloaded)."""

    name: Name
    policy: PolicySpec
    start: str | None = Field(default=None, description="policy id that a fine-tuned one starts from")
    world: World | None


class TrainPrm(Strict):
    """Step `train_prm` (a model of a local folder is checked and named instead, one of the hub downloaded)."""

    name: Name
    prm: PrmSpec
    policy: PolicySpec | None = Field(description="the policy that a trained one starts from")
    start: str | None = Field(default=None, description="its policy id")
    world: World | None


class Sample(Strict):
    """Step `sample`."""

    policy: str = Field(description="policy id or run id")
    questions: str = Field(description="question set id")
    question_set: QuestionSetSpec
    dtype: str
    chat_template_arguments: dict[str, bool]
    sampling: SamplingSpec


class ScoreSteps(Strict):
    """Step `score_steps`; with a world, the true label of each step is written beside its score."""

    samples: str = Field(description="sample id")
    question_set: QuestionSetSpec
    prm: str = Field(description="process reward model id")
    prm_spec: PrmSpec
    world: World | None


class Validation(Strict):
    """Questions that a training is evaluated on."""

    questions: str = Field(description="question set id")
    question_set: QuestionSetSpec


class Train(Strict):
    """Step `train`."""

    policy: str = Field(description="policy id")
    policy_spec: PolicySpec
    questions: str = Field(description="question set id")
    question_set: QuestionSetSpec
    method_name: Name
    method: MethodSpec
    prm: str | None = Field(description="process reward model id, where the reward needs one")
    prm_spec: PrmSpec | None
    grpo: GrpoSpec
    evaluation: SamplingSpec
    validation: list[Validation] = Field(
        default=[],
        description="in the order of `--validation`; empty: the training's own questions are evaluated",
        json_schema_extra=LATER,
    )
    seed: Seed


class Evaluate(Strict):
    """Step `evaluate`."""

    samples: str = Field(description="sample id")
    questions: str = Field(description="question set id")
    question_set: QuestionSetSpec
    prm: str | None = Field(
        description="process reward model id, where samples are also selected by step scores"
    )
    aggregation: Aggregation = Field(description="of step scores, for best-of-N and SC+RM")
    bootstrap_samples: int
    confidence: float
    seed: Seed
