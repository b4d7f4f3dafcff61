"""Rewards and labels over parts of a run, letters over passes, and metrics that a run did not log."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from synthetic_claims import judged_rows
from synthetic_evidence import (
    POLICY,
    QUESTIONS,
    STATISTICS,
    evidence,
    question_rows,
    rollout_rows,
    write_base,
    write_run,
)

from workflow_scripts.analysis.agreement_rows import SHARES, WINDOWS
from workflow_scripts.analysis.collect import collect
from workflow_scripts.analysis.quantities import estimate
from workflow_scripts.analysis.recipes import Recipe
from workflow_scripts.settings.claims import Level, Ratio
from workflow_scripts.settings.evidence import Analyse, BaseEvidence, RunEvidence

CURVE = {0: question_rows([1], 4)}

SEEDS = (
    {
        1: {"q0": ("A", "AAB-"), "q1": ("A", "BBAC")},
        2: {"q0": ("A", "BBCD"), "q1": ("A", "AAAA")},
    },
    {
        1: {"q0": ("A", "BBBB"), "q1": ("A", "BBA-")},
        2: {"q0": ("A", "BBC-"), "q1": ("A", "CCBA")},
    },
)
"""Right rewards by reason (label right, a wrong label missed, not readable), of four rollouts. Seed 0: step 1 q0
(3, 0, 1), q1 (0, 1, 0); step 2 q0 (0, 2, 0), q1 (4, 0, 0). Seed 1: step 1 q0 none, q1 (0, 0, 1); step 2 q0 (0, 1, 1),
q1 (0, 1, 0)."""


def tidy(runs: list[RunEvidence], wanted: Recipe, base: BaseEvidence | None = None) -> pd.DataFrame:
    return collect(Analyse(artefact="a", evidence=evidence(base, runs), statistics=STATISTICS), wanted)


@pytest.fixture
def runs(tmp_path: Path) -> list[RunEvidence]:
    return [
        write_run(tmp_path, "ttrl", seed, CURVE, rollouts=judged_rows(steps))
        for seed, steps in enumerate(SEEDS)
    ]


def means(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["seed"] == "mean"].set_index("metric")


@pytest.mark.parametrize(("window", "where"), WINDOWS.items())
def test_gap_and_rate_are_those_of_the_ledger(runs: list[RunEvidence], window: str, where: str) -> None:
    rows = means(tidy(runs, Recipe(agreement=("protection_gap", "protection_rate"))))
    for name, quantity in (
        (
            "protection_gap",
            Level(kind="level", metric="train.protection_gap", method="ttrl", where=where),  # type: ignore[arg-type]
        ),
        (
            "protection_rate",
            Ratio(
                kind="ratio",
                metric="train.protection_gap",
                per="train.label_wrong",
                method="ttrl",
                where=where,  # type: ignore[arg-type]
            ),
        ),
    ):
        row = rows.loc[f"train.{name}_{window}"]
        ledger = estimate(quantity, evidence(None, runs), [POLICY], [QUESTIONS], STATISTICS)
        assert (row["value"], row["low"], row["high"]) == (ledger.value, ledger.low, ledger.high)
        assert (row["n"], row["k"], row["n_seeds"], row["sd"]) == (ledger.n, ledger.k, 2, ledger.sd)


def test_windows_end_at_their_last_step_and_hold_each_seeds_value(runs: list[RunEvidence]) -> None:
    table = tidy(runs, Recipe(agreement=("protection_gap",)))
    rows = table.set_index(["metric", "seed"])
    assert rows.loc[("train.protection_gap_first_pass", "mean"), "step"] == 1
    assert rows.loc[("train.protection_gap_run_mean", "mean"), "step"] == 2
    # Seed 0 over the run: (0 + 1/2) / 2 for q0, (1/4 + 0) / 2 for q1; seed 1: (0 + 1/2) / 2 and (1/4 + 1/4) / 2.
    assert rows.loc[("train.protection_gap_run_mean", "0"), "value"] == pytest.approx(0.1875)
    assert rows.loc[("train.protection_gap_run_mean", "1"), "value"] == pytest.approx(0.25)
    assert rows.loc[("train.protection_gap_run_mean", "mean"), "value"] == pytest.approx(0.21875)


def test_right_rewards_of_a_window_are_shared_out_by_reason(runs: list[RunEvidence]) -> None:
    rows = means(tidy(runs, Recipe(agreement=tuple(SHARES))))
    # Over the run, both seeds: (7, 5, 3) of 15. In the last tenth, step 2: (4, 4, 1) of 9.
    for window, counts in (("run_mean", (7, 5, 3)), ("last_tenth", (4, 4, 1))):
        for reason, count in zip(
            ("lucky_label_right", "lucky_wrong_label_missed", "lucky_unparseable"), counts, strict=True
        ):
            row = rows.loc[f"train.{reason}_{window}"]
            assert row["value"] == pytest.approx(count / sum(counts)), (reason, window)
            assert row["low"] <= row["value"] <= row["high"]


def test_rewards_that_do_not_come_from_a_label_have_no_such_rows(tmp_path: Path) -> None:
    graded = judged_rows({1: {"q0": ("A", "AAB")}}).assign(reward=[0.9, 0.8, 0.1])
    inverted = judged_rows({1: {"q0": ("A", "AAB")}}).assign(reward=[0.0, 0.0, 1.0])
    for rollouts, metrics in ((graded, tuple(SHARES)), (inverted, ("lucky_label_right",))):
        run = write_run(tmp_path, "ttrl", 0, CURVE, rollouts=rollouts)
        assert tidy([run], Recipe(agreement=metrics)).empty


# ------------------------------------------------------------------ letters


def passes_of(*of_steps: dict[str, str]) -> pd.DataFrame:
    gold = {"q0": "A", "q1": "A", "q2": "B", "q3": "C"}
    return judged_rows(
        {
            step: {question: (gold[question], answers) for question, answers in asked.items()}
            for step, asked in enumerate(of_steps, start=1)
        }
    )


def with_letters(folder: Path, seed: int, *of_steps: dict[str, str]) -> RunEvidence:
    training = {"letter_share_max": [0.5] * len(of_steps)}
    rewards = [0.5] * len(of_steps)
    rollouts = passes_of(*of_steps)
    return write_run(folder, "ttrl", seed, CURVE, rewards, rollouts=rollouts, training=training)


def test_letters_are_counted_over_whole_passes_beside_those_of_the_right_answers(tmp_path: Path) -> None:
    run = with_letters(
        *(tmp_path, 0),
        *({"q0": "AA", "q1": "AA"}, {"q2": "BB", "q3": "CC"}),  # as the right answers: A in 4 of 8
        *({"q0": "BB", "q2": "BB"}, {"q1": "A-", "q3": "BC"}),  # B in 5 of 7
        {"q0": "DD"},  # an unfinished pass
    )
    table = tidy([run], Recipe(letters=True))
    shares = means(table)
    assert list(shares["step"]) == [2, 4]
    assert list(shares["value"]) == pytest.approx([4 / 8, 5 / 7])
    assert set(zip(shares["n"], shares["k"], strict=True)) == {(4, 2)}
    gold = table[table["metric"] == "gold_letter_share_max"].iloc[0]
    assert (gold["value"], gold["n"]) == (0.5, 4)
    assert pd.isna(gold["seed"])


def test_samples_that_agree_do_not_look_like_a_preference_for_a_letter(tmp_path: Path) -> None:
    # Each step's samples agree, so that its most frequent letter has a share of 1; over the pass all letters balance.
    run = with_letters(tmp_path, 0, {"q0": "AAAA"}, {"q1": "DDDD"}, {"q2": "BBBB"}, {"q3": "CCCC"})
    assert means(tidy([run], Recipe(letters=True)))["value"].tolist() == [0.25]


def test_right_answers_that_training_never_gave_are_known_from_the_base(tmp_path: Path) -> None:
    run = with_letters(tmp_path, 0, {"q0": "BB", "q2": "BB"})
    samples = {"q0": ("A", "AB"), "q2": ("B", "AB")}
    base = write_base(tmp_path, question_rows([1, 1], 2), samples=samples)
    for given, n in ((None, 1), (base, 2)):
        table = tidy([run], Recipe(letters=True), given)
        assert table.loc[table["metric"] == "gold_letter_share_max", "n"].tolist() == [n]


def test_questions_without_options_have_no_letters(tmp_path: Path) -> None:
    run = write_run(
        *(tmp_path, "ttrl", 0, CURVE),
        rollouts=passes_of({"q0": "AA"}),
        training={"letter_share_max": [None]},
    )
    assert tidy([run], Recipe(letters=True)).empty


# ------------------------------------------------------------------ metrics of steps


def test_a_seed_without_a_value_is_left_out_of_the_mean(tmp_path: Path) -> None:
    runs = [
        write_run(*(tmp_path, "ttrl", seed, CURVE), rewards=[0.5], training={"protection_rate": [rate]})
        for seed, rate in ((0, 0.4), (1, None))
    ]
    mean = means(tidy(runs, Recipe(training=("protection_rate",)))).loc["train.protection_rate"]
    assert (mean["value"], mean["n_seeds"]) == (0.4, 1)
    assert pd.isna(mean["sd"])


def test_a_metric_that_only_some_runs_log_has_rows_where_it_is_logged(tmp_path: Path) -> None:
    run = write_run(tmp_path, "ttrl", 0, CURVE, training={"lucky_unparseable": [0.4]})
    table = tidy([run], Recipe(training_if_logged=("lucky_unparseable",)))
    assert list(table["metric"].unique()) == [
        "train.lucky_unparseable",
        "train.lucky_unparseable_moving_average",
    ]
    assert set(table["value"]) == {0.4}


@pytest.mark.parametrize("training", [{}, {"lucky_unparseable": [None]}])
def test_a_metric_that_is_null_or_absent_has_no_rows(
    training: dict[str, list[float | None]], tmp_path: Path
) -> None:
    run = write_run(tmp_path, "ttrl", 0, CURVE, training=training)
    assert tidy([run], Recipe(training_if_logged=("lucky_unparseable",))).empty


def test_rollouts_are_read_only_where_they_are_asked_for(tmp_path: Path) -> None:
    run = write_run(tmp_path, "ttrl", 0, CURVE, rollouts=rollout_rows({1: {"q0": [0.5]}}))
    assert tidy([run], Recipe()).empty
