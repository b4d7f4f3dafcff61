"""What tests of the whole workflow share: a copy of the working tree, a clone of it, and one smoke run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# No test holds an absolute time: a busy machine is no failure.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

ROOT = Path(__file__).resolve().parents[1]


def snakemake(
    project: Path, *arguments: str, timeout: float = 300, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in `project` as a user would; its output is one text in `stdout`."""
    clean: dict[str, str] = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "SNAKEMAKE_PROFILE") and not name.startswith("REPRO_SLURM_")
    }
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=project,
        env={**clean, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )


def copy_working_tree(target: Path) -> Path:
    """Copy the files that git tracks or would track; links stay links."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, place = ROOT / name, target / name
        if source.is_symlink() or source.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place, follow_symlinks=False)
    return target


def commit_everything(project: Path) -> None:
    """Make `project` a repository with one commit."""
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--no-verify", "-m", "state under test"]):
        subprocess.run(["git", *identity, *command], cwd=project, check=True)


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh git clone of the working tree, in a folder with a space in its name."""
    base = tmp_path_factory.mktemp("repository")
    commit_everything(copy_working_tree(base / "origin"))
    subprocess.run(["git", "clone", "-q", "origin", "a clone"], cwd=base, check=True)
    return base / "a clone"


@pytest.fixture(scope="session")
def smoke_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which the whole smoke DAG has run: read its results, do not change them."""
    project = copy_working_tree(tmp_path_factory.mktemp("smoke") / "a project")
    commit_everything(project)
    done = snakemake(
        project,
        *("--profile", "local", "--configfile", "config/smoke.yaml", "--cores", "2", "--", "all", "headline"),
        timeout=900,
        PATH=os.defpath,  # as typed without activating the environment: jobs must find its Python by themselves
    )
    assert done.returncode == 0, done.stdout[-6000:]
    return project
