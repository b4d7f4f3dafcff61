"""Settings of the miniature worlds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflow_scripts.settings.base import Count, Seed, Share, Strict, check_sum
from workflow_scripts.settings.prompts import PromptSpec


class Belief(Strict):
    """What the imperfect reasoner concludes from one kind of finding; the rest is uniform.

    right: probability of the true condition; habitual: probability of the finding's habitual wrong one.
    """

    share: Share = Field(description="share of the findings that are of this kind")
    right: Share
    habitual: Share

    @model_validator(mode="after")
    def _leaves_a_rest(self) -> Belief:
        check_sum("right and habitual", self.right, self.habitual)
        return self


class Families(Strict):
    """Shares of a clinic corpus's questions by family; the rest are patients with five options."""

    four_options: Share
    many_findings: Share
    single_finding: Share

    @model_validator(mode="after")
    def _leave_a_rest(self) -> Families:
        check_sum("the shares", self.four_options, self.many_findings, self.single_finding)
        return self


class ClinicWorld(Strict):
    """The clinic: conditions with signature findings, and a reasoner who believes some wrong things."""

    kind: Literal["clinic"]
    seed: Seed = Field(description="decides which findings are blind or misconceived, and the twins")
    blind: Belief
    misconceived: Belief
    good: Belief
    twin_share: Share = Field(
        description="share of a condition's habitual wrong answers that go to its one twin condition"
    )
    filler: Share = Field(description="probability that a step says nothing about the patient")
    rambler: Share = Field(description="share of responses that ramble")
    rambler_filler: Share = Field(description="filler probability of a rambling response")
    skip: Share = Field(description="probability that a finding is left out")
    no_answer: Share = Field(description="share of responses that end without an answer")
    families: Families
    max_steps: Count = Field(description="steps before the answer at most; the corpus reaches it")
    prompt: PromptSpec = Field(description="how the corpus shows a question; its question sets use the same")

    @model_validator(mode="after")
    def _shares_sum_to_one(self) -> ClinicWorld:
        _check_shares(blind=self.blind, misconceived=self.misconceived, good=self.good)
        return self


class ClockWorld(Strict):
    """The clock: chains of arithmetic on a dial, and a reasoner who misremembers some facts.

    A fact is one operation on one value. Facts keep one rank of difficulty, so that a larger share of strong facts
    holds the smaller one.
    """

    kind: Literal["clock"]
    seed: Seed = Field(description="decides the facts' ranks, the habitual mistakes and the splits")
    values: Annotated[int, Field(ge=10, le=100)] = Field(description="of the dial: 0 ... values - 1")
    strong: Belief
    misconceived: Belief
    weak: Belief
    n_options: Annotated[int, Field(ge=2, le=10)] = Field(description="of the choice form in the corpus")
    attraction: Share = Field(
        description="a chain that ends in no option names the largest one with this probability, else any"
    )
    early: Share = Field(description="share of responses that write fewer steps than asked")
    no_answer: Share = Field(description="share of responses that end without an answer")
    prompt: PromptSpec = Field(description="how the corpus shows a question; its question sets use the same")

    @model_validator(mode="after")
    def _shares_sum_to_one(self) -> ClockWorld:
        _check_shares(strong=self.strong, misconceived=self.misconceived, weak=self.weak)
        return self


def _check_shares(**kinds: Belief) -> None:
    total = sum(belief.share for belief in kinds.values())
    if abs(total - 1) > 1e-9:
        raise ValueError(f"the shares of {', '.join(kinds)} sum to {total:g}, not to 1")


World = Annotated[ClinicWorld | ClockWorld, Field(discriminator="kind")]
