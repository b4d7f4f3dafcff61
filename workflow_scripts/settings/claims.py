"""How a published claim is written down: quantities built from result tables, and tests with thresholds.

A quantity belongs to one cell: a policy role on a question set role. It is a weighted sum of terms; a term is one
metric of one method (or of the base) at one place of training. The kinds `level`, `gain`, `difference` are the usual
sums by name, `contrast` spells one out; `lead` and `ratio` are made of two or more sums. A part of a claim says in
which cells its quantity is tested, and whether in each, in their mean, or by the number of cells where it is positive.

Metrics of the evaluated samples are `avg@k`, `maj@k`, `bon@k` and `sc_rm@k` (of scored samples), `distinct_responses`
(share of k), `distinct_answers`, `answer_entropy` (nats), `unparseable` (share of k). Metrics of the rollouts of
training are `train.reward`, `train.accuracy`, `train.tokens` (of a response), `train.repetition` (share of its 4-grams)
and, of rewards that come from a label, `train.label_accuracy`, `train.label_wrong` (the rest of it),
`train.reward_accuracy` and `train.protection_gap`, as metrics.jsonl has them per step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflow_scripts.settings.base import Name, Names, Strict

Where = Literal["base", "first", "last", "last_tenth", "peak", "first_pass", "run"]
"""base: the unadapted policy. first: the first evaluation step. last: evaluation step, or optimiser step of a training
metric. last_tenth: mean over the last 10 % of the steps. peak: the evaluation step with the highest mean (picked once,
so biased upwards). first_pass: the optimiser steps of the first pass over the questions; run: all of them."""

OF_SAMPLES = ("base", "first", "last", "last_tenth", "peak")
OF_TRAINING = ("first_pass", "last", "last_tenth", "run")

Metric = Literal[
    "avg@k",
    "maj@k",
    "bon@k",
    "sc_rm@k",
    "distinct_responses",
    "distinct_answers",
    "answer_entropy",
    "unparseable",
    "train.reward",
    "train.accuracy",
    "train.tokens",
    "train.repetition",
    "train.label_accuracy",
    "train.label_wrong",
    "train.reward_accuracy",
    "train.protection_gap",
]

OF_RESPONSES = ("train.accuracy", "train.tokens", "train.repetition")
"""Metrics of the responses of training, which the unadapted policy has no counterpart of."""

NEEDS_SCORES = ("bon@k", "sc_rm@k")
"""Metrics of samples with step scores."""

OF_LABELS = ("train.label_accuracy", "train.label_wrong", "train.reward_accuracy", "train.protection_gap")
"""Metrics of rewards that are 0 or 1, and so are right or wrong."""

MINUS = "−"


@dataclass(frozen=True)
class Term:
    """`weight` x `metric` of `method` at `where`; method None is the base.

    `adapted_on`: the question set role on which the policy was adapted; None = the cell's own.
    """

    weight: float
    metric: str
    method: str | None
    where: str
    adapted_on: str | None = None

    @property
    def is_of_training(self) -> bool:
        """Whether it is about the rollouts of training instead of evaluated samples."""
        return self.metric.startswith("train.")

    @property
    def text(self) -> str:
        """Without its weight, e.g. `avg@k(ttrl, last)`."""
        if self.method is None:
            return f"{self.metric}(base)"
        origin = f" from {self.adapted_on}" if self.adapted_on else ""
        return f"{self.metric}({self.method}{origin}, {self.where})"


def sum_text(terms: list[Term]) -> str:
    """Return a weighted sum as one line, e.g. `avg@k(ttrl, last) − 0.5·avg@k(base)`."""
    text = ""
    for term in terms:
        sign = MINUS if term.weight < 0 else "+" if text else ""
        size = "" if abs(term.weight) == 1 else f"{abs(term.weight):g}·"
        text += f" {sign} {size}{term.text}" if text else f"{sign}{size}{term.text}"
    return text


class Level(Strict):
    """The metric itself."""

    kind: Literal["level"]
    metric: Metric
    method: Name | None = None
    where: Where = "last"

    def sums(self) -> list[list[Term]]:
        return [[Term(1.0, self.metric, self.method, self.where)]]


class Gain(Strict):
    """The metric minus another value of the same policy: the base's, or that of the run at another place."""

    kind: Literal["gain"]
    metric: Metric
    method: Name
    where: Where = "last"
    over: Literal["base", "first", "peak"] = "base"
    adapted_on: Name | None = None

    def sums(self) -> list[list[Term]]:
        method = None if self.over == "base" else self.method
        start = Term(-1.0, self.metric, method, self.over, self.adapted_on if method else None)
        return [[Term(1.0, self.metric, self.method, self.where, self.adapted_on), start]]


class Difference(Strict):
    """The metric of one method minus that of another, seed by seed and question by question."""

    kind: Literal["difference"]
    metric: Metric
    method: Name
    minus: Name
    where: Where = "last"
    adapted_on: Name | None = None

    def sums(self) -> list[list[Term]]:
        return [
            [
                Term(weight, self.metric, method, self.where, self.adapted_on)
                for weight, method in ((1.0, self.method), (-1.0, self.minus))
            ]
        ]


class MethodTerm(Strict):
    """One metric of one method, or of the base."""

    metric: Metric
    method: Name | None = None
    where: Where = "last"
    adapted_on: Name | None = None

    def term(self, weight: float) -> Term:
        return Term(weight, self.metric, self.method, self.where, self.adapted_on)


class WeightedTerm(MethodTerm):
    """One line of a contrast."""

    weight: float


class Contrast(Strict):
    """A weighted sum, spelled out."""

    kind: Literal["contrast"]
    sum: list[WeightedTerm] = Field(min_length=2)

    @model_validator(mode="after")
    def _every_term_weighs(self) -> Contrast:
        if not all(line.weight for line in self.sum):
            raise ValueError("a term of weight 0 adds nothing; leave it out")
        return self

    def sums(self) -> list[list[Term]]:
        return [[line.term(line.weight) for line in self.sum]]


class Lead(Strict):
    """One term minus the best of several others: positive where it is the best of all."""

    kind: Literal["lead"]
    of: MethodTerm
    over: list[MethodTerm] = Field(min_length=2)

    @model_validator(mode="after")
    def _is_over_others(self) -> Lead:
        if any(other == self.of or other in self.over[:i] for i, other in enumerate(self.over)):
            raise ValueError("`over` names the term of `of`, or one term twice; a lead is over others")
        return self

    def sums(self) -> list[list[Term]]:
        return [[self.of.term(1.0), other.term(-1.0)] for other in self.over]


class Ratio(Strict):
    """One training metric per unit of another; `protection_gap` per `label_wrong` is the protection rate."""

    kind: Literal["ratio"]
    metric: Metric
    per: Metric
    method: Name
    where: Where = "last"

    def sums(self) -> list[list[Term]]:
        return [[Term(1.0, metric, self.method, self.where)] for metric in (self.metric, self.per)]


Quantity = Annotated[
    Level | Gain | Difference | Contrast | Lead | Ratio,
    Field(discriminator="kind"),
]


def all_terms(quantity: Quantity) -> list[Term]:
    """Return the terms of all its sums."""
    return [term for terms in quantity.sums() for term in terms]


def quantity_text(quantity: Quantity) -> str:
    """Return the quantity as one line."""
    texts = [sum_text(terms) for terms in quantity.sums()]
    match quantity.kind:
        case "lead":
            return f"min({'; '.join(texts)})"
        case "ratio":
            return " / ".join(texts)
        case _:
            return texts[0]


Test = Literal[
    "lower_above",
    "lower_at_least",
    "upper_below",
    "upper_at_most",
    "magnitude_below",
    "value_at_most",
]
"""Which bound of the interval is compared with the threshold, and how; magnitude_below: both bounds. value_...: the
value alone, whatever its interval; for sizes of an effect whose sign another part tests."""

Across = Literal["each", "mean", "count"]
"""each: the test must hold in every cell. mean: for each policy, the mean over the question sets of the quantity in
each. count: the number of cells, of all policies and question sets, in which the quantity is above 0."""


class PaperNumber(Strict):
    """A row of config/paper_numbers.csv; without names, that of the cell's own question set and policy."""

    paper: Name
    place: str
    row: str
    metric: str
    question_set: str | None = Field(default=None, description="the paper's name")
    policy: str | None = Field(default=None, description="the paper's name")


class Part(Strict):
    """One condition of a claim."""

    says: str = Field(description="the condition in a few words")
    quantity: Quantity
    policies: Names | None = Field(
        default=None, min_length=1, description="policy roles; null = those of the claim's needs"
    )
    question_sets: Names | None = Field(
        default=None, min_length=1, description="question set roles; null = those of the claim's needs"
    )
    across: Across = "each"
    test: Test
    threshold: float
    decides: bool = Field(
        default=True, description="false: shown beside the others, and no part of the verdict"
    )
    published: PaperNumber | None = None

    @model_validator(mode="after")
    def _terms_are_consistent(self) -> Part:
        terms = all_terms(self.quantity)
        if len({term.is_of_training for term in terms}) > 1:
            raise ValueError(f"part `{self.says}` mixes training metrics with evaluated ones")
        if self.quantity.kind == "ratio" and self.quantity.metric == self.quantity.per:
            raise ValueError(f"part `{self.says}`: {self.quantity.metric} per itself is 1")
        for sums in [] if self.quantity.kind == "ratio" else self.quantity.sums():
            weights: dict[Term, float] = {}
            for term in sums:
                plain = replace(term, weight=1.0)
                weights[plain] = weights.get(plain, 0.0) + term.weight
            if not any(weights.values()):
                raise ValueError(f"part `{self.says}`: {sum_text(sums)} is 0, whatever happens")
        for term in terms:
            if (term.method is None) != (term.where == "base"):
                raise ValueError(
                    f"part `{self.says}`: `where: base` goes with no method, and no other place does"
                )
            places = OF_TRAINING if term.is_of_training else OF_SAMPLES
            if term.where not in places:
                what = "a training metric" if term.is_of_training else "a metric of samples"
                raise ValueError(f"part `{self.says}`: {what} has {', '.join(places)} only")
            if term.method is None and term.metric in OF_RESPONSES:
                raise ValueError(f"part `{self.says}`: {term.metric} is of training; the base has none")
            if term.adapted_on is not None and (term.where == "base" or term.is_of_training):
                raise ValueError(f"part `{self.says}`: `adapted_on` goes with evaluated samples of a method")
        return self
