"""Evidence files of the real formats with invented values, small enough to work out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from workflow_scripts.settings.evidence import (
    BaseEvidence,
    Evidence,
    NotRun,
    RunEvidence,
    TransferEvidence,
)
from workflow_scripts.settings.training import StatisticsSpec

STATISTICS = StatisticsSpec(bootstrap_samples=500, confidence=0.95, seed=7)
POLICY, QUESTIONS = "main_policy", "medqa_5op"


def question_rows(
    n_correct: Sequence[int],
    n: int,
    unparseable: Sequence[int] | None = None,
    distinct: Sequence[int] | None = None,
) -> pd.DataFrame:
    """One row per question; the majority is right where more than half of the samples are."""
    size = len(n_correct)
    return pd.DataFrame(
        {
            "question_id": [f"q{i}" for i in range(size)],
            "n": n,
            "n_correct": list(n_correct),
            "majority_correct": [correct > n / 2 for correct in n_correct],
            "n_unparseable": list(unparseable or [0] * size),
            "n_distinct_responses": list(distinct or [n] * size),
            "n_distinct_answers": [2] * size,
            "answer_entropy": [0.5] * size,
            "mean_tokens": [30.0] * size,
        }
    )


def rollout_rows(steps: Mapping[int, Mapping[str, Sequence[float]]]) -> pd.DataFrame:
    """One row per trained rollout, from optimiser step -> question -> rewards."""
    rows = [
        {"step": step, "question_id": question, "reward": reward, "advantage": 0.0}
        for step, questions in steps.items()
        for question, rewards in questions.items()
        for reward in rewards
    ]
    return pd.DataFrame(rows)


def write_step_report(folder: Path, auc: float | None, n_right: int = 30, n_wrong: int = 10) -> str:
    """Write the report of an evaluation's step scores; return its path."""
    path = folder / "report.json"
    path.write_text(json.dumps({"auc": auc, "n_right": n_right, "n_wrong": n_wrong}))
    return str(path)


def write_base(
    folder: Path,
    rows: pd.DataFrame,
    policy: str = POLICY,
    questions: str = QUESTIONS,
    step_auc: float | None = None,
    samples: Mapping[str, tuple[str, str]] | None = None,
) -> BaseEvidence:
    """Write the base's evaluation; `samples`: question -> (gold, answers as letters, `-` for none)."""
    folder = folder / f"base.{policy}.{questions}"
    folder.mkdir(parents=True, exist_ok=True)
    rows.to_parquet(folder / "per_question.parquet")
    (folder / "metrics.json").write_text("{}")
    if samples is not None:
        sampled = [
            {
                "question_id": question,
                "sample": position,
                "answer": None if answer == "-" else answer,
                "correct": answer == gold,
            }
            for question, (gold, answers) in samples.items()
            for position, answer in enumerate(answers)
        ]
        pd.DataFrame(sampled).to_parquet(folder / "samples.parquet")
    return BaseEvidence(
        policy_role=policy,
        questions_role=questions,
        evaluation=str(folder / "metrics.json"),
        per_question=str(folder / "per_question.parquet"),
        samples=None if samples is None else str(folder / "samples.parquet"),
        step_scores_report=None if step_auc is None else write_step_report(folder, step_auc),
    )


def write_run(
    folder: Path,
    method: str,
    seed: int,
    curve: dict[int, pd.DataFrame],
    rewards: Sequence[float] = (0.5,),
    evaluation: pd.DataFrame | None = None,
    rollouts: pd.DataFrame | None = None,
    step_auc: float | None = None,
    policy: str = POLICY,
    questions: str = QUESTIONS,
    training: Mapping[str, Sequence[float | None]] | None = None,
    validation: Mapping[str, dict[int, pd.DataFrame]] | None = None,
) -> RunEvidence:
    """Write one run: `curve` maps steps to question rows, `rewards` has one value per step from 1.

    `validation`: the curves of validation roles, in place of `curve`; the id of a role's set is `<role>.id`. Without
    `rollouts`, each step draws one of `q0` with the step's reward. `training` has other metrics of the steps.
    """
    folder = folder / (f"{method}.s{seed}" if policy == POLICY else f"{policy}.{method}.s{seed}")
    if questions != QUESTIONS:
        folder = folder.with_name(f"{questions}.{folder.name}")
    folder.mkdir(parents=True, exist_ok=True)
    watched = {f"{role}.id": of_role for role, of_role in (validation or {}).items()} or {None: curve}
    pd.concat(
        [
            rows.assign(step=step, questions=pd.Series(name, index=rows.index, dtype="str"))
            for name, of_set in watched.items()
            for step, rows in of_set.items()
        ]
    ).to_parquet(folder / "curve.parquet")
    lines = [
        json.dumps(
            {"step": step, "reward": reward, "n_questions": 7, "n_rollouts": 112}
            | {name: values[step - 1] for name, values in (training or {}).items()}
        )
        for step, reward in enumerate(rewards, start=1)
    ]
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    if rollouts is None:
        rollouts = rollout_rows({step: {"q0": [reward]} for step, reward in enumerate(rewards, start=1)})
    rollouts.to_parquet(folder / "rollouts.parquet")
    if evaluation is not None:
        evaluation.to_parquet(folder / "per_question.parquet")
        (folder / "metrics.json").write_text("{}")
    return RunEvidence(
        policy_role=policy,
        questions_role=questions,
        method=method,
        seed=seed,
        run_id=f"p.q.{method}.s{seed}.00000000",
        metrics=str(folder / "metrics.jsonl"),
        curve=str(folder / "curve.parquet"),
        rollouts=str(folder / "rollouts.parquet"),
        evaluation=None if evaluation is None else str(folder / "metrics.json"),
        per_question=None if evaluation is None else str(folder / "per_question.parquet"),
        step_scores_report=None if step_auc is None else write_step_report(folder, step_auc),
        validation={role: f"{role}.id" for role in validation or {}},
    )


def write_transfer(
    folder: Path,
    rows: pd.DataFrame,
    method: str | None,
    seed: int | None,
    questions: str,
    policy: str = POLICY,
    adapted_on: str = QUESTIONS,
) -> TransferEvidence:
    """Write the evaluation of a frozen policy (`method` None: of the base) on other questions."""
    folder = folder / f"{policy}.{adapted_on}.{method}.s{seed}.on.{questions}"
    folder.mkdir(parents=True, exist_ok=True)
    rows.to_parquet(folder / "per_question.parquet")
    (folder / "metrics.json").write_text("{}")
    return TransferEvidence(
        policy_role=policy,
        adapted_on=adapted_on,
        questions_role=questions,
        method=method,
        seed=seed,
        evaluation=str(folder / "metrics.json"),
        per_question=str(folder / "per_question.parquet"),
    )


def evidence(
    base: BaseEvidence | None, runs: Sequence[RunEvidence], absent: dict[str | None, str] | None = None
) -> Evidence:
    """Put evidence together; `absent` maps methods (None: the base) to why they did not run."""
    not_run = [
        NotRun(policy_role=POLICY, questions_role=QUESTIONS, method=method, reason=reason)
        for method, reason in (absent or {}).items()
    ]
    return Evidence(base=[base] if base else [], runs=list(runs), not_run=not_run)
