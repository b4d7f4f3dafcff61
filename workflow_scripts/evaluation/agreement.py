"""Do the rewards agree with the truth? Label accuracy, reward accuracy, protection gap and rate.

Definitions: URLVR, appendix B.2 (equations 39 and 40), over all sampled rollouts; the protection gap is
PROSE's (Figure 2). Ours: the `no_label` rule, the protection rate, and the reading of continuous rewards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.auc import auc


@dataclass(frozen=True)
class Agreement:
    """Agreement of pseudo-labels and pseudo-rewards with the truth, over M questions with N rollouts each.

    Attributes
    ----------
    accuracy
        Share of rollouts whose answer is right.
    label_accuracy
        Share of questions whose label is right; a question without a label counts as wrong.
    reward_accuracy
        Share of rollouts whose reward says the same as the truth; None if no rollout could be judged.
        Binary rewards: the reward equals 1[answer right]. Continuous rewards: the advantage is above 0 for
        a right and below 0 for a wrong answer; groups without variance are left out, they teach nothing.
    protection_gap
        reward_accuracy - label_accuracy; at most 1 - label_accuracy.
    accuracy_gap
        reward_accuracy - accuracy: the gap as PROSE's introduction words it.
    protection_rate
        P(reward right | label wrong), over the rollouts of the questions whose label is wrong. For rewards
        that come from the label it is protection_gap / (1 - label_accuracy). None where every label is right.
    no_label
        Share of questions in which nothing parses. They count as disagreement in label and reward accuracy.
    zero_variance_groups
        Share of questions whose rewards are all equal.
    auc
        P(reward of a right rollout > reward of a wrong one of the same question), ties half, averaged over
        all such pairs: rewards compete within a group. None without such a pair.
    point_biserial
        Correlation of rewards and truth (1 or 0) over all rollouts; None where one of them does not vary.
    majority_ratio
        Mean share of the label's votes among all rollouts.
    tie_share
        Share of questions whose vote was a tie (settled by sample order).
    """

    accuracy: float
    label_accuracy: float
    reward_accuracy: float | None
    protection_gap: float | None
    accuracy_gap: float | None
    protection_rate: float | None
    no_label: float
    zero_variance_groups: float
    auc: float | None
    point_biserial: float | None
    majority_ratio: float
    tie_share: float
    n_questions: int
    n_rollouts: int


@dataclass(frozen=True)
class _Group:
    correct: np.ndarray  # (rollouts,), bool
    rewards: np.ndarray  # (rollouts,), float
    has_label: bool
    label_correct: bool
    majority_ratio: float
    tie: bool

    @property
    def zero_variance(self) -> bool:
        return bool(np.ptp(self.rewards) == 0)

    @property
    def pairs(self) -> int:
        return int(self.correct.sum() * (~self.correct).sum())


def agreement(
    answers_per_question: Sequence[Sequence[str | None]],
    golds: Sequence[str],
    pseudo_rewards: Sequence[Sequence[float]],
    *,
    labels: Sequence[str | None] | None = None,
    continuous: bool | None = None,
    no_label_disagrees: bool = True,
) -> Agreement:
    """Compare rewards with the truth.

    Parameters
    ----------
    answers_per_question
        Per question the answers (normal form or None) of its rollouts.
    golds
        Per question the right answer, in the same normal form.
    pseudo_rewards
        Per question the rewards of its rollouts, finite.
    labels
        Per question the pseudo-label; None = the majority answer. Give them where something else chose the
        label (a process reward model, or more votes than rollouts).
    continuous
        How the rewards are read; None = continuous if any of them is neither 0 nor 1.
    no_label_disagrees
        True: a question in which nothing parses counts as disagreement. False: the papers' bare formula, by
        which a policy that answers nothing has reward accuracy 1.

    Raises
    ------
    ValueError
        If the numbers of questions or rollouts do not match, a question has no rollout, or a reward is not
        finite.
    """
    if continuous is None:
        continuous = any(reward not in (0, 1) for rewards in pseudo_rewards for reward in rewards)
    groups = _groups(answers_per_question, golds, pseudo_rewards, labels, continuous)
    judged = [(group, _agrees(group, continuous, no_label_disagrees)) for group in groups]
    reward_accuracy = _share([agrees for _, agrees in judged if agrees is not None])
    rate = _share([agrees for group, agrees in judged if agrees is not None and not group.label_correct])
    accuracy = float(np.concatenate([group.correct for group in groups]).mean())
    label_accuracy = float(np.mean([group.label_correct for group in groups]))
    return Agreement(
        accuracy=accuracy,
        label_accuracy=label_accuracy,
        reward_accuracy=reward_accuracy,
        protection_gap=None if reward_accuracy is None else reward_accuracy - label_accuracy,
        accuracy_gap=None if reward_accuracy is None else reward_accuracy - accuracy,
        protection_rate=rate,
        no_label=float(np.mean([not group.has_label for group in groups])),
        zero_variance_groups=float(np.mean([group.zero_variance for group in groups])),
        auc=_auc_within_groups(groups),
        point_biserial=_point_biserial(groups),
        majority_ratio=float(np.mean([group.majority_ratio for group in groups])),
        tie_share=float(np.mean([group.tie for group in groups])),
        n_questions=len(groups),
        n_rollouts=sum(len(group.correct) for group in groups),
    )


def _groups(
    answers_per_question: Sequence[Sequence[str | None]],
    golds: Sequence[str],
    pseudo_rewards: Sequence[Sequence[float]],
    labels: Sequence[str | None] | None,
    continuous: bool,
) -> list[_Group]:
    if not answers_per_question:
        raise ValueError("agreement needs at least one question")
    if labels is not None and len(labels) != len(golds):
        raise ValueError(f"{len(golds)} golds but {len(labels)} labels")
    groups = []
    for i, (answers, gold, rewards) in enumerate(
        zip(answers_per_question, golds, pseudo_rewards, strict=True)
    ):
        values = np.asarray(rewards, dtype=np.float64)
        if len(answers) == 0 or values.shape != (len(answers),):
            raise ValueError(f"question {i}: {len(answers)} answers and rewards of shape {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"question {i}: a reward is not finite; drop and count it before")
        vote = majority(answers)
        # Where nothing parses there is no label, whatever an outside source (the oracle) would say.
        label = vote.label if labels is None or vote.label is None else labels[i]
        groups.append(
            _Group(
                correct=np.array([answer == gold for answer in answers]),
                rewards=values,
                # A continuous reward judges all the same where its label, the surest response, has no answer.
                has_label=(vote.label if continuous else label) is not None,
                label_correct=label == gold,
                majority_ratio=vote.share,
                tie=vote.tie,
            )
        )
    return groups


def _agrees(group: _Group, continuous: bool, no_label_disagrees: bool) -> np.ndarray | None:
    """Per rollout: does the reward say the same as the truth? None: the group is left out."""
    if no_label_disagrees and not group.has_label:
        return np.zeros(len(group.correct), dtype=bool)
    if not continuous:
        same: np.ndarray = group.rewards == group.correct
        return same
    if group.zero_variance:
        return None
    advantage = group.rewards - group.rewards.mean()
    agrees: np.ndarray = np.where(group.correct, advantage > 0, advantage < 0)
    return agrees


def _share(agrees: list[np.ndarray]) -> float | None:
    return float(np.concatenate(agrees).mean()) if agrees else None


def _point_biserial(groups: list[_Group]) -> float | None:
    rewards = np.concatenate([group.rewards for group in groups])
    correct = np.concatenate([group.correct for group in groups]).astype(float)
    if np.ptp(rewards) == 0 or np.ptp(correct) == 0:
        return None
    return float(np.corrcoef(rewards, correct)[0, 1])


def _auc_within_groups(groups: list[_Group]) -> float | None:
    total = sum(group.pairs for group in groups)
    if total == 0:
        return None
    return sum(group.pairs * (auc(group.rewards, group.correct) or 0.0) for group in groups) / total
