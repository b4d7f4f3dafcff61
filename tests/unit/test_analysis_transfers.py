"""Frozen policies on other questions, averages over question sets, selection among the base's samples."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from synthetic_evidence import (
    POLICY,
    QUESTIONS,
    STATISTICS,
    question_rows,
    write_base,
    write_run,
    write_transfer,
)

from workflow_scripts import analyse
from workflow_scripts.analysis.collect import collect
from workflow_scripts.analysis.recipes import Recipe
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Analyse, Evidence, NotRun


def tidy(found: Evidence, wanted: Recipe) -> pd.DataFrame:
    return collect(Analyse(artefact="a", evidence=found, statistics=STATISTICS), wanted)


def row(
    table: pd.DataFrame, questions: str, method: str, metric: str, seed: str | None = "mean"
) -> pd.Series:
    seeds = table["seed"].isna() if seed is None else table["seed"] == seed
    found = table[
        (table["questions_role"] == questions)
        & (table["method"] == method)
        & (table["metric"] == metric)
        & seeds
    ]
    assert len(found) == 1
    return found.iloc[0]


@pytest.fixture
def moved(tmp_path: Path) -> Evidence:
    """TTRL on four samples of two questions: 3/4 right where it was adapted, 2/4 and 4/4 (two seeds) elsewhere."""
    curve = {0: question_rows([2, 2], 4), 10: question_rows([3, 3], 4)}
    return Evidence(
        base=[write_base(tmp_path, question_rows([2, 2], 4))],
        runs=[write_run(tmp_path, "ttrl", seed, curve) for seed in (0, 1)],
        transfers=[
            write_transfer(tmp_path, question_rows([1, 1], 4), None, None, "ddxplus"),
            write_transfer(tmp_path, question_rows([2, 2], 4), "ttrl", 0, "ddxplus"),
            write_transfer(tmp_path, question_rows([4, 4], 4), "ttrl", 1, "ddxplus"),
        ],
        not_run=[NotRun(policy_role=POLICY, questions_role="unseen", method="ttrl", reason="no role")],
    )


def test_a_frozen_policy_has_its_own_rows_on_the_other_questions(moved: Evidence) -> None:
    table = tidy(moved, Recipe(final=("avg@k",)))
    mean = row(table, "ddxplus", "ttrl", "avg@k")
    assert (mean["value"], mean["adapted_on"], mean["step"], mean["n_seeds"]) == (0.75, QUESTIONS, 10, 2)
    assert mean["sd"] == pytest.approx(0.3535534)  # 0.5 / sqrt(2)
    assert row(table, "ddxplus", "ttrl", "avg@k", "1")["value"] == 1.0
    assert row(table, QUESTIONS, "ttrl", "avg@k")["adapted_on"] == QUESTIONS
    base = row(table, "ddxplus", "base", "avg@k", None)
    assert base["value"] == 0.25
    assert pd.isna(base["adapted_on"])
    assert set(table.loc[table["metric"] == "not_run", "questions_role"]) == {"unseen"}


def test_a_base_that_is_asked_for_anyway_is_not_repeated(moved: Evidence, tmp_path: Path) -> None:
    found = moved.model_copy(
        update={
            "base": [*moved.base, write_base(tmp_path, question_rows([1, 1], 4), questions="ddxplus")],
        }
    )
    assert row(tidy(found, Recipe(final=("avg@k",))), "ddxplus", "base", "avg@k", None)["value"] == 0.25


def test_transfers_are_among_the_recorded_inputs(moved: Evidence) -> None:
    names = analyse.evidence_inputs(moved, analyse.READ)
    assert "main_policy.medqa_5op.ttrl.s1.on.ddxplus.per_question" in names
    assert "main_policy.medqa_5op.base.on.ddxplus.per_question" in names


def of_sets(folder: Path, absent: str | None = None) -> Evidence:
    """The base has 1/4 and 3/4 right on two sets of one and of two questions, TTRL 2/4 and 4/4."""
    sizes = {QUESTIONS: ([1], [2]), "ddxplus": ([3, 3], [4, 4])}
    found = Evidence(base=[], runs=[], not_run=[])
    for questions, (before, after) in sizes.items():
        found.base.append(write_base(folder, question_rows(before, 4), questions=questions))
        if questions == absent:
            found.not_run.append(
                NotRun(policy_role=POLICY, questions_role=questions, method="ttrl", reason="no prm")
            )
            continue
        rows = question_rows(after, 4)
        found.runs.append(write_run(folder, "ttrl", 0, {0: rows, 10: rows}, questions=questions))
    return found


def test_the_average_counts_question_sets_the_same(tmp_path: Path) -> None:
    table = tidy(of_sets(tmp_path), Recipe(final=("avg@k",), average=True))
    assert row(table, "average", "base", "avg@k", None)["value"] == 0.5
    mean = row(table, "average", "ttrl", "avg@k")
    assert (mean["value"], mean["low"], mean["high"], mean["n"], mean["k"]) == (0.75, 0.75, 0.75, 3, 4)
    assert row(table, "average", "ttrl", "avg@k", "0")["value"] == 0.75


def test_a_method_that_lacks_a_set_has_no_average(tmp_path: Path) -> None:
    table = tidy(of_sets(tmp_path, absent="ddxplus"), Recipe(final=("avg@k",), average=True))
    assert set(table.loc[table["questions_role"] == "average", "method"]) == {"base"}


def scored(n_correct: list[int], bon: list[bool | None], sc_rm: list[bool | None]) -> pd.DataFrame:
    return question_rows(n_correct, 4).assign(bon_correct=bon, sc_rm_correct=sc_rm)


SELECTED = Recipe(final=("maj@k",), base=("bon@k", "sc_rm@k"))


def test_selection_is_of_the_bases_samples_where_they_have_step_scores(tmp_path: Path) -> None:
    rows = scored([1, 3], [True, True], [False, True])
    base = write_base(tmp_path, rows, step_auc=0.9)
    table = tidy(Evidence(base=[base], runs=[], not_run=[]), SELECTED)
    assert row(table, QUESTIONS, "base", "bon@k", None)["value"] == 1.0
    assert row(table, QUESTIONS, "base", "sc_rm@k", None)["value"] == 0.5
    unscored = write_base(tmp_path / "other", scored([1, 3], [None, None], [None, None]))
    table = tidy(Evidence(base=[unscored], runs=[], not_run=[]), SELECTED)
    assert set(table["metric"]) == {"maj@k"}


def test_step_scores_that_the_evaluation_did_not_use_are_an_error(tmp_path: Path) -> None:
    base = write_base(tmp_path, question_rows([1, 3], 4), step_auc=0.9)
    with pytest.raises(UserError, match="no `bon_correct`: its samples have no step scores"):
        tidy(Evidence(base=[base], runs=[], not_run=[]), SELECTED)


def test_the_auc_of_the_process_reward_model_that_rewarded(tmp_path: Path) -> None:
    run = write_run(tmp_path, "prose", 0, {0: question_rows([1], 4)})
    kinds = {"reasoner": {"auc": 0.99, "n_right": 6, "n_wrong": 4}, "corrupted": {"auc": None}}
    report = tmp_path / "prm.json"
    report.write_text(json.dumps({"loss": 0.1, **kinds}))
    run = run.model_copy(update={"prm_report": str(report)})
    table = tidy(Evidence(base=[], runs=[run], not_run=[]), Recipe(prm_auc=True))
    assert list(table["metric"]) == ["prm_auc.reasoner"]
    assert table.loc[0, ["value", "n"]].tolist() == [0.99, 10]
    report.write_text("[]")
    with pytest.raises(UserError, match=r"prm\.json is not a report of the step `train_prm`"):
        tidy(Evidence(base=[], runs=[run], not_run=[]), Recipe(prm_auc=True))
