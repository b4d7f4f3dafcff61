"""The small pieces that rules are put together from."""

from __future__ import annotations

import os
import re
import sys
from inspect import signature
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.settings.job import Job
from workflow_scripts.settings.specs import HubModel, LocalModel, LocalQuestions, MajorityReward, MethodSpec
from workflow_scripts.settings.workflow import (
    check_writable,
    local_files,
    one_of,
    option,
    plan_or_exit,
    prefer_this_environment,
    settings_of,
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
    assert parameters["tracked"]("a.1") == '{"reward":{"kind":"majority"}}'
    assert parameters["config"]("a.1", 2) == '{"label":"TTRL","paper":"TTRL","reward":{"kind":"majority"}}'
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
    assert local_files(HubModel(kind="hub", id="a/b")) == []


def test_jobs_find_this_python_first_and_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("PYTHONPATH", "")
    for _ in range(2):
        prefer_this_environment(ROOT)
    assert os.environ["PATH"].split(os.pathsep) == [str(Path(sys.executable).parent), "/usr/bin"]
    assert os.environ["PYTHONPATH"] == str(ROOT)


def test_wrong_settings_exit_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        plan_or_exit({"scale": "mini"}, [ROOT / "config/mini.yaml"], ROOT)
    assert caught.value.code == 2
    assert re.fullmatch(
        r"error: config/mini.yaml: [a-z_]+: is missing \(\d+ more after this one\)\n", capsys.readouterr().err
    )


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
