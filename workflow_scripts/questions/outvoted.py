"""The questions of another set that a policy's majority gets wrong (URLVR, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.samples import read_samples
from workflow_scripts.questions.schema import Question


def outvoted_questions(base: Sequence[Question], samples: Path, min_share: float) -> list[Question]:
    """Return the questions of `base` whose most frequent answer is wrong and has more than `min_share` of the samples.

    Parameters
    ----------
    samples : rollouts.parquet of the policy on all of `base`; a response without an answer counts among the samples.
    """
    kept = []
    for sampled in read_samples(samples, base):
        vote = majority(sampled.answers)
        if vote.label not in (None, sampled.question.answer) and vote.share > min_share:
            kept.append(sampled.question)
    return kept
