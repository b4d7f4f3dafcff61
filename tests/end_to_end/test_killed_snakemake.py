"""Snakemake and its jobs are killed; the same command completes and ends with the same content."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import commit_everything, copy_working_tree, snakemake

COMMAND = ("--profile", "local", "--configfile", "config/smoke.yaml", "--cores", "2", "--", "headline")
FINAL = (
    "figures/smoke/*.csv",
    "figures/smoke/*.png",
    "results/smoke/tables/prose_table3.*",
    "results/smoke/claims/headline.csv",
    "results/smoke/models/*/model/model.safetensors",
    "results/smoke/runs/*/final/model.safetensors",
)


def contents(project: Path) -> dict[str, str]:
    return {
        path.relative_to(project).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in FINAL
        for path in sorted(project.glob(pattern))
        if not path.name.endswith(".prov.json")
    }


@pytest.mark.verify
def test_the_same_command_completes_after_a_kill(smoke_results: Path, tmp_path: Path) -> None:
    project = copy_working_tree(tmp_path / "a project")
    commit_everything(project)
    running = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *COMMAND],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    training = project / "results/smoke/logs/train"
    deadline = time.monotonic() + 300
    while not (training.is_dir() and any(training.iterdir())):
        assert time.monotonic() < deadline, "training did not start"
        assert running.poll() is None, "Snakemake ended before training started"
        time.sleep(0.5)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()

    done = snakemake(project, *COMMAND, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:]
    assert contents(project) == contents(smoke_results)
