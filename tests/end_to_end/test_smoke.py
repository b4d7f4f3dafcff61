"""The whole DAG once, with models that have hardly learned: every step runs and every product is there."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import snakemake

SMOKE = ("--profile", "local", "--configfile", "config/smoke.yaml")

pytestmark = pytest.mark.slow


@contextmanager
def edited(path: Path, old: str, new: str) -> Iterator[None]:
    """Replace `old` by `new` in a file for the time of a test."""
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def would_run(project: Path) -> set[str]:
    done = snakemake(project, *SMOKE, "--dry-run", "headline")
    assert done.returncode == 0, done.stdout[-3000:]
    if "Nothing to be done" in done.stdout:
        return set()
    table = done.stdout.split("Job stats:")[-1].split("\n\n")[0]
    return set(re.findall(r"(?m)^(\w+) +\d+$", table)) - {"total", "headline"}


def test_figures_tables_and_ledger_are_there(smoke_results: Path) -> None:
    for name in ("prose_fig1", "prose_fig5"):
        folder = smoke_results / "figures/smoke"
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert len((folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()) > 1
    tables = smoke_results / "results/smoke/tables"
    assert (tables / "prose_table3.csv").stat().st_size
    assert "|" in (tables / "prose_table3.md").read_text(encoding="utf-8")
    ledger = json.loads((smoke_results / "results/smoke/claims/headline.json").read_text(encoding="utf-8"))
    assert ledger


def test_a_second_run_has_nothing_to_do(smoke_results: Path) -> None:
    assert would_run(smoke_results) == set()


def test_touching_sources_runs_nothing_and_editing_one_runs_its_stage(smoke_results: Path) -> None:
    for path in (smoke_results / "workflow_scripts").rglob("*.py"):
        path.touch()
    assert would_run(smoke_results) == set()
    with edited(smoke_results / "workflow_scripts/render.py", "\nimport ", "\n# changed\nimport "):
        found = would_run(smoke_results)
    assert {"render_figure", "render_table"} <= found
    assert not found & {"train", "sample", "evaluate", "analyse"}


def test_a_new_label_prints_again_and_does_not_train_again(smoke_results: Path) -> None:
    with edited(smoke_results / "config/methods.yaml", "label: TTRL", "label: Majority vote"):
        found = would_run(smoke_results)
    assert {"render_figure", "render_table"} <= found
    assert not found & {"train", "sample", "evaluate", "analyse"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("micro_batch: 8", "micro_batch: 4"),
        ("max_rows: 512", "max_rows: 64"),
        ("licence: generated here", "licence: made here"),
        ("parameters: 0.2M", "parameters: 200k"),
        ("min_agreement: 0.0", "min_agreement: 0.1"),
        ("held_out_responses: 100", "held_out_responses: 50"),
    ],
)
def test_what_changes_no_number_runs_nothing_again(smoke_results: Path, old: str, new: str) -> None:
    with edited(smoke_results / "config/smoke.yaml", old, new):
        assert would_run(smoke_results) == {"report_page"}  # it shows the configuration


def test_a_learning_rate_is_another_run(smoke_results: Path) -> None:
    with edited(smoke_results / "config/smoke.yaml", "learning_rate: 1.0e-4", "learning_rate: 2.0e-4"):
        assert "train" in would_run(smoke_results)


def test_every_product_has_its_record_log_and_benchmark(smoke_results: Path) -> None:
    results = smoke_results / "results/smoke"
    for manifest in results.glob("*/*/manifest.json"):
        assert Path(f"{manifest}.prov.json").is_file()
    trained = {path.stem for path in (results / "logs/train").iterdir()}
    assert trained == {path.stem for path in (results / "benchmarks/train").iterdir()}
    assert trained == {path.name for path in (results / "runs").iterdir()}
    benchmark = next((results / "benchmarks/train").iterdir()).read_text(encoding="utf-8")
    assert {"s", "max_rss", "resources", "threads"} <= set(json.loads(benchmark.splitlines()[0]))


def test_the_audit_finds_every_figure_whole(smoke_results: Path) -> None:
    with open(smoke_results / "results/smoke/audit/figures.csv", encoding="utf-8", newline="") as file:
        rows = {row["artefact"]: row["state"] for row in csv.DictReader(file)}
    assert set(rows) >= {"prose_fig1", "prose_fig5", "prose_table3"}
    assert set(rows.values()) == {"ok"}
    done = subprocess.run(
        [sys.executable, "-m", "workflow_scripts.audit", "figures/smoke/prose_fig1.pdf"],
        cwd=smoke_results,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_report_is_one_file_that_needs_no_other(smoke_results: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = snakemake(smoke_results, *SMOKE, "--report", str(report), "headline")
    assert done.returncode == 0, done.stdout[-3000:]
    assert "WARNING/2" not in done.stdout
    text = report.read_text(encoding="utf-8")
    for category in ("Figures", "Tables", "Claims", "Audit", "Configuration", "Software"):
        assert category in text
    assert not re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css)', text)
