"""The scale file: sizes, roles and resources of one way to run the same DAG."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Literal

from pydantic import Field

from workflow_scripts.settings.base import Count, Name, Names, Strict
from workflow_scripts.settings.evidence import ArtefactEntry
from workflow_scripts.settings.methods import MethodSpec
from workflow_scripts.settings.models import PolicySpec, PrmSpec
from workflow_scripts.settings.question_sets import QuestionSetSpec
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec, SetupSpec, StatisticsSpec
from workflow_scripts.settings.worlds import World

PolicyRole = Literal[
    "main_policy",
    "second_policy",
    "small_policy_1",
    "small_policy_2",
    "answer_space_policy",
    "misconceptions_none",
    "misconceptions_few",
    "misconceptions_some",
    "misconceptions_many",
    "rise_and_fall_policy",
    "qwen_base",
    "qwen_sft",
    "llama_base",
    "llama_sft",
    "qwen_math",
    "qwen_instruct",
    "llama_math",
    "llama_math_small",
    "llama_instruct",
    "qwen3_4b",
    "backbone_1",
    "backbone_2",
    "backbone_3",
    "backbone_4",
    "backbone_5",
    "backbone_6",
    "backbone_7",
]
QuestionRole = Literal[
    "medqa_5op",
    "medqa_4op",
    "medmcqa",
    "ddxplus",
    "amc_free",
    "amc_4op",
    "unseen",
    "answers_modulo_2",
    "answers_modulo_4",
    "answers_modulo_10",
    "dapo",
    "dapo_32",
    "dapo_128",
    "dapo_512",
    "dapo_2048",
    "dapo_8192",
    "dapo_16384",
    "dapo_outvoted",
    "math_8k",
    "deepscaler_40k",
    "orz_56k",
    "test_time",
    "aime24",
    "aime25",
    "amc23",
]
PrmRole = Literal["process_reward_model", "prm_noise_none", "prm_noise_middle", "prm_noise_high"]

SetupRole = Literal[
    "urlvr",
    "urlvr_set_size",
    "urlvr_test_time",
    "urlvr_long",
    "urlvr_collapse",
    "urlvr_pass_at_k",
]
"""Kinds of experiments that train or evaluate in their own way."""


class Roles(Strict):
    """Which concrete entry plays which part; a role left out makes `not run` rows, never an error."""

    policies: dict[PolicyRole, Name]
    question_sets: dict[QuestionRole, Name]
    process_reward_models: dict[PrmRole, Name] = {}

    def names(self) -> dict[str, str]:
        """Role -> entry, of all three kinds together: no role has two kinds."""
        kinds = (self.policies.items(), self.question_sets.items(), self.process_reward_models.items())
        return dict(chain[tuple[str, str]](*kinds))


class JobResources(Strict):
    """What one job of a rule may use."""

    threads: Count
    mem_mb: Count = Field(description="main memory in MiB")
    runtime: Count = Field(description="minutes")
    gpu: Annotated[int, Field(ge=0)] = 0


class Resources(Strict):
    """Resources of the rules that compute; the rest (preparing, tables, figures) is small everywhere."""

    pretrain_policy: JobResources
    train_prm: JobResources
    sample: JobResources
    score_steps: JobResources
    train: JobResources
    evaluate: JobResources
    analyse: JobResources


class ModelRegistry(Strict):
    """config/models.yaml, and the section `models` of a scale file."""

    policies: dict[Name, PolicySpec] = {}
    process_reward_models: dict[Name, PrmSpec] = {}


class Settings(Strict):
    """A scale file. It is complete: nothing is taken from another scale.

    The last five sections are entries of its own beside those of the registries in config/.
    """

    scale: Name
    results: str = Field(min_length=1, description="folder of all results")
    figures: str = Field(min_length=1, description="folder of figures and the tables plotted in them")
    track_code: bool = Field(description="edited source files re-run the steps that use them")
    environment: Literal["cpu", "gpu"] = Field(description="conda file of the computing rules (--sdm conda)")
    n_seeds: Count = Field(description="training seeds 0 ... n-1 where an entry asks for all")
    headline: Names = Field(min_length=1, description="artefacts of the target `headline`")
    headline_claims: Names = Field(
        default=[],
        description="claims of the target `headline`, which should need little beyond its artefacts",
    )
    roles: Roles
    grpo: GrpoSpec
    evaluation: SamplingSpec
    setups: dict[SetupRole, SetupSpec] = Field(
        default={},
        description="other settings of training and evaluation; one left out makes `not run` rows, never an error",
    )
    statistics: StatisticsSpec
    resources: Resources
    worlds: dict[Name, World] = {}
    questions: dict[Name, QuestionSetSpec] = {}
    models: ModelRegistry = ModelRegistry()
    methods: dict[Name, MethodSpec] = {}
    artefacts: dict[Name, ArtefactEntry] = {}
