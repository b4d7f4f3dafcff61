"""Settings of the miniature worlds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workflow_scripts.settings.base import Count, Seed, Share, Strict
from workflow_scripts.settings.prompts import PromptSpec


class Belief(Strict):
    """What the imperfect reasoner concludes from one kind of finding; the rest is uniform.

    right: probability of the true condition; habitual: probability of the finding's habitual wrong one.
    """

    share: Share = Field(description="share of the findings that are of this kind")
    right: Share
    habitual: Share


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
    max_steps: Count = Field(description="steps before the answer at most; the corpus reaches it")
    prompt: PromptSpec = Field(description="how the corpus shows a question; its question sets use the same")


World = ClinicWorld
