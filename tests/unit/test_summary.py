"""What `make run` prints at its end."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from workflow_scripts.settings.load import load_scale_file
from workflow_scripts.summary import newer_ledger, sentence, summary, table_text, verdicts

ROOT = Path(__file__).resolve().parents[2]


def test_table_is_aligned_and_keeps_what_it_rests_on(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    path.write_text(
        "# T\n\nText.\n\n| method | avg@4 |\n| --- | ---: |\n| a long name | **0.5** [0.4, 0.6] |\n\nn = 3.\n"
    )
    assert table_text(path).splitlines() == [
        "T",
        "",
        "method       avg@4",
        "-" * 29,
        "a long name  0.5 * [0.4, 0.6]",
        "",
        "* best of its column. n = 3.",
    ]


def test_the_second_best_has_a_mark_of_its_own_and_the_foot_explains_both(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    rows = "| method | set |\n| --- | ---: |\n| a | **0.5** [0.4, 0.6] |\n| b | <u>0.4</u> |\n| c | 0.3 |\n"
    path.write_text(f"# T\n\n{rows}\nn = 3. Bold: best of a column, underlined: second best, ours apart.\n")
    assert table_text(path).splitlines()[4:] == [
        "a       0.5 * [0.4, 0.6]",
        "b       0.4 +",
        "c       0.3",
        "",
        "n = 3. *: best of a column, +: second best, ours apart.",
    ]


def ledger(results: Path, name: str, age: float) -> None:
    path = results / "claims" / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    row = {"claim": ["claim_01"], "statement": [f"Of {name}."], "claim_verdict": ["holds"]}
    pd.DataFrame(row).to_csv(path)
    now = path.stat().st_mtime
    os.utime(path, (now - age, now - age))


def test_the_ledger_written_last_is_the_one_to_tell_of(tmp_path: Path) -> None:
    assert newer_ledger(tmp_path) == "headline"
    ledger(tmp_path, "all", age=20)
    assert newer_ledger(tmp_path) == "all"
    ledger(tmp_path, "headline", age=10)
    assert newer_ledger(tmp_path) == "headline"
    ledger(tmp_path, "all", age=0)
    assert newer_ledger(tmp_path) == "all"


def test_after_everything_was_run_everything_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    configuration = load_scale_file(ROOT / "config/mini.yaml", ROOT)
    ledger(Path("results/mini"), "headline", age=10)
    assert "Of headline." in summary(configuration, [])
    assert "prose_fig4" not in summary(configuration, [])
    ledger(Path("results/mini"), "all", age=0)
    for names in ([], ["all"]):
        text = summary(configuration, names)
        assert "Of all." in text and "Of headline." not in text
        for artefact in ("prose_fig4", "prose_table2", "beyond_prm_quality"):
            assert artefact in text
    assert "Of headline." in summary(configuration, ["headline"])
    assert "prose_table2" not in summary(configuration, ["headline"])
    assert "prose_fig5" not in summary(configuration, ["prose_fig4"])


def test_verdicts_are_listed_by_claim_number(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.csv"
    pd.DataFrame(
        {
            "claim": ["claim_01", "claim_01", "claim_12"],
            "statement": ["First.", "First.", "Twelfth."],
            "claim_verdict": ["holds", "holds", "not run"],
        }
    ).to_csv(ledger)
    text = verdicts(ledger)
    assert "  holds:\n    1. First.\n  not run:\n    12. Twelfth." in text


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert "not there yet" in table_text(tmp_path / "t.md")
    assert "not there yet" in sentence("prose_fig1", tmp_path / "prose_fig1.csv", {})
    assert "not there yet" in verdicts(tmp_path / "ledger.csv")
