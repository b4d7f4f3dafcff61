"""Evaluation during training: one row per question, from which every curve and interval is drawn."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from workflow_scripts.evaluation.per_question import question_result
from workflow_scripts.policies.rollouts import Rollout
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.training import SamplingSpec
from workflow_scripts.training.trainer import Watched


def curve_row(step: int, name: str | None, question: Question, rollouts: list[Rollout]) -> dict[str, Any]:
    """One question's rollouts summed up; a row of curve.parquet. `name`: of its question set (`Watched`)."""
    result = question_result(
        question.id, question.answer, [r.answer for r in rollouts], [r.text for r in rollouts]
    )
    mean_tokens = float(np.mean([len(rollout.generated.token_ids) for rollout in rollouts]))
    return {"step": step, **asdict(result), "mean_tokens": mean_tokens, "questions": name}


def evaluate_policy(watched: Watched, sampling: SamplingSpec, step: int) -> list[dict[str, Any]]:
    """Sample every question as the evaluation does (`sampling.seed`, the same streams at each step)."""
    groups = watched.sampler.sample(
        [question.unlabelled() for question in watched.questions],
        sampling.n_samples,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        max_new_tokens=sampling.max_new_tokens,
        seed=sampling.seed,
    )
    return [
        curve_row(step, watched.name, question, group)
        for question, group in zip(watched.questions, groups, strict=True)
    ]
