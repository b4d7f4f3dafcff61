"""The small pieces that rules are put together from."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.settings.workflow import (
    check_writable,
    one_of,
    option,
    plan_or_exit,
    prefer_this_environment,
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
