"""Evidence of whole claims with invented values: rollouts with labels, and one evaluation per cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from synthetic_evidence import question_rows, write_base, write_run

from workflow_scripts.settings.evidence import Evidence


def judged_rows(steps: Mapping[int, Mapping[str, tuple[str, str]]]) -> pd.DataFrame:
    """One row per rollout of TTRL, from optimiser step -> question -> (gold, answers as letters).

    The first readable answer is the label, as in a vote that it wins or ties; `-` is an answer that cannot be read.
    """
    rows = []
    for step, questions in steps.items():
        for question, (gold, answers) in questions.items():
            label = next((answer for answer in answers if answer != "-"), None)
            rows += [
                {
                    "step": step,
                    "question_id": question,
                    "answer": None if answer == "-" else answer,
                    "correct": answer == gold,
                    "label": label,
                    "reward": float(answer == label),
                    "advantage": 0.0,
                }
                for answer in answers
            ]
    return pd.DataFrame(rows)


def scored_rows(maj: int, bon: int, sc_rm: int, n: int = 20) -> pd.DataFrame:
    """`n` questions with 4 scored samples: the first `maj`, `bon`, `sc_rm` are right by each way to choose."""
    rows = question_rows([4 if i < maj else 0 for i in range(n)], 4)
    return rows.assign(bon_correct=[i < bon for i in range(n)], sc_rm_correct=[i < sc_rm for i in range(n)])


def selection_evidence(
    folder: Path, cells: Mapping[tuple[str, str], tuple[int, int, int, int]], n: int = 20
) -> Evidence:
    """(policy role, question set role) -> questions of `n` right by TTRL, BoN, SC+RM and PROSE, one seed."""
    base, runs = [], []
    for (policy, questions), (ttrl, bon, sc_rm, prose) in cells.items():
        start = scored_rows(0, bon, sc_rm, n)
        base.append(write_base(folder, start, policy, questions))
        for method, right in (("ttrl", ttrl), ("prose", prose)):
            end = scored_rows(right, 0, 0, n)
            runs.append(write_run(folder, method, 0, {0: start, 10: end}, policy=policy, questions=questions))
    return Evidence(base=base, runs=runs, not_run=[])
