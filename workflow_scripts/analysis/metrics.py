"""Metrics of sampled responses, question by question: the unit over which intervals are bootstrapped."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from workflow_scripts.errors import UserError


def _share(column: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda table: table[column] / table["n"]


def _column(column: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda table: table[column].astype(float)


def _chosen_by_scores(column: str) -> Callable[[pd.DataFrame], pd.Series]:
    def values(table: pd.DataFrame) -> pd.Series:
        if column not in table.columns or table[column].isna().any():
            raise UserError(
                f"an evaluation has no `{column}`: its samples have no step scores. "
                "Add its method, or `base`, to score_steps of the entry, and run Snakemake again."
            )
        return table[column].astype(float)

    return values


def _pass_gain(table: pd.DataFrame) -> pd.Series:
    """pass@k - pass@1, k all samples: whether any is right, minus the share that is (URLVR, section 6.2)."""
    return (table["n_correct"] > 0).astype(float) - table["n_correct"] / table["n"]


QUESTION_METRICS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "avg@k": _share("n_correct"),
    "maj@k": _column("majority_correct"),
    "bon@k": _chosen_by_scores("bon_correct"),
    "sc_rm@k": _chosen_by_scores("sc_rm_correct"),
    "pass_gain@k": _pass_gain,
    "distinct_responses": _share("n_distinct_responses"),
    "distinct_answers": _column("n_distinct_answers"),
    "answer_entropy": _column("answer_entropy"),
    "unparseable": _share("n_unparseable"),
}
"""Name -> value per question, from a table with the columns of `per_question.parquet`."""

DEPENDS_ON_K = frozenset(
    {"maj@k", "bon@k", "sc_rm@k", "pass_gain@k", "distinct_responses", "distinct_answers", "answer_entropy"}
)
"""Metrics whose expectation changes with the number of samples: two values compare only at equal k."""


def question_values(table: pd.DataFrame, metric: str) -> pd.Series:
    """Return `metric` per question: a float series indexed by `question_id`, sorted by it."""
    values = QUESTION_METRICS[metric](table)
    values.index = pd.Index(table["question_id"], name="question_id")
    return values.sort_index()


def reward_values(rollouts: pd.DataFrame) -> pd.Series:
    """Return the mean reward of each question's rollouts: a float series indexed by `question_id`, sorted by it."""
    return rollouts.groupby("question_id")["reward"].mean().astype(float)


def samples_per_question(table: pd.DataFrame) -> int:
    """Return k, the samples per question; the smallest where questions differ."""
    return int(table["n"].min())


def metric_label(metric: str, k: int | None) -> str:
    """Return the printed name: `avg@k` becomes `avg@16` where k is 16."""
    return metric.replace("@k", f"@{k}") if k else metric
