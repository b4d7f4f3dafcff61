"""Metrics of the rollouts that training drew, question by question, in a window of optimiser steps.

The agreement with the truth is worked out again from the rollouts, since metrics.jsonl keeps no questions: per visit
of a question as `evaluation.agreement` and `evaluation.lucky_hits` define it, then the mean over the question's visits
in the window. So each question of a window counts once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import reward_values
from workflow_scripts.analysis.tables import read_judged_rollouts, read_responses, read_trained_rollouts
from workflow_scripts.evaluation.lucky_hits import lucky_hits

LAST_SHARE = 0.1
"""`last_tenth`: the last 10 % of the optimiser steps."""

HITS = ("hit_label_right", "hit_wrong_label_missed", "hit_unparseable")
"""Shares of all rollouts of a visit that are rightly rewarded, by the reasons of `evaluation.lucky_hits`."""

OF_RESPONSES = {
    "train.accuracy": "correct",
    "train.tokens": "n_tokens",
    "train.repetition": "repetition",
}
"""Metric -> column of a run's rollouts.parquet."""

NEVER_SAMPLED = "the right answer, which no rollout gave"
"""Stands for it where its text is not needed: it only has to differ from every answer."""


def training_values(path: str, metric: str, where: str) -> tuple[pd.Series, int]:
    """Return `metric` per question that the window `where` visits, and the smallest number of rollouts of one.

    Parameters
    ----------
    path : a run's rollouts.parquet
    metric : `train.reward`, of the trained rollouts; of all rollouts those of `OF_RESPONSES`, or `train.` and a column
        of `visit_values`
    where : as in `settings.claims.Where`
    """
    if metric == "train.reward":
        rollouts = read_trained_rollouts(path)
        window = rollouts[rollouts["step"].isin(_steps(rollouts, where))]
        return reward_values(window), int(window.groupby("question_id").size().min())
    if metric in OF_RESPONSES:
        column = OF_RESPONSES[metric]
        responses = read_responses(path, column)
        by_question = responses[responses["step"].isin(_steps(responses, where))].groupby("question_id")
        return by_question[column].mean().astype(float), int(by_question.size().min())
    visits = visits_of_run(path).reset_index()
    of_question = visits[visits["step"].isin(_steps(visits, where))].groupby("question_id")
    return of_question[metric.removeprefix("train.")].mean(), int(of_question["n_rollouts"].sum().min())


def window_end(path: str, where: str) -> int:
    """Return the last optimiser step of the window."""
    return int(max(_steps(visits_of_run(path).reset_index(), where)))


def last_tenth(steps: int) -> int:
    """Return how many of `steps` are the last 10 %, rounded up."""
    # Rounded first: 0.1 * 30 is a little above 3 in binary, and must not become 4 steps.
    return max(1, math.ceil(round(LAST_SHARE * steps, 9)))


def passes(visits: pd.DataFrame) -> dict[int, int]:
    """Return step -> the pass over the questions that it belongs to, from 0; `visits` has `step` and `question_id`.

    A step that comes back to a question of the pass starts the next one.
    """
    found: dict[int, int] = {}
    number, seen = 0, set[str]()
    for step, of_step in visits.groupby("step")["question_id"]:
        questions = set(of_step)
        if questions & seen:
            number, seen = number + 1, set()
        seen |= questions
        found[int(str(step))] = number
    return found


def _steps(visits: pd.DataFrame, where: str) -> Sequence[int]:
    steps: list[int] = np.sort(visits["step"].unique()).tolist()
    match where:
        case "first_pass":
            return [step for step, number in passes(visits).items() if number == 0]
        case "last":
            return steps[-1:]
        case "last_tenth":
            return steps[-last_tenth(len(steps)) :]
        case "run":
            return steps
    raise ValueError(f"no window of training is called {where}")


# ------------------------------------------------------------------ visits


def visits_of_run(path: str) -> pd.DataFrame:
    """Return `visit_values` of a run's rollouts.parquet; a file that has not changed is read once."""
    return _visits(path, os.stat(path).st_mtime_ns if os.path.isfile(path) else 0)


@lru_cache(maxsize=32)
def _visits(path: str, written: int) -> pd.DataFrame:
    return visit_values(read_judged_rollouts(path))


def visit_values(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Return what rewards and labels were worth at each visit of a question, indexed by step and question_id.

    Columns: n_rollouts; label_accuracy, label_wrong (the rest of it), reward_accuracy, protection_gap; and reward
    accuracy taken apart by reason: those of `HITS`, which add up to it, and are NaN unless a reward is 1 exactly where
    the answer is the label. By the rule `no_label_disagrees` of `agreement`: where nothing parses, label and rewards
    count as wrong. If a reward is neither 0 nor 1, whether it is right is a matter of its group's mean: all are NaN.
    """
    judged = pd.DataFrame(
        {
            "step": rollouts["step"],
            "question_id": rollouts["question_id"],
            "label_right": rollouts["correct"] & (rollouts["answer"] == rollouts["label"]),
            "reward_right": rollouts["correct"] == (rollouts["reward"] == 1),
            "labelled": rollouts["answer"].notna() & rollouts["label"].notna(),
        }
    )
    visits = judged.groupby(["step", "question_id"])
    label_accuracy = visits["label_right"].any().astype(float)
    reward_accuracy = visits["reward_right"].mean() * visits["labelled"].any()
    values = pd.DataFrame(
        {
            "label_accuracy": label_accuracy,
            "label_wrong": 1 - label_accuracy,
            "reward_accuracy": reward_accuracy,
            "protection_gap": reward_accuracy - label_accuracy,
        }
    ).join(_hits(rollouts))
    if not rollouts["reward"].isin((0.0, 1.0)).all():
        values[:] = np.nan
    return values.assign(n_rollouts=visits.size())


def _hits(rollouts: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of all rollouts that are rightly rewarded, by reason, indexed by step and question_id."""
    visits, answers, golds, rewards, labels = [], [], [], [], []
    for visit, group in rollouts.groupby(["step", "question_id"]):
        visits.append(visit)
        answers.append([_text(answer) for answer in group["answer"]])
        right = [str(answer) for answer in group["answer"][group["correct"]]]
        golds.append(right[0] if right else NEVER_SAMPLED)
        rewards.append(group["reward"].tolist())
        labels.append(_text(group["label"].iloc[0]))
    index = pd.MultiIndex.from_tuples(visits, names=["step", "question_id"])
    hits = lucky_hits(answers, golds, rewards, labels)
    if hits is None:
        return pd.DataFrame(np.nan, index=index, columns=list(HITS))
    counts = (hits.label_right, hits.wrong_label_missed, hits.unparseable)
    shares = {name: count / hits.n_rollouts for name, count in zip(HITS, counts, strict=True)}
    return pd.DataFrame(shares, index=index)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
