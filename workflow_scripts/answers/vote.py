"""The majority vote: one tie rule for pseudo-labels, maj@k and score-weighted votes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Missing = Literal["no_vote", "one_class"]
"""What responses without an answer do in a vote."""

EMPTY = ""
"""The label where the responses without an answer win (`one_class`); no normal form is empty."""


@dataclass(frozen=True)
class Vote:
    """The outcome of a vote.

    Attributes
    ----------
    label
        The winning answer; None where nobody voted.
    share
        Samples that gave the winning answer / all samples, unreadable ones included; in [0, 1].
        Weights do not enter it.
    tie
        Whether another answer had exactly as many votes (or as much weight).
    """

    label: str | None
    share: float
    tie: bool


def majority(
    answers: Sequence[str | None],
    weights: Sequence[float] | None = None,
    missing: Missing = "no_vote",
) -> Vote:
    """Return the answer with the most votes, or with the largest sum of `weights`.

    A tie goes to the answer seen first in sample order (TTRL's code, both versions). Weights may be negative; they
    are summed as they are (exactly rounded, so that the outcome does not depend on the order of the samples but
    through ties).

    Parameters
    ----------
    answers
        One answer in normal form, or None, per sample.
    weights
        One finite number per sample; None = one vote each.
    missing
        no_vote: unreadable answers (None) do not vote and can never become the label (TTRL's code, second version).
        one_class: they vote together like one answer more, whose label is `EMPTY` (TTRL's code, first version).

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
        if answer is None and missing == "no_vote":
            continue
        ballots.setdefault(EMPTY if answer is None else answer, []).append(float(weight))
    if not ballots:
        return Vote(label=None, share=0.0, tie=False)
    totals = {answer: math.fsum(ballot) for answer, ballot in ballots.items()}
    best = max(totals.values())
    winners = [answer for answer, total in totals.items() if total == best]
    label = winners[0]
    return Vote(label=label, share=len(ballots[label]) / len(answers), tie=len(winners) > 1)
