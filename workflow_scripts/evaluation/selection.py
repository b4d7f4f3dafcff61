"""Choosing one answer with the help of a reward model: best-of-N and the score-weighted vote."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workflow_scripts.answers.vote import Vote, majority


def best_of_n(answers: Sequence[str | None], scores: Sequence[float]) -> int | None:
    """Return the index of the answered sample with the highest score, None if no sample has an answer.

    Samples without a readable answer cannot be chosen; equal scores go to the sample seen first.
    """
    if len(answers) != len(scores):
        raise ValueError(f"{len(answers)} answers but {len(scores)} scores")
    if not all(map(math.isfinite, scores)):
        raise ValueError("a score is not finite")
    answered = [i for i, answer in enumerate(answers) if answer is not None]
    return max(answered, key=lambda i: scores[i]) if answered else None


def sc_rm(answers: Sequence[str | None], scores: Sequence[float]) -> Vote:
    """Return the vote weighted by score: the answer with the largest sum of its samples' scores.

    Self-consistency with a reward model (Math-Shepherd, Wang et al. 2024). Unreadable answers are dropped,
    equal sums go to the answer seen first; negative scores are summed as they are.
    """
    return majority(answers, weights=scores)
