"""Why rewards that come from a pseudo-label are right: TTRL's "lucky hit" taken apart (a decomposition of ours).

A wrong label does not make every reward wrong: a wrong answer that differs from it rightly gets nothing. TTRL (Zuo
et al. 2026) calls that a lucky hit; PROSE (section 3) says that it needs a large answer space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workflow_scripts.answers.vote import EMPTY, majority


@dataclass(frozen=True)
class LuckyHits:
    """Rightly rewarded rollouts by reason: arrays (questions,) of counts. The reasons exclude each other.

    Attributes
    ----------
    label_right
        The label is right, and so is every reward: right answers got 1, other readable answers 0.
    wrong_label_missed
        The label is wrong, the answer too, but another one: the lucky hit.
    unparseable
        No answer could be read, and there was no reward; whatever the label.
    n_rollouts
        All rollouts, rightly rewarded or not.
    """

    label_right: np.ndarray
    wrong_label_missed: np.ndarray
    unparseable: np.ndarray
    n_rollouts: np.ndarray

    @property
    def rightly_rewarded(self) -> np.ndarray:
        """Number of rollouts whose reward says the same as the truth, per question."""
        total: np.ndarray = self.label_right + self.wrong_label_missed + self.unparseable
        return total

    def shares(self) -> LuckyShares | None:
        """Return the reasons as shares of all rightly rewarded rollouts; None where there is none."""
        total = int(self.rightly_rewarded.sum())
        if total == 0:
            return None
        return LuckyShares(
            label_right=int(self.label_right.sum()) / total,
            wrong_label_missed=int(self.wrong_label_missed.sum()) / total,
            unparseable=int(self.unparseable.sum()) / total,
        )


@dataclass(frozen=True)
class LuckyShares:
    """Shares of the rightly rewarded rollouts; their sum is 1."""

    label_right: float
    wrong_label_missed: float
    unparseable: float


def lucky_hits(
    answers_per_question: Sequence[Sequence[str | None]],
    golds: Sequence[str],
    rewards: Sequence[Sequence[float]],
    labels: Sequence[str | None],
) -> LuckyHits | None:
    """Return why rewards are right; None unless each reward is 1 exactly where the answer is the label.

    A question in which nothing parses has no label: as in `agreement`, its rewards agree with nothing, and none of
    its rollouts counts as rightly rewarded. So sum(rightly_rewarded) / sum(n_rollouts) is the reward accuracy.

    Parameters
    ----------
    answers_per_question, golds, rewards, labels
        As in `agreement`; the label `EMPTY` stands for responses without an answer (TTRL v1).
    """
    counts = []
    for answers, gold, values, label in zip(answers_per_question, golds, rewards, labels, strict=True):
        if [float(_named(answer) == label) for answer in answers] != [float(value) for value in values]:
            return None
        counts.append(_counts(answers, gold, label))
    columns = np.array(counts, dtype=np.int64).reshape(-1, 4).T
    return LuckyHits(*columns)


def _named(answer: str | None) -> str:
    return EMPTY if answer is None else answer


def _counts(answers: Sequence[str | None], gold: str, label: str | None) -> tuple[int, int, int, int]:
    """Return the counts of one question, in the order of `LuckyHits`."""
    if label is None or majority(answers).label is None:
        return 0, 0, 0, len(answers)
    readable = [answer for answer in answers if answer is not None]
    missing = 0 if label == EMPTY else len(answers) - len(readable)
    if label == gold:
        return len(readable), 0, missing, len(answers)
    missed = sum(answer not in (gold, label) for answer in readable)
    return 0, missed, missing, len(answers)
