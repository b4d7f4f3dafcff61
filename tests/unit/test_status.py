"""Status of artefacts, from files, logs and Snakemake's marks alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from workflow_scripts import status
from workflow_scripts.errors import UserError
from workflow_scripts.provenance.progress import (
    Logs,
    incomplete_outputs,
    job_progress,
    needed,
)
from workflow_scripts.settings.load import load_scale_file
from workflow_scripts.settings.plan import resolve

OUTPUTS = ["results/mini/runs/r.1/manifest.json", "results/mini/runs/r.1/manifest.json.prov.json"]
LOG = Path("results/mini/logs/train/r.1.log")
BENCHMARK = Path("results/mini/benchmarks/train/r.1.jsonl")


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str | Path, text: str = "", age: float = 0) -> None:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    now = place.stat().st_mtime
    os.utime(place, (now - age, now - age))


def begin(output: str) -> None:
    """Mark an output as Snakemake 9 does: base64 of its path, long names over several directories."""
    name = urlsafe_b64encode(output.encode()).decode()
    parts = [name[i : i + 254] for i in range(0, len(name), 254)]
    write(Path(".snakemake/incomplete", *[f"@{part}" for part in parts[:-1]], parts[-1]), "{}")


def state(workdir: Path, running: bool = False) -> str:
    marks = incomplete_outputs(workdir)
    logs = Logs(workdir / "results/mini")
    return job_progress(("train", "other"), "r.1", OUTPUTS, workdir, marks, running, logs).state


def test_a_job_is_done_only_with_its_record(workdir: Path) -> None:
    assert state(workdir) == "missing"
    write(OUTPUTS[0])
    assert state(workdir) == "missing"
    write(OUTPUTS[1])
    assert state(workdir) == "done"


def test_a_begun_job_runs_while_snakemake_lives_and_has_failed_otherwise(workdir: Path) -> None:
    begin(OUTPUTS[0])
    assert state(workdir, running=True) == "running"
    assert state(workdir, running=False) == "failed"


def test_a_begun_job_whose_log_grows_runs_though_its_snakemake_is_elsewhere(workdir: Path) -> None:
    begin(OUTPUTS[0])
    write(LOG)
    assert state(workdir) == "running"
    write(LOG, age=3600)
    assert state(workdir) == "failed"


def test_a_log_without_a_success_after_it_means_failure(workdir: Path) -> None:
    write(LOG, "error: no such file", age=100)
    assert state(workdir) == "failed"
    write(BENCHMARK, age=500)
    assert state(workdir) == "failed"


def test_outputs_deleted_after_a_success_are_missing(workdir: Path) -> None:
    write(LOG, "step 140 of 140", age=100)
    write(BENCHMARK, age=99)
    assert state(workdir) == "missing"


def test_marks_of_long_paths_are_read(workdir: Path) -> None:
    long = "results/mini/" + "x" * 300 + "/y.parquet"
    begin(long)
    begin("short.csv")
    assert incomplete_outputs(workdir) == {long, "short.csv"}


def test_what_an_artefact_needs_is_counted_once() -> None:
    needs = {"figure": ["analysis"], "analysis": ["run", "evaluation"], "evaluation": ["run"]}
    assert list(needed("figure", needs)) == ["figure", "analysis", "evaluation", "run"]


ROOT = Path(status.__file__).parents[1]


@pytest.fixture
def checkout(workdir: Path) -> Path:
    """A working directory with this repository's settings and no results."""
    (workdir / "config").symlink_to(ROOT / "config")
    return workdir


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    status.main([*arguments, "--json"])
    return {row["artefact"]: row for row in json.loads(capsys.readouterr().out)}


def test_without_results_every_artefact_is_missing_and_the_command_is_told(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = answer(capsys)
    assert {row["state"] for row in rows.values()} == {"missing"}
    assert rows["prose_fig1"]["jobs_done"] == 0
    assert rows["prose_fig1"]["hint"] == "snakemake --profile local prose_fig1"
    rows = answer(capsys, "prose_fig1", "--scale-file", "config/smoke.yaml")
    assert rows["prose_fig1"]["hint"] == "snakemake --profile local prose_fig1 --configfile config/smoke.yaml"
    rows = answer(capsys, "prose_fig1", "--scale-file", "config/paper.yaml", "--seeds", "1")
    assert rows["prose_fig1"]["hint"] == "snakemake --profile slurm prose_fig1 --config n_seeds=1"


def test_the_next_command_of_a_ledger_makes_that_ledger(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = answer(capsys)
    assert [name for name, row in rows.items() if row["kind"] == "ledger"] == ["headline_claims", "claims"]
    assert rows["claims"]["hint"] == "snakemake --profile local claims"
    assert rows["headline_claims"]["hint"] == "snakemake --profile local headline_claims"
    write("results/mini/logs/check_claims/all.log", "error: something")
    rows = answer(capsys, "claims")
    assert rows["claims"]["state"] == "failed"
    assert rows["claims"]["hint"] == "check_claims all; then: snakemake --profile local claims"


def test_a_failed_training_run_is_told_for_the_figures_that_need_it(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = resolve(load_scale_file(Path("config/mini.yaml"), Path.cwd(), n_seeds=1))
    run = next(name for name in plan.runs if ".prose.s0." in name)
    log = f"results/mini/logs/train/{run}.log"
    write(log, "error: something")
    rows = answer(capsys, "--seeds", "1")
    assert (rows["prose_fig1"]["state"], rows["prose_fig1"]["log"]) == ("failed", log)
    begin(plan.runs[run].outputs["manifest"])
    rows = answer(capsys, "--seeds", "1")
    assert (rows["prose_fig1"]["state"], rows["prose_fig1"]["hint"]) == ("running", f"train {run}")


def test_a_killed_workflow_is_told_from_a_running_one(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = resolve(load_scale_file(Path("config/mini.yaml"), Path.cwd(), n_seeds=1))
    started = next(job for name, job in plan.policies.items() if name.startswith("clinic_policy."))
    begin(started.outputs["manifest"])
    program = (
        "import time; from workflow_scripts.settings.guard import hold;"
        "hold('results/mini'); print('up', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        assert answer(capsys, "--seeds", "1")["prose_fig1"]["state"] == "running"
    finally:
        process.kill()
        process.communicate()
    assert answer(capsys, "--seeds", "1")["prose_fig1"]["state"] == "failed"


def test_a_finished_figure_is_done(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in ("pdf", "png", "csv", "pdf.prov.json"):
        write(f"figures/mini/prose_fig1.{suffix}")
    rows = answer(capsys)
    assert (rows["prose_fig1"]["state"], rows["prose_fig5"]["state"]) == ("done", "missing")
    status.main([])
    text = capsys.readouterr().out
    assert "prose_fig1" in text and "done" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scale-file", "config/none.yaml"], r"config/none\.yaml: cannot be read"),
        (["prose_fig99"], "no artefact prose_fig99 in config/mini.yaml. There are: beyond_"),
    ],
)
def test_mistakes_are_told_in_one_line(checkout: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        status.main(arguments)


def test_status_and_audit_import_nothing_heavy() -> None:
    program = (
        "import sys, workflow_scripts.status, workflow_scripts.audit;"
        "print(sorted({'torch', 'transformers', 'snakemake', 'pandas', 'numpy', 'trl'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
