"""Values of LaTeX answers from worker processes, each answer within a limit of time and memory that holds.

math-verify's own time limit is an alarm signal, which works in the main thread only and not inside compiled code. A
worker that exceeds its limit dies; its answer has no value and the next one gets a new worker.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import LifoQueue

log = logging.getLogger(__name__)

SECONDS = 5
"""Processor time that one answer may take."""
PATIENCE = 12
"""Times SECONDS: how long a busy machine may take over that, by the clock."""
MEGABYTES = 2048

_ROOT = Path(__file__).resolve().parents[2]


class _Worker:
    """One process; it is started when the first answer comes and again after it died."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def value(self, latex: str) -> str | None:
        """Return the value's text; None if it has none or exceeded a limit."""
        process = self.process if self.process and self.process.poll() is None else self._start()
        assert process.stdin and process.stdout
        clock = threading.Timer(SECONDS * PATIENCE, process.kill)
        clock.start()
        try:
            process.stdin.write(json.dumps(latex) + "\n")
            process.stdin.flush()
            reply = process.stdout.readline()
        except OSError:
            reply = ""
        finally:
            clock.cancel()
        if not reply.endswith("\n"):
            self.stop()
            log.warning(
                "an answer has no value: its worker exceeded %d s or %d MB: %.60r", SECONDS, MEGABYTES, latex
            )
            return None
        value: str | None = json.loads(reply)
        return value

    def _start(self) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workflow_scripts.answers.worker", str(SECONDS), str(MEGABYTES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=environment,
        )
        assert self.process.stdout
        if self.process.stdout.readline() != "ready\n":
            self.stop()
            raise RuntimeError("a worker for LaTeX answers does not start: is math-verify installed?")
        return self.process

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe:
                    pipe.close()
            self.process = None


class _Pool:
    """As many workers as the job has threads; safe to call from any thread."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._free: LifoQueue[_Worker] = LifoQueue()
        for _ in range(size):
            self._free.put(_Worker())

    def values(self, latex: Sequence[str]) -> list[str | None]:
        if self.size == 1 or len(latex) == 1:
            return [self._value(text) for text in latex]
        with ThreadPoolExecutor(min(self.size, len(latex))) as threads:
            return list(threads.map(self._value, latex))

    def _value(self, latex: str) -> str | None:
        worker = self._free.get()
        try:
            return worker.value(latex)
        finally:
            self._free.put(worker)

    def stop(self) -> None:
        while not self._free.empty():
            self._free.get().stop()


_pool: _Pool | None = None
_lock = threading.Lock()


def values(latex: Sequence[str]) -> list[str | None]:
    """Return the normal form of each LaTeX answer, in order; None for one without a value."""
    global _pool
    if not latex:
        return []
    with _lock:
        if _pool is None:
            _pool = _Pool(int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1))
            atexit.register(_pool.stop)
    return _pool.values(latex)
