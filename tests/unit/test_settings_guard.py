"""Two Snakemakes never work in one results folder, and a killed one blocks nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from workflow_scripts.settings.guard import LOCK, is_held

ROOT = Path(__file__).resolve().parents[2]
CLAIM = "import sys; from workflow_scripts.settings.guard import hold; hold(sys.argv[1]); print('held', flush=True); {}"


def start(folder: Path, then: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM.format(then), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_held_folder_is_refused_with_the_owner_and_free_again_after_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    assert not is_held(folder)
    first = start(folder, "import time; time.sleep(60)")
    assert first.stdout is not None
    assert first.stdout.readline() == "held\n"
    assert is_held(folder)

    second = start(folder, "pass")
    _, errors = second.communicate(timeout=30)
    assert second.returncode == 2
    assert f"another Snakemake (process {first.pid}) works here" in errors

    first.kill()
    first.communicate(timeout=30)
    assert (folder / LOCK).exists()
    assert not is_held(folder)
    third = start(folder, "pass")
    out, _ = third.communicate(timeout=30)
    assert (third.returncode, out) == (0, "held\n")
