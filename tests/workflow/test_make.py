"""The Makefile's targets hand the right command to Snakemake, and the environment's builder says what is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from rule_text import ROOT


@pytest.fixture(scope="module")
def built(clone: Path) -> Path:
    """The clone with this repository's environment, as `make env` would have built it."""
    environment = ROOT / ".venv"
    stamp = environment / "cpu.lock"
    if not stamp.is_file() or stamp.read_bytes() != (ROOT / "envs/cpu.lock").read_bytes():
        pytest.skip("needs the environment that `make env` builds")
    if not (clone / ".venv").exists():
        (clone / ".venv").symlink_to(environment)
    return clone


def run_make(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make as a user would, also where these tests run under make themselves."""
    outer = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES")
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    return subprocess.run(
        ["make", *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def make(project: Path, *arguments: str) -> str:
    done = run_make(project, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_make_names_an_artefact(built: Path) -> None:
    text = make(built, "prose_table3", "ARGS=--dry-run")
    assert "render_table" in text
    assert "render_figure" not in text


def test_make_takes_a_number_of_seeds(built: Path) -> None:
    text = make(built, "prose_fig5", "SEEDS=1", "ARGS=--dry-run")
    (line,) = {line for line in text.splitlines() if line.startswith("train ")}
    assert line.split() == ["train", "2"]


def test_a_dry_run_of_everything_ends_before_what_needs_results(built: Path) -> None:
    for target in ("run", "all"):
        text = make(built, target, "ARGS=--dry-run", "SEEDS=1")
        assert "This was a dry-run" in text
        assert "--report" not in text
        assert "not there yet" not in text
    text = make(built, "report", "ARGS=--dry-run")
    assert text == "would write results/mini/report/report.html of headline\n"


@pytest.mark.parametrize(
    ("target", "everything_is_there", "reported", "told"),
    [
        ("run", False, "headline", "headline"),
        ("run", True, "all", "headline"),
        ("all", False, "all", "all"),
        ("report", False, "headline", None),
        ("report", True, "all", None),
    ],
)
def test_what_was_asked_for_ends_with_its_report_and_summary(
    built: Path, target: str, everything_is_there: bool, reported: str, told: str | None
) -> None:
    # In place of Snakemake a command that prints its arguments, behind what Snakemake says of finished targets.
    fake = "echo Nothing to be done" if everything_is_there else "echo asked:"
    lines = make(built, target, f"SNAKEMAKE={fake}", "SEEDS=1").splitlines()
    reports = [line for line in lines if "--report" in line and not line.startswith("echo")]
    assert len(reports) == 1
    asked = f"--profile local {reported} --report results/mini/report/report.html --config n_seeds=1"
    assert reports[0].endswith(asked)
    jobs = {"run": "headline", "all": "all --set-threads pretrain_policy=1"}.get(target)
    if jobs:
        assert any(line.endswith(f"--profile local {jobs} --config n_seeds=1") for line in lines)
    assert any("prose_table3.md: not there yet" in line for line in lines) == (told is not None)
    assert any("prose_table2.md: not there yet" in line for line in lines) == (told == "all")


def test_a_report_of_nothing_says_what_to_run(built: Path) -> None:
    done = run_make(built, "report")
    assert done.returncode != 0
    assert "error: no report of headline. What it lacks is made by: make run\n" in done.stderr
    assert "train" not in done.stdout


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("SEEDS=0", "error: config/mini.yaml: n_seeds: should be greater than or equal to 1, got 0"),
        ("SEEDS=x", "error: config/mini.yaml: n_seeds: expected a whole number"),
        ("ARGS=--bogus", "unrecognized arguments: --bogus"),
    ],
)
def test_a_report_that_is_asked_for_wrongly_says_what_is_wrong(built: Path, wrong: str, words: str) -> None:
    done = run_make(built, "report", wrong)
    assert done.returncode != 0
    assert words in done.stderr
    assert "What it lacks is made by" not in done.stderr


def test_make_alone_says_what_there_is(built: Path) -> None:
    text = make(built)
    for target in ("make run", "make all", "make test", "make verify", "make report"):
        assert target in text


def test_an_environment_that_is_up_to_date_is_not_built_again(built: Path) -> None:
    assert make(built, "--silent", "env") == ""


def test_a_machine_without_a_suitable_python_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "envs").mkdir()
    for name in ("build", "cpu.lock"):
        shutil.copy2(ROOT / "envs" / name, tmp_path / "envs" / name)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "cmp", "dirname"):
        tool = shutil.which(name)
        assert tool
        (tools / name).symlink_to(tool)
    environment = {**os.environ, "PATH": str(tools)}
    environment.pop("PYTHON", None)
    done = subprocess.run(
        [str(tools / "sh"), "envs/build"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: no Python 3.11, 3.12 or 3.13")
    assert not (tmp_path / ".venv").exists()


def test_continuous_integration_runs_what_a_newcomer_types() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert script[-1] == "exec make test"
    assert os.access(ROOT / ".ci/run", os.X_OK)
