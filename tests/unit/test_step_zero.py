"""What majority labels would reward before training, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_evidence import POLICY, QUESTIONS, STATISTICS, evidence, question_rows, write_base

from workflow_scripts.analysis.agreement_rows import SHARES, step_zero_rows
from workflow_scripts.analysis.step_zero import step_zero_values
from workflow_scripts.analysis.training_rows import Row
from workflow_scripts.evaluation.intervals import bootstrap_mean

SAMPLES = {"q0": ("A", "AAB-"), "q1": ("A", "BBAC"), "q2": ("A", "BABA")}
"""q0: the label is right, and so are all rewards. q1: label B is wrong, C alone missed it. q2: a tie goes to B, seen
first; A gets nothing though right, B gets 1 though wrong."""


def found(folder: Path, samples: dict[str, tuple[str, str]] | None) -> dict[object, Row]:
    base = write_base(folder, question_rows([1] * 3, 4), samples=samples)
    rows = step_zero_rows(base, list(SHARES), evidence(base, []), STATISTICS)
    assert {(row["policy_role"], row["questions_role"], row["method"], row["step"]) for row in rows} <= {
        (POLICY, QUESTIONS, "base", 0)
    }
    return {row["metric"]: row for row in rows}


def test_each_question_counts_once_and_has_its_gap(tmp_path: Path) -> None:
    base = write_base(tmp_path, question_rows([1] * 3, 4), samples=SAMPLES)
    values, k = step_zero_values(str(base.samples), "train.protection_gap")
    assert values.to_dict() == {"q0": 0.0, "q1": 0.25, "q2": 0.0}
    assert k == 4


def test_gap_and_rate_are_of_all_questions_with_an_interval_over_them(tmp_path: Path) -> None:
    measured = found(tmp_path, SAMPLES)
    gap = measured["protection_gap"]
    expected = bootstrap_mean([0.0, 0.25, 0.0], samples=500, confidence=0.95, seed=7)
    assert (gap["value"], gap["low"], gap["high"]) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert (gap["n"], gap["k"]) == (3, 4)
    assert "seed" not in gap
    # The rate is the gap per share of wrong labels, which two of three are.
    assert measured["protection_rate"]["value"] == pytest.approx((0.25 / 3) / (2 / 3))


def test_right_rewards_are_shared_out_by_reason(tmp_path: Path) -> None:
    # Right: q0 its three readable answers and the unreadable one, q1 the C, q2 none: of five 3, 1 and 1.
    measured = found(tmp_path, SAMPLES)
    assert measured["lucky_label_right"]["value"] == pytest.approx(3 / 5)
    assert measured["lucky_wrong_label_missed"]["value"] == pytest.approx(1 / 5)
    assert measured["lucky_unparseable"]["value"] == pytest.approx(1 / 5)


def test_a_question_in_which_nothing_parses_has_a_wrong_label_and_no_right_reward(tmp_path: Path) -> None:
    measured = found(tmp_path, {"q0": ("A", "----"), "q1": ("A", "AAAA")})
    assert measured["protection_gap"]["value"] == 0.0
    assert measured["protection_rate"]["value"] == 0.0
    assert measured["lucky_label_right"]["value"] == 1.0


def test_without_a_wrong_label_there_is_no_rate(tmp_path: Path) -> None:
    assert "protection_rate" not in found(tmp_path, {"q0": ("A", "AAB-")})


def test_a_base_whose_samples_are_unknown_has_none(tmp_path: Path) -> None:
    assert found(tmp_path, None) == {}
