"""Rows on letters: whether a policy that chooses among options prefers one of them, whatever is asked.

A few questions whose samples agree have a most frequent letter however fairly it chooses. So letters are counted over
whole passes, in which every question is asked once, and beside them those of the right answers to the same questions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from workflow_scripts.analysis.tables import (
    read_judged_rollouts,
    read_samples,
    read_training_metrics,
)
from workflow_scripts.analysis.training_rows import Row, over_seeds
from workflow_scripts.analysis.training_terms import passes
from workflow_scripts.settings.evidence import BaseEvidence, RunEvidence

OF_PASS = "train.letter_share_max_pass"
OF_GOLD = "gold_letter_share_max"

LOGGED = "letter_share_max"
"""In metrics.jsonl; null where the questions have no options."""


def letter_rows(runs: Sequence[RunEvidence], base: BaseEvidence | None, place: Row) -> list[Row]:
    """Return the most frequent letter's share: `OF_PASS` of the readable answers, and `OF_GOLD` of the right ones.

    A pass is a row at its last step; an unfinished one has none. `OF_GOLD` knows the right answer of a question from
    samples that gave it, those of the base among them; `n` counts these questions. None without options.
    """
    logged = [read_training_metrics(run.metrics) for run in runs]
    if not all(LOGGED in table.columns and table[LOGGED].notna().any() for table in logged):
        return []
    rollouts = [read_judged_rollouts(run.rollouts) for run in runs]
    shares = [_of_passes(table) for table in rollouts]
    rows: list[Row] = []
    for step in sorted(set(shares[0]).intersection(*shares[1:])):
        by_seed = np.array([share[step][0] for share in shares])
        n, k = (min(share[step][i] for share in shares) for i in (1, 2))
        common: Row = {**place, "step": step, "metric": OF_PASS, "n": n, "k": k}
        rows += over_seeds(common, by_seed, [run.seed for run in runs])
    sampled = [read_samples(base.samples)] if base is not None and base.samples else []
    known = pd.concat([table[["question_id", "answer", "correct"]] for table in (*rollouts, *sampled)])
    gold = known[known["correct"]].drop_duplicates("question_id")["answer"]
    if len(gold):
        rows.append({**place, "metric": OF_GOLD, "value": _largest_share(gold), "n": len(gold)})
    return rows


def _of_passes(rollouts: pd.DataFrame) -> dict[int, tuple[float, int, int]]:
    """Return last step of each finished pass -> the share, the questions, and the fewest rollouts of one."""
    number = rollouts["step"].map(passes(rollouts))
    found = {}
    longest = 0
    for _, table in rollouts.groupby(number):
        of_question = table.groupby("question_id").size()
        longest = max(longest, len(of_question))
        if len(of_question) == longest:
            share = _largest_share(table["answer"])
            found[int(table["step"].max())] = (share, len(of_question), int(of_question.min()))
    return found


def _largest_share(answers: pd.Series) -> float:
    """The share of the most frequent readable answer; NaN where none is readable."""
    counts = answers.value_counts()
    return float(counts.iloc[0] / counts.sum()) if len(counts) else float("nan")
