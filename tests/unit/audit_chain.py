"""A small chain to audit: questions and policy -> run -> samples -> evaluation -> analysis -> figure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from workflow_scripts import audit
from workflow_scripts.provenance import record as record_module
from workflow_scripts.provenance.code import GitState
from workflow_scripts.provenance.document import Code
from workflow_scripts.provenance.record import start_record

S, F = Path("results/mini"), Path("figures/mini")
QUESTIONS = S / "questions/clinic.11111111/questions.parquet"
POLICY = S / "models/tiny.22222222/manifest.json"
RUN = S / "runs/tiny.clinic.prose.s0.33333333"
SAMPLES = S / "samples/tiny.clinic.prose.s0.33333333/clinic.44444444/rollouts.parquet"
EVALUATION = S / "evaluations/tiny.clinic.prose.s0.33333333/clinic.44444444/metrics.json"
ANALYSIS = S / "analysis/prose_fig1.csv"
FIGURE = F / "prose_fig1.pdf"
COMMIT = "9d31e0a" + "0" * 33
REVISION = "4f1c2d9" + "0" * 33


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def job(
    step: str,
    inputs: dict[str, Path],
    outputs: dict[str, Path],
    notes: dict[str, Any] | None = None,
    **config: Any,
) -> None:
    started = start_record(step, {"name": step, **config}, inputs)
    for name, path in outputs.items():
        if path.suffix:
            write(path, f"{step} {name}")
    started.finish(outputs, kind=step, notes=notes)


def make_questions(**config: Any) -> None:
    source = {"source": {"kind": "hub", "id": "org/clinic", "revision": REVISION}}
    job("prepare_questions", {}, {"questions": QUESTIONS}, question_set=source, **config)


def make_run() -> None:
    write(RUN / "final/model.safetensors", "weights")
    write(RUN / "final/config.json", "{}")
    job(
        "train",
        {"questions": QUESTIONS, "policy": POLICY},
        {"manifest": RUN / "manifest.json", "metrics": RUN / "metrics.jsonl", "weights": RUN / "final"},
        seed=0,
    )


def make_samples() -> None:
    inputs = {"policy": RUN / "manifest.json", "questions": QUESTIONS}
    job("sample", inputs, {"rollouts": SAMPLES})


def make_figure() -> None:
    outputs = {suffix: FIGURE.with_suffix(f".{suffix}") for suffix in ("pdf", "png", "csv")}
    job("render", {"analysis": ANALYSIS}, outputs)


def make_chain() -> None:
    make_questions()
    job(
        "pretrain_policy",
        {},
        {"manifest": POLICY},
        policy={"source": {"kind": "pretrained", "world": "clinic"}},
    )
    make_run()
    make_samples()
    job("evaluate", {"samples": SAMPLES, "questions": QUESTIONS}, {"metrics": EVALUATION})
    job("analyse", {"metrics": RUN / "metrics.jsonl", "evaluation": EVALUATION}, {"table": ANALYSIS})
    make_figure()
    job(
        "render",
        {"analysis": ANALYSIS},
        {"csv": S / "tables/prose_table3.csv", "md": S / "tables/prose_table3.md"},
    )


def set_code(monkeypatch: pytest.MonkeyPatch, dirty: bool | None) -> None:
    commit = None if dirty is None else COMMIT
    code = Code(commit=commit, dirty=dirty, diff_sha256=None, command=["python"], sources={})
    monkeypatch.setattr(record_module, "code_state", lambda: code)
    monkeypatch.setattr(record_module, "git_state", lambda: GitState(commit, dirty, None))


def run_audit(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        audit.main([str(argument) for argument in arguments])
    return int(stopped.value.code or 0), capsys.readouterr().out


def flip_byte(path: Path, keep_time: bool = True) -> None:
    """Change one bit of the first byte; size and, if asked, time stay."""
    times = path.stat()
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(bytes(content))
    if keep_time:
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
