"""The majority vote: one tie rule for pseudo-labels, maj@k and score-weighted votes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Vote:
    """The outcome of a vote.

    Attributes
    ----------
    label
        The winning answer; None where nobody gave a readable answer.
    share
        Samples that gave the winning answer / all samples, unreadable ones included; in [0, 1].
        Weights do not enter it.
    tie
        Whether another answer had exactly as many votes (or as much weight).
    """

    label: str | None
    share: float
    tie: bool


def majority(answers: Sequence[str | None], weights: Sequence[float] | None = None) -> Vote:
    """Return the answer with the most votes, or with the largest sum of `weights`.

    Unreadable answers (None) do not vote: they can never become the label. A tie goes to the answer seen
    first in sample order. Weights may be negative; they are summed as they are (exactly rounded, so that
    the outcome does not depend on the order of the samples but through ties).

    Parameters
    ----------
    answers
        One answer in normal form, or None, per sample.
    weights
        One finite number per sample; None = one vote each.

    Raises
    ------
    ValueError
        If the weights are not finite or do not match the answers in number.
    """
    if weights is None:
        weights = [1.0] * len(answers)
    if len(weights) != len(answers):
        raise ValueError(f"{len(answers)} answers but {len(weights)} weights")
    if not all(map(math.isfinite, weights)):
        raise ValueError("a weight of the vote is not finite")
    ballots: dict[str, list[float]] = {}
    for answer, weight in zip(answers, weights, strict=True):
        if answer is not None:
            ballots.setdefault(answer, []).append(float(weight))
    if not ballots:
        return Vote(label=None, share=0.0, tie=False)
    totals = {answer: math.fsum(ballot) for answer, ballot in ballots.items()}
    best = max(totals.values())
    winners = [answer for answer, total in totals.items() if total == best]
    label = winners[0]
    return Vote(label=label, share=len(ballots[label]) / len(answers), tie=len(winners) > 1)
