"""What `make run` prints at its end."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from workflow_scripts.summary import sentence, table_text, verdicts


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
