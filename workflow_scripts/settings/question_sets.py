"""Question sets: where they come from, what is taken of them, how they are asked and answered.

Each is one entry of `config/questions.yaml`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from workflow_scripts.settings.base import (
    NO_NUMBERS,
    Count,
    Name,
    Seed,
    Share,
    Strict,
)
from workflow_scripts.settings.prompts import PromptSpec


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


class OutvotedQuestions(Strict):
    """Questions of another set whose majority answer is wrong, and has many of the samples."""

    kind: Literal["outvoted"]
    of: Name = Field(description="question set")
    policy: Name = Field(description="whose majority it is")
    sampling: dict[str, JsonValue] = Field(
        default={}, description="what its samples change of the scale's evaluation"
    )
    min_share: Share = Field(description="the majority has more than this share of the samples")


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
        GeneratedQuestions | LocalQuestions | HubQuestions | MatchedQuestions | OutvotedQuestions,
        Field(discriminator="kind"),
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
