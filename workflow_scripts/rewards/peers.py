"""Votes that need more than one group of rollouts: Co-Reward's and RLCCF's (URLVR, Table 2).

Formulas alone: no artefact trains them, as the trainer draws one group for each question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from workflow_scripts.answers.vote import majority
from workflow_scripts.rewards.majority import match

Answers = Sequence[str | None]


def co_reward(
    answers: Answers, of_rephrased: Answers, how: Literal["cross", "sum"] = "cross"
) -> tuple[list[float], list[float]]:
    """Return the rewards of a question's answers, and of the answers to its rephrased form (Co-Reward).

    cross, as in its code: 1 where an answer is the majority of the *other* form. sum, as in URLVR's Table 2: that, plus
    1 where it is the majority of its own.
    """
    own, other = (majority(group).label for group in (answers, of_rephrased))
    crossed = match(tuple(answers), other), match(tuple(of_rephrased), own)
    if how == "cross":
        return crossed
    straight = match(tuple(answers), own), match(tuple(of_rephrased), other)
    return tuple([a + b for a, b in zip(*pair, strict=True)] for pair in zip(straight, crossed, strict=True))  # type: ignore[return-value]


def rlccf_label(of_models: Sequence[Answers]) -> str | None:
    """Return argmax_a sum_n w_n count_n(a), w_n the count of model n's most frequent answer (RLCCF).

    Ties go to the answer seen first, model by model; None where nobody answers. With one model it is the majority.
    """
    weights: Counter[str] = Counter()
    for answers in of_models:
        counts = Counter(answer for answer in answers if answer is not None)
        for answer, count in counts.items():
            weights[answer] += max(counts.values()) * count
    return max(weights, key=lambda answer: weights[answer], default=None)


def rlccf(of_models: Sequence[Answers]) -> list[list[float]]:
    """Return 1 for each answer of each model that is `rlccf_label`, else 0."""
    label = rlccf_label(of_models)
    return [match(tuple(answers), label) for answers in of_models]
