"""A page of the report stands alone and shows text as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.report_page import page
from workflow_scripts.settings.pages import ReportPage


def config(text: str | None = None) -> ReportPage:
    return ReportPage(page="claims", title="Claims & verdicts", text=text)


def test_a_table_keeps_commas_and_escapes_marks(tmp_path: Path) -> None:
    source = tmp_path / "ledger.csv"
    source.write_text('claim,verdict\n"a < b, c",holds\n', encoding="utf-8")
    text = page(config(), source)
    assert "<th>claim</th><th>verdict</th>" in text
    assert "<td>a &lt; b, c</td><td>holds</td>" in text
    assert "Claims &amp; verdicts" in text
    assert "http" not in text


def test_the_software_page_sets_installed_beside_locked(tmp_path: Path) -> None:
    lock = tmp_path / "cpu.lock"
    lock.write_text("# why\npytest==0.0.1\nno-such-package==2.0\n", encoding="utf-8")
    text = page(config(), lock)
    assert f"<td>pytest</td><td>0.0.1</td><td>{pytest.__version__}</td>" in text
    assert "<td>no-such-package</td><td>2.0</td><td>not installed</td>" in text


def test_a_text_is_shown_as_it_is() -> None:
    assert "<pre>a: &lt;1&gt;\n</pre>" in page(config("a: <1>\n"), None)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.csv"):
        page(config(), tmp_path / "gone.csv")


def test_markdown_becomes_headings_tables_and_marks(tmp_path: Path) -> None:
    source = tmp_path / "ledger.md"
    source.write_text(
        "# Claims at `mini`\n\nTwo\nlines & more.\n\n| claim | ours |\n| --- | ---: |\n| one | **0.5** |\n",
        encoding="utf-8",
    )
    text = page(config(), source)
    assert "<h1>Claims at <code>mini</code></h1><p>Two lines &amp; more.</p>" in text
    assert "<th>claim</th><th>ours</th>" in text and "<td>one</td><td><b>0.5</b></td>" in text
    assert "---" not in text


def test_lists_in_a_csv_are_broken_into_lines_and_digests_are_short(tmp_path: Path) -> None:
    source = tmp_path / "figures.csv"
    source.write_text(f'figure,checkpoints\nfig,"run {"ab" * 32}; base {"c" * 64}"\n', encoding="utf-8")
    assert "<td>run abababababab<br>base cccccccccccc</td>" in page(config(), source)


def test_a_csv_is_data_and_nothing_in_it_is_a_mark(tmp_path: Path) -> None:
    source = tmp_path / "figures.csv"
    source.write_text('a,b\n**x** `y`,"<u>1</u>\u202e\x00\u2028\\|"\n', encoding="utf-8")
    text = page(config(), source)
    assert "<td>**x** `y`</td><td>&lt;u&gt;1&lt;/u&gt; \\|</td>" in text
