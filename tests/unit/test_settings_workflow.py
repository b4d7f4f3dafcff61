"""The small pieces that rules are put together from."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import replace
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from workflow_scripts.artefacts import registry
from workflow_scripts.artefacts.names import FIGURES, TABLES
from workflow_scripts.command import read_config
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import CheckClaims
from workflow_scripts.settings.job import Job, Plan
from workflow_scripts.settings.load import load_scale_file, load_settings
from workflow_scripts.settings.methods import MajorityReward, MethodSpec
from workflow_scripts.settings.models import HubModel, LocalModel
from workflow_scripts.settings.plan import resolve
from workflow_scripts.settings.question_sets import LocalQuestions
from workflow_scripts.settings.steps import PrepareQuestions
from workflow_scripts.settings.workflow import (
    all_pages,
    check_local_sources,
    check_writable,
    claims_settings,
    headline_pages,
    local_files,
    one_of,
    option,
    page_config,
    page_source,
    plan_or_exit,
    prefer_this_environment,
    settings_of,
    write_claims_config,
)

ROOT = Path(__file__).resolve().parents[2]


def test_a_wildcard_takes_known_ids_and_no_others() -> None:
    pattern = re.compile(one_of(["a.1", "a.12"]))
    assert pattern.fullmatch("a.1")
    assert pattern.fullmatch("a.12")
    assert not pattern.fullmatch("ax1")
    assert not re.fullmatch(one_of([]), "")


def test_an_optional_argument_is_two_words_or_none() -> None:
    assert option("--prm", "a b/manifest.json") == ["--prm", "a b/manifest.json"]
    assert option("--prm", None) == []


def test_the_command_gets_all_settings_and_snakemake_tracks_those_that_change_numbers() -> None:
    method = MethodSpec(label="TTRL", reward=MajorityReward(kind="majority"), paper="TTRL")
    parameters = settings_of({"a.1": Job(method, {}, {})}.__getitem__)
    assert parameters["tracked"]("a.1") == '{"reward":{"kind":"majority","missing":"no_vote"}}'
    assert parameters["config"]("a.1", 2) == (
        '{"grpo":{},"label":"TTRL","paper":"TTRL","reward":{"kind":"majority","min_share":0.0,"missing":"no_vote"},"vary":{}}'
    )
    # Snakemake takes a parameter for derived, and does not track it, where its function names the threads.
    assert [*signature(parameters["tracked"]).parameters] == ["wildcards"]
    assert [*signature(parameters["config"]).parameters] == ["wildcards", "threads"]


def test_files_of_a_local_source_are_seen_and_notes_beside_them_are_not(tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "tokenizer.json", "README.md"):
        (tmp_path / name).touch()
    model = LocalModel(kind="local", path=str(tmp_path))
    loaded = ["config.json", "model.safetensors", "tokenizer.json"]
    assert local_files(model) == [f"{tmp_path}/{name}" for name in loaded]
    assert local_files(LocalQuestions(kind="local", path="a.jsonl", shape="medqa")) == ["a.jsonl"]
    side_files = {"evidences": "e.json", "conditions": "c.json"}
    patients = LocalQuestions(kind="local", path="a.csv", shape="ddxplus", side_files=side_files)
    assert local_files(patients) == ["a.csv", "c.json", "e.json"]
    assert local_files(HubModel(kind="hub", id="a/b")) == []


def test_jobs_find_this_python_first_and_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("PYTHONPATH", "")
    for _ in range(2):
        prefer_this_environment(ROOT)
    assert os.environ["PATH"].split(os.pathsep) == [str(Path(sys.executable).parent), "/usr/bin"]
    assert os.environ["PYTHONPATH"] == str(ROOT)


def test_jobs_keep_freed_memory_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "4096")
    prefer_this_environment(ROOT)
    assert os.environ["MALLOC_TRIM_THRESHOLD_"] == str(1 << 30)
    assert os.environ["MALLOC_MMAP_THRESHOLD_"] == "4096"


def test_wrong_settings_exit_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        plan_or_exit({"scale": "mini"}, [ROOT / "config/mini.yaml"], ROOT)
    assert caught.value.code == 2
    assert re.fullmatch(
        r"error: config/mini.yaml: [a-z_]+: is missing \(\d+ more after this one\)\n", capsys.readouterr().err
    )


FIGURE = yaml.safe_load((ROOT / "config/artefacts/beyond.yaml").read_text(encoding="utf-8"))[
    "beyond_answer_space"
]


@pytest.mark.parametrize(
    ("name", "entry", "words"),
    [
        ("beyond_mine", FIGURE, "artefact beyond_mine: no figure of that name is written."),
        ("prose_tabel3", {**FIGURE, "kind": "table"}, "Did you mean prose_table3?"),
        ("beyond_answer_space", {**FIGURE, "axis": None}, "artefact beyond_answer_space: axis: is missing"),
        (
            "beyond_misconceptions",
            FIGURE,
            "axis.over: is question_sets; the figure is over policies",
        ),
        ("prose_fig1", FIGURE, "artefact prose_fig1: axis: is not drawn by this figure"),
        (
            "prose_table3",
            {**FIGURE, "kind": "table"},
            "artefact prose_table3: axis: is not drawn by this table",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, entry: dict[str, object], words: str
) -> None:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for file in (tmp_path / "config/artefacts").iterdir():
        file.unlink()
    (tmp_path / "config/artefacts/mine.yaml").write_text(yaml.safe_dump({name: entry}), encoding="utf-8")
    scale = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))
    folders = {key: str(tmp_path / key) for key in ("results", "figures")}
    with pytest.raises(SystemExit):
        plan_or_exit({**scale, **folders, "headline": [name]}, [], tmp_path)
    assert words in capsys.readouterr().err


def test_the_names_that_can_be_drawn_are_those_of_the_registry() -> None:
    assert set(FIGURES) == set(registry.FIGURES)
    assert set(TABLES) == set(registry.TABLES)


def test_a_key_that_stands_twice_in_the_scale_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "config/mini.yaml").read_text(encoding="utf-8") + "\nn_seeds: 1\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        plan_or_exit(yaml.safe_load(text), [tmp_path / "mine.yaml"], ROOT)
    line = text.splitlines().index("n_seeds: 3") + 1
    assert f"the key n_seeds stands on line {line} already" in capsys.readouterr().err


def test_every_local_file_of_a_question_set_must_be_there(tmp_path: Path) -> None:
    files = {name: str(tmp_path / f"{name}.json") for name in ("rows", "evidences", "conditions")}
    source = {"kind": "local", "path": files.pop("rows"), "shape": "ddxplus", "side_files": files}
    entry = {
        "source": source,
        "options": {"n": 5, "seed": 0},
        "prompt": {"user": "{text}\n{options}"},
        "answer": {"kind": "choice"},
        "licence": "invented",
    }
    config = PrepareQuestions.model_validate({"name": "mine", "question_set": entry, "world": None})
    plan = Plan(settings=None, questions={"mine.1": Job(config, {}, {})})  # type: ignore[arg-type]
    for name in ("rows", "conditions", "evidences"):
        with pytest.raises(UserError, match=rf"question set mine: no file .*{name}\.json\. Put it there"):
            check_local_sources(plan)
        (tmp_path / f"{name}.json").touch()
    check_local_sources(plan)


def test_the_report_has_a_page_of_what_the_plan_has() -> None:
    data = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))
    plan = resolve(load_settings(data, ROOT))
    found = headline_pages(plan)
    assert found == ["prose_table3", "headline_claims", "headline_audit", "configuration", "software"]
    assert {"prose_table1", "claims", "overlap", "audit"} <= set(all_pages(plan))
    assert not {"headline_claims", "headline_audit"} & set(all_pages(plan))
    assert page_source("overlap", plan) == ["results/mini/questions/overlap.md"]
    assert '"title":"Question sets: shared questions"' in page_config("overlap", plan)
    nothing = resolve(load_settings({**data, "roles": {"policies": {}, "question_sets": {}}}, ROOT))
    assert "overlap" not in all_pages(nothing)


def test_a_results_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "folder", "mine.yaml: results")
    (tmp_path / "file").touch()
    with pytest.raises(
        UserError, match=r"mine\.yaml: results: .*folder cannot be written, because of .*file"
    ):
        check_writable(tmp_path / "file" / "folder", "mine.yaml: results")


@pytest.mark.parametrize("folder", ["results/{x}", "results/*", "results/a\nb", "/"])
def test_a_results_folder_that_is_a_pattern_is_refused(folder: str) -> None:
    with pytest.raises(UserError, match="Name another folder"):
        check_writable(Path(folder), "mine.yaml: results")


@pytest.mark.parametrize("ledger", ["headline", "all"])
def test_the_claims_evidence_reaches_the_command_through_a_file(tmp_path, monkeypatch, ledger: str) -> None:
    plan = resolve(load_scale_file(ROOT / "config/mini.yaml", ROOT))
    job = plan.ledgers[ledger]
    monkeypatch.chdir(tmp_path)
    write_claims_config(plan)
    argument = claims_settings(plan)["config"](SimpleNamespace(ledger=ledger), 1)
    assert read_config(CheckClaims, argument) == job.config
    # In the folder of the ledger, and no output: Snakemake empties outputs before a job.
    assert Path(argument.removeprefix("@")).parent == Path(job.outputs["csv"]).parent
    assert argument.removeprefix("@") not in job.outputs.values()


def test_any_change_of_the_claims_configuration_is_tracked() -> None:
    plan = resolve(load_scale_file(ROOT / "config/mini.yaml", ROOT))
    job, wildcards = plan.ledgers["all"], SimpleNamespace(ledger="all")
    assert isinstance(job.config, CheckClaims)
    before = claims_settings(plan)["tracked"](wildcards)
    statistics = job.config.statistics.model_copy(update={"confidence": 0.9})
    plan.ledgers["all"] = replace(job, config=job.config.model_copy(update={"statistics": statistics}))
    assert claims_settings(plan)["tracked"](wildcards) != before
