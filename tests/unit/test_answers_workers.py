"""Worker processes for LaTeX: limits that hold, crashes survived, threads served."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workflow_scripts.answers import workers

ROOT = Path(__file__).parents[2]
ENDLESS = r"\sum_{k=1}^{10^{12}}\frac{1}{k^2+\sin k}"
HUGE = r"\binom{10^{9}}{5\cdot10^{8}}"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SECONDS", 1)
    monkeypatch.setattr(workers, "_pool", workers._Pool(2))


@pytest.mark.slow
@pytest.mark.parametrize("text", [ENDLESS, HUGE, "9^{9^{9^{9^{9^{9^{9^{9^{9}}}}}}}}"])
def test_an_answer_that_takes_too_long_has_no_value_and_the_next_one_is_served(
    impatient: None, text: str
) -> None:
    started = time.monotonic()
    assert workers.values([text, "x+1"])[0] is None
    assert workers.values([r"\sqrt{16}"]) == ["4"]
    assert time.monotonic() - started < 60  # far below the time that the answer itself would take


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced(impatient: None) -> None:
    assert workers.values(["2+3"]) == ["5"]
    pool = workers._pool
    assert pool is not None
    worker = pool._free.get()
    assert worker.process is not None
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.wait()
    pool._free.put(worker)
    assert workers.values(["2+4"]) == ["6"]


@pytest.mark.slow
def test_threads_share_the_workers_and_each_gets_its_own_answers(impatient: None) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda n: workers.values([f"{n}+{n}", rf"\sqrt{{{n * n}}}"]), range(1, 33)))
    assert found == [[str(2 * n), str(n)] for n in range(1, 33)]


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them() -> None:
    code = (
        "from workflow_scripts.answers import workers\n"
        "workers.values(['2+3'])\n"
        "print(workers._pool._free.get().process.pid, flush=True)\n"
        "import time; time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() and not _alive(child):
            return
        time.sleep(0.1)
    pytest.fail("the worker outlived its parent")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
