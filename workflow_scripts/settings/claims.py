"""How a published claim is written down: quantities built from result tables, and tests with thresholds.

A quantity is a weighted sum of terms; a term is one metric of one method (or of the base) at one place of
training. The kinds `level`, `gain`, `difference` are the usual sums by name; `contrast` spells one out.

Metrics of the evaluated samples are `avg@k`, `maj@k`, `distinct_responses` (share of k), `distinct_answers`,
`answer_entropy` (nats), `unparseable` (share of k). `train.reward` is the reward of the trained rollouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflow_scripts.settings.base import Name, Strict

Where = Literal["base", "first", "last", "last_tenth", "peak"]
"""base: the unadapted policy. first, last: evaluation step. last_tenth: mean over the last 10 % of the steps.
peak: the evaluation step with the highest mean (picked once, so biased upwards)."""

Metric = Annotated[
    str,
    Field(
        pattern=r"^(avg@k|maj@k|distinct_responses|distinct_answers|answer_entropy|unparseable|train\.reward)$"
    ),
]


@dataclass(frozen=True)
class Term:
    """`weight` x `metric` of `method` at `where`; method None is the base."""

    weight: float
    metric: str
    method: str | None
    where: str

    @property
    def is_of_training(self) -> bool:
        """Whether it is about the rollouts of training instead of evaluated samples."""
        return self.metric.startswith("train.")


class Level(Strict):
    """The metric itself."""

    kind: Literal["level"]
    metric: Metric
    method: Name | None = None
    where: Where = "last"

    def terms(self) -> list[Term]:
        return [Term(1.0, self.metric, self.method, self.where)]


class Gain(Strict):
    """The metric minus its value before training: of the base, or of the run's own first evaluation."""

    kind: Literal["gain"]
    metric: Metric
    method: Name
    where: Where = "last"
    over: Literal["base", "first"] = "base"

    def terms(self) -> list[Term]:
        start = Term(-1.0, self.metric, None if self.over == "base" else self.method, self.over)
        return [Term(1.0, self.metric, self.method, self.where), start]


class Difference(Strict):
    """The metric of one method minus that of another, seed by seed and question by question."""

    kind: Literal["difference"]
    metric: Metric
    method: Name
    minus: Name
    where: Where = "last"

    def terms(self) -> list[Term]:
        return [
            Term(1.0, self.metric, self.method, self.where),
            Term(-1.0, self.metric, self.minus, self.where),
        ]


class WeightedTerm(Strict):
    """One line of a contrast."""

    weight: float
    metric: Metric
    method: Name | None = None
    where: Where = "last"


class Contrast(Strict):
    """A weighted sum, spelled out."""

    kind: Literal["contrast"]
    sum: list[WeightedTerm] = Field(min_length=2)

    def terms(self) -> list[Term]:
        return [Term(line.weight, line.metric, line.method, line.where) for line in self.sum]


Quantity = Annotated[Level | Gain | Difference | Contrast, Field(discriminator="kind")]

Test = Literal["lower_above", "lower_at_least", "upper_below", "upper_at_most", "magnitude_below"]
"""Which bound of the interval is compared with the threshold, and how; magnitude_below: both bounds."""


class PaperNumber(Strict):
    """A row of config/paper_numbers.csv."""

    paper: Name
    place: str
    row: str
    metric: str


class Part(Strict):
    """One condition of a claim."""

    says: str = Field(description="the condition in a few words")
    quantity: Quantity
    test: Test
    threshold: float
    published: PaperNumber | None = None

    @model_validator(mode="after")
    def _terms_are_consistent(self) -> Part:
        terms = self.quantity.terms()
        if len({term.is_of_training for term in terms}) > 1:
            raise ValueError(f"part `{self.says}` mixes training metrics with evaluated ones")
        for term in terms:
            if (term.method is None) != (term.where == "base"):
                raise ValueError(
                    f"part `{self.says}`: `where: base` goes with no method, and no other place does"
                )
            if term.is_of_training and term.where not in ("first", "last", "last_tenth"):
                raise ValueError(f"part `{self.says}`: a training metric has first, last and last_tenth only")
        return self
