"""Evaluation during training: one row per question, from which every curve and interval is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.diversity import answer_entropy, n_distinct_answers, n_distinct_responses
from workflow_scripts.policies.rollouts import Rollout, Sampler
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.training import SamplingSpec


def curve_row(step: int, question: Question, rollouts: list[Rollout]) -> dict[str, Any]:
    """Counts of one question's rollouts; the columns of curve.parquet."""
    answers = [rollout.answer for rollout in rollouts]
    return {
        "step": step,
        "question_id": question.id,
        "n": len(rollouts),
        "n_correct": sum(answer == question.answer for answer in answers),
        "majority_correct": majority(answers).label == question.answer,
        "n_unparseable": sum(answer is None for answer in answers),
        "n_distinct_responses": n_distinct_responses([rollout.text for rollout in rollouts]),
        "n_distinct_answers": n_distinct_answers(answers),
        "answer_entropy": answer_entropy(answers),
        "mean_tokens": float(np.mean([len(rollout.generated.token_ids) for rollout in rollouts])),
    }


def evaluate_policy(
    sampler: Sampler, questions: list[Question], sampling: SamplingSpec, step: int
) -> list[dict[str, Any]]:
    """Sample every question as the evaluation does (`sampling.seed`, the same streams at each step)."""
    groups = sampler.sample(
        [question.unlabelled() for question in questions],
        sampling.n_samples,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        max_new_tokens=sampling.max_new_tokens,
        seed=sampling.seed,
    )
    return [curve_row(step, question, group) for question, group in zip(questions, groups, strict=True)]
