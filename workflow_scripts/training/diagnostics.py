"""What a step of training looked like, measured against the truth that the reward never saw."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from workflow_scripts.errors import UserError
from workflow_scripts.evaluation.agreement import Agreement, agreement
from workflow_scripts.evaluation.diversity import (
    answer_entropy,
    n_distinct_answers,
    n_distinct_responses,
    repeated_ngrams,
)
from workflow_scripts.evaluation.lucky_hits import LuckyShares, lucky_hits
from workflow_scripts.policies.rollouts import Rollout
from workflow_scripts.questions.schema import Question


@dataclass(frozen=True)
class GroupRecord:
    """A question with its rollouts, rewards, pseudo-label and numbers of steps."""

    question: Question
    rollouts: list[Rollout]
    rewards: list[float]
    label: str | None
    n_steps: list[int]

    @cached_property
    def repetition(self) -> list[float]:
        """The share of repeated 4-grams of each rollout."""
        return [repeated_ngrams(rollout.generated.token_ids) for rollout in self.rollouts]


def batch_metrics(records: list[GroupRecord], rewards: torch.Tensor, continuous: bool) -> dict[str, Any]:
    """Diagnostics of one batch, by the names of `metric_names`.

    Parameters
    ----------
    records : all sampled rollouts of the batch.
    rewards : (questions, n_samples) rewards of the trained rollouts; NaN where there is none.
    continuous : `Reward.continuous`.
    """
    rollouts = [rollout for record in records for rollout in record.rollouts]
    answers = [[rollout.answer for rollout in record.rollouts] for record in records]
    judged = _judged(records)
    agree = _agreement(judged, continuous)
    lucky = None if continuous else _lucky_shares(judged)
    known = rewards[~rewards.isnan()]
    return {
        "reward": known.mean().item() if known.numel() else None,
        "reward_std": known.std().item() if known.numel() > 1 else None,
        "zero_variance_groups": agree.zero_variance_groups,
        "accuracy": agree.accuracy,
        "label_accuracy": agree.label_accuracy,
        "reward_accuracy": agree.reward_accuracy,
        "protection_gap": agree.protection_gap,
        "accuracy_gap": agree.accuracy_gap,
        "protection_rate": agree.protection_rate,
        "lucky_label_right": lucky and lucky.label_right,
        "lucky_wrong_label_missed": lucky and lucky.wrong_label_missed,
        "lucky_unparseable": lucky and lucky.unparseable,
        "reward_auc": agree.auc,
        "point_biserial": agree.point_biserial,
        "no_label": agree.no_label,
        "majority_ratio": agree.majority_ratio,
        "tie_share": agree.tie_share,
        "unparseable": float(np.mean([rollout.answer is None for rollout in rollouts])),
        "truncated": float(np.mean([rollout.generated.finish_reason == "length" for rollout in rollouts])),
        "tokens": float(np.mean([len(rollout.generated.token_ids) for rollout in rollouts])),
        "repetition": float(np.mean([share for record in records for share in record.repetition])),
        "steps_per_rollout": float(np.mean([n for record in records for n in record.n_steps])),
        "distinct_responses": float(
            np.mean(
                [n_distinct_responses([r.text for r in rec.rollouts]) / len(rec.rollouts) for rec in records]
            )
        ),
        "distinct_answers": float(np.mean([n_distinct_answers(group) for group in answers])),
        "letter_share_max": letter_share_max(records),
        "answer_entropy": float(np.mean([answer_entropy(group) for group in answers])),
        "n_questions": len(records),
        "n_rollouts": rewards.numel(),
        "nan_rewards": int(rewards.isnan().sum()),
    }


def letter_share_max(records: list[GroupRecord]) -> float | None:
    """Share of the most frequent letter among all readable answers; None without options or without an answer.

    With as many right answers of each letter, 1 / options is balance and 1 a policy that always says the same.
    """
    if any(record.question.options is None for record in records):
        return None
    letters = Counter(r.answer for record in records for r in record.rollouts if r.answer is not None)
    return max(letters.values()) / letters.total() if letters else None


@dataclass(frozen=True)
class _Judged:
    """The rollouts whose reward is a finite number, question by question."""

    answers: list[list[str | None]]
    golds: list[str]
    rewards: list[list[float]]
    labels: list[str | None]


def _judged(records: list[GroupRecord]) -> _Judged:
    judged = _Judged([], [], [], [])
    for record in records:
        kept = [k for k, reward in enumerate(record.rewards) if math.isfinite(reward)]
        if kept:
            judged.answers.append([record.rollouts[k].answer for k in kept])
            judged.golds.append(record.question.answer)
            judged.rewards.append([record.rewards[k] for k in kept])
            judged.labels.append(record.label)
    if not judged.answers:
        raise UserError(
            "training: not one reward of this step is a finite number. Look at the reward's inputs."
        )
    return judged


def _agreement(judged: _Judged, continuous: bool) -> Agreement:
    return agreement(
        judged.answers, judged.golds, judged.rewards, labels=judged.labels, continuous=continuous
    )


def _lucky_shares(judged: _Judged) -> LuckyShares | None:
    hits = lucky_hits(judged.answers, judged.golds, judged.rewards, judged.labels)
    return None if hits is None else hits.shares()
