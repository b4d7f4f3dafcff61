"""What majority labels would reward before any training: the unadapted policy's evaluated samples on all questions.

A step of training sees a few questions only, and at another temperature; here each question counts once.
"""

from __future__ import annotations

import pandas as pd

from workflow_scripts.analysis.tables import read_samples
from workflow_scripts.analysis.training_terms import visit_values
from workflow_scripts.answers.vote import majority


def step_zero_values(path: str, metric: str) -> tuple[pd.Series, int]:
    """Return `metric` per question, named as for `training_values`, and the smallest number of samples of one."""
    values = visit_values(_rewarded(read_samples(path))).droplevel("step")
    return values[metric.removeprefix("train.")], int(values["n_rollouts"].min())


def _rewarded(samples: pd.DataFrame) -> pd.DataFrame:
    """Add each question's majority answer as its label, and whether a sample agrees with it as its reward."""
    label = samples.groupby("question_id")["answer"].transform(_label)
    return samples.assign(step=0, label=label, reward=(samples["answer"] == label).astype(float))


def _label(answers: pd.Series) -> str | None:
    return majority([None if pd.isna(answer) else str(answer) for answer in answers]).label
