"""The tidy table of one artefact: means over seeds, spread, intervals, moving averages, missing runs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from synthetic_evidence import STATISTICS, evidence, question_rows, write_base, write_run

from workflow_scripts import analyse
from workflow_scripts.analysis.collect import COLUMNS, collect
from workflow_scripts.analysis.recipes import Recipe, recipe
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Analyse, Evidence

FIG1 = Recipe(curve=("avg@k", "maj@k", "distinct_responses", "unparseable"))


def tidy(found: Evidence, wanted: Recipe, artefact: str = "prose_fig1") -> pd.DataFrame:
    return collect(Analyse(artefact=artefact, evidence=found, statistics=STATISTICS), wanted)


def cell(
    table: pd.DataFrame, method: str, metric: str, seed: str | None = "mean", step: int = 0
) -> pd.Series:
    seeds = table["seed"].isna() if seed is None else table["seed"] == seed
    found = table[(table["method"] == method) & (table["metric"] == metric) & seeds & (table["step"] == step)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.fixture
def two_seeds(tmp_path: Path) -> Evidence:
    base = write_base(tmp_path, question_rows([2, 2], 4))
    runs = [
        write_run(
            tmp_path,
            "ttrl",
            seed,
            {
                0: question_rows([2, 2], 4, distinct=[4, 4]),
                10: question_rows(end, 4, unparseable=[1, 0], distinct=[2, 1]),
            },
            rewards,
        )
        for seed, end, rewards in ((0, [4, 3], [0.0, 1.0, 0.5]), (1, [2, 3], [0.2, 0.4, 0.9]))
    ]
    return evidence(base, runs)


def test_mean_over_seeds_is_the_mean_over_questions_and_seeds(two_seeds: Evidence) -> None:
    # Seed 0: (4/4 + 3/4) / 2 = 0.875; seed 1: (2/4 + 3/4) / 2 = 0.625; mean 0.75.
    table = tidy(two_seeds, FIG1)
    row = cell(table, "ttrl", "avg@k", step=10)
    assert row["value"] == pytest.approx(0.75)
    assert (row["n"], row["k"], row["n_seeds"]) == (2, 4, 2)
    assert cell(table, "ttrl", "avg@k", "0", 10)["value"] == pytest.approx(0.875)
    assert cell(table, "ttrl", "avg@k", "1", 10)["value"] == pytest.approx(0.625)


def test_spread_of_seeds_is_the_sample_standard_deviation(two_seeds: Evidence) -> None:
    # sqrt(((0.875 - 0.75)^2 + (0.625 - 0.75)^2) / 1) = 0.1767767
    assert cell(tidy(two_seeds, FIG1), "ttrl", "avg@k", step=10)["sd"] == pytest.approx(0.1767767)


def test_shares_are_of_k_and_majorities_of_questions(two_seeds: Evidence) -> None:
    table = tidy(two_seeds, FIG1)
    assert cell(table, "ttrl", "distinct_responses", step=10)["value"] == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert cell(table, "ttrl", "unparseable", step=10)["value"] == pytest.approx((1 / 4 + 0) / 2)
    # More than half right: seed 0 both questions, seed 1 only the second.
    assert cell(table, "ttrl", "maj@k", step=10)["value"] == pytest.approx((1 + 0.5) / 2)


def test_interval_holds_the_mean_and_vanishes_where_questions_agree(two_seeds: Evidence) -> None:
    table = tidy(two_seeds, FIG1)
    # Means over seeds of the two questions: 0.75 and 0.75, so resampling them changes nothing.
    row = cell(table, "ttrl", "avg@k", step=10)
    assert (row["low"], row["high"]) == pytest.approx((0.75, 0.75))
    seed = cell(table, "ttrl", "avg@k", "0", 10)
    assert (seed["low"], seed["high"]) == pytest.approx((0.75, 1.0))


def test_base_has_no_seed_and_step_zero(two_seeds: Evidence) -> None:
    row = cell(tidy(two_seeds, FIG1), "base", "avg@k", None)
    assert row["value"] == pytest.approx(0.5)
    assert row[["n_seeds", "sd"]].isna().all()


def test_one_seed_has_no_spread(tmp_path: Path) -> None:
    run = write_run(tmp_path, "ttrl", 0, {0: question_rows([1, 2], 4)}, [0.5, 0.7])
    table = tidy(evidence(None, [run]), Recipe(curve=("avg@k",), training=("reward",)))
    assert table.loc[table["seed"] == "mean", "sd"].isna().all()
    assert set(table.loc[table["seed"] == "mean", "n_seeds"]) == {1}


def test_training_reward_is_averaged_over_seeds_step_by_step(two_seeds: Evidence) -> None:
    table = tidy(two_seeds, Recipe(training=("reward",)))
    values = [cell(table, "ttrl", "train.reward", step=step)["value"] for step in (1, 2, 3)]
    assert values == pytest.approx([0.1, 0.7, 0.7])
    assert cell(table, "ttrl", "train.reward", step=1)["n"] == 7
    assert cell(table, "ttrl", "train.reward", step=1)["k"] == 16


def test_moving_average_trails_over_five_steps(tmp_path: Path) -> None:
    run = write_run(tmp_path, "prose", 0, {0: question_rows([1], 4)}, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0])
    table = tidy(evidence(None, [run]), Recipe(training=("reward",)))
    smooth = [cell(table, "prose", "train.reward_moving_average", step=step)["value"] for step in range(1, 8)]
    assert smooth == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 0, 3 / 5])


def test_final_values_come_from_the_last_checkpoints_evaluation(tmp_path: Path) -> None:
    curve = {0: question_rows([1, 1], 4), 10: question_rows([2, 2], 4)}
    run = write_run(tmp_path, "prose", 0, curve, evaluation=question_rows([4, 4], 4))
    row = cell(tidy(evidence(None, [run]), Recipe(final=("avg@k",))), "prose", "avg@k", step=10)
    assert row["value"] == pytest.approx(1.0)


def test_final_values_fall_back_to_the_curve_unless_every_seed_is_evaluated(tmp_path: Path) -> None:
    curve = {0: question_rows([1, 1], 4), 10: question_rows([2, 2], 4)}
    runs = [
        write_run(tmp_path, "prose", 0, curve, evaluation=question_rows([4, 4], 4)),
        write_run(tmp_path, "prose", 1, curve),
    ]
    row = cell(tidy(evidence(None, runs), Recipe(final=("avg@k",))), "prose", "avg@k", step=10)
    assert row["value"] == pytest.approx(0.5)


def test_step_auc_is_that_of_the_base_and_of_each_seeds_own_responses(tmp_path: Path) -> None:
    curve = {0: question_rows([1], 4), 10: question_rows([2], 4)}
    base = write_base(tmp_path, question_rows([2], 4), step_auc=0.98)
    runs = [
        write_run(tmp_path, "prose", seed, curve, evaluation=question_rows([2], 4), step_auc=auc)
        for seed, auc in ((0, 0.9), (1, 0.7))
    ]
    table = tidy(evidence(base, runs), Recipe(step_auc=True))
    assert cell(table, "base", "step_auc", None)["value"] == 0.98
    mean = cell(table, "prose", "step_auc", step=10)
    assert (mean["value"], mean["n"], mean["n_seeds"]) == (pytest.approx(0.8), 80, 2)
    assert mean["sd"] == pytest.approx(0.1414214)  # 0.2 / sqrt(2)
    assert cell(table, "prose", "step_auc", "1", 10)[["value", "n"]].tolist() == [0.7, 40]


def test_a_step_auc_that_is_not_known_has_no_row(tmp_path: Path) -> None:
    curve = {0: question_rows([1], 4)}
    known, unknown = (write_run(tmp_path, "prose", seed, curve, step_auc=0.9) for seed in (0, 1))
    Path(str(unknown.step_scores_report)).write_text('{"n_steps": 40}')
    table = tidy(evidence(None, [known, unknown]), Recipe(step_auc=True))
    assert list(table["seed"]) == ["mean", "0"]
    assert tidy(evidence(None, [unknown]), Recipe(step_auc=True)).empty


@pytest.mark.parametrize("text", ["{", "[]", '{"auc": 0.5}', '{"auc": "high", "n_right": 1, "n_wrong": 1}'])
def test_a_damaged_step_report_is_named(text: str, tmp_path: Path) -> None:
    run = write_run(tmp_path, "prose", 0, {0: question_rows([1], 4)}, step_auc=0.9)
    Path(str(run.step_scores_report)).write_text(text)
    with pytest.raises(UserError, match=r"report\.json is not a report of the step `score_steps`"):
        tidy(evidence(None, [run]), Recipe(step_auc=True))


def test_what_did_not_run_is_a_row_without_value(two_seeds: Evidence) -> None:
    absent = evidence(None, two_seeds.runs, {"prose": "no process_reward_model", None: "no base"}).not_run
    table = tidy(two_seeds.model_copy(update={"not_run": absent}), FIG1)
    missing = table[table["metric"] == "not_run"]
    assert list(missing["method"]) == ["prose", "base"]
    assert missing["value"].isna().all()


def test_seeds_on_different_questions_are_refused(tmp_path: Path) -> None:
    runs = [
        write_run(tmp_path, "ttrl", 0, {0: question_rows([1, 2], 4)}),
        write_run(tmp_path, "ttrl", 1, {0: question_rows([1, 2, 3], 4)}),
    ]
    with pytest.raises(UserError, match=r"ttrl\.s1.*different questions"):
        tidy(evidence(None, runs), FIG1)


def test_seeds_evaluated_at_different_steps_are_refused(tmp_path: Path) -> None:
    rows = question_rows([1, 2], 4)
    runs = [
        write_run(tmp_path, "ttrl", 0, {0: rows, 5: rows}),
        write_run(tmp_path, "ttrl", 1, {0: rows, 6: rows}),
    ]
    with pytest.raises(UserError, match="different steps"):
        tidy(evidence(None, runs), FIG1)


def test_truncated_curve_is_named(two_seeds: Evidence) -> None:
    curve = Path(two_seeds.runs[0].curve)
    curve.write_bytes(curve.read_bytes()[:100])
    with pytest.raises(UserError, match=r"ttrl\.s0/curve\.parquet is not a readable parquet"):
        tidy(two_seeds, FIG1)


def test_a_line_of_metrics_that_is_not_json_is_named(two_seeds: Evidence) -> None:
    with Path(two_seeds.runs[1].metrics).open("a") as file:
        file.write('{"step": 4, "rew')
    with pytest.raises(UserError, match=r"ttrl\.s1/metrics\.jsonl, line 4"):
        tidy(two_seeds, Recipe(training=("reward",)))


def test_unknown_metric_names_those_that_exist(two_seeds: Evidence) -> None:
    with pytest.raises(UserError, match=r"no metric `rewards`.*reward, step"):
        tidy(two_seeds, Recipe(training=("rewards",)))


def test_artefact_without_recipe_is_refused() -> None:
    with pytest.raises(UserError, match="prose_fig9"):
        recipe("prose_fig9")


def test_command_writes_the_table_with_its_record_and_the_same_bytes_twice(
    two_seeds: Evidence, tmp_path: Path
) -> None:
    config = Analyse(artefact="prose_fig5", evidence=two_seeds, statistics=STATISTICS).model_dump_json()
    written = []
    for name in ("once", "twice"):
        out = tmp_path / name / "prose_fig5.csv"
        analyse.main(["--config", config, "--out", str(out)])
        written.append(out.read_bytes())
        record = json.loads(Path(f"{out}.prov.json").read_text())
        assert record["kind"] == "analysis"
    assert written[0] == written[1]
    assert list(pd.read_csv(tmp_path / "once" / "prose_fig5.csv").columns) == list(COLUMNS)


def test_record_names_the_files_that_are_read(tmp_path: Path) -> None:
    run = write_run(tmp_path, "prose", 0, {0: question_rows([1], 4)}, step_auc=0.9)
    config = Analyse(artefact="prose_fig5", evidence=evidence(None, [run]), statistics=STATISTICS)
    out = tmp_path / "out" / "prose_fig5.csv"
    analyse.main(["--config", config.model_dump_json(), "--out", str(out)])
    inputs = json.loads(Path(f"{out}.prov.json").read_text())["inputs"]
    names = {Path(item["path"]).name for item in inputs}
    assert names == {"metrics.jsonl", "curve.parquet", "report.json"}


def test_command_leaves_nothing_behind_when_a_file_is_missing(two_seeds: Evidence, tmp_path: Path) -> None:
    Path(two_seeds.runs[0].metrics).unlink()
    config = Analyse(artefact="prose_fig5", evidence=two_seeds, statistics=STATISTICS).model_dump_json()
    out = tmp_path / "out" / "prose_fig5.csv"
    with pytest.raises(UserError, match=r"ttrl\.s0/metrics\.jsonl"):
        analyse.main(["--config", config, "--out", str(out)])
    assert not out.parent.exists() or not list(out.parent.iterdir())
