"""What people write in YAML is shown as it stands: in figures, in markdown, and on the report's pages."""

from __future__ import annotations

import html
import re
import warnings
from pathlib import Path

import pandas as pd
import pytest
from docutils.core import publish_parts
from markdown_it import MarkdownIt
from matplotlib.figure import Figure
from matplotlib.text import Text
from synthetic_evidence import POLICY, QUESTIONS

from workflow_scripts.analysis.claims import CheckedClaim, CheckedPart
from workflow_scripts.analysis.collect import COLUMNS
from workflow_scripts.artefacts import prose_selection, set_table, set_table_text
from workflow_scripts.artefacts.ledger import ledger_markdown, ledger_rows
from workflow_scripts.artefacts.literal import in_markdown, in_rst, legend_label, one_line, out_of_markdown
from workflow_scripts.artefacts.method_table import MethodTable, TableRow, markdown, tabulate
from workflow_scripts.artefacts.readings import reading
from workflow_scripts.artefacts.registry import FIGURES
from workflow_scripts.artefacts.style import paper_style
from workflow_scripts.render import save_figure
from workflow_scripts.report_page import page
from workflow_scripts.settings.claims import Gain, Part
from workflow_scripts.settings.evidence import ArtefactEntry, ClaimSpec, Needs, Render
from workflow_scripts.settings.pages import ReportPage
from workflow_scripts.summary import table_text

HOSTILE = [
    "a | b || c",
    "ends in a backslash \\",
    "\\| \\\\ \\_",
    "# no heading #",
    "> no quotation",
    "- no list",
    "12. no list",
    "---",
    "`code` and ``more",
    "**bold** *it* _it_ __it__ ~~gone~~",
    "<b>bold</b> <script>alert(1)</script> <!-- gone",
    "[x](javascript:alert(1)) ![x](y)",
    "&amp; &#60; &lt;b&gt;",
    "costs $5 or $x^2$",
    "50 % of a_b, _x",
]
PLAIN = "PROSE's gain (avg@16), 25 % of clinic_5op: a - b & c < d? No; 5-step averages of Qwen3-8B, (b)-(e)!"
FIGURE_TEXTS = ["$x_", "_$\\frac{$ 5 %", "\\alpha^{"]

STRICT = {"halt_level": 2, "report_level": 2, "smartquotes": False}
"""A warning of docutils is an error."""

COMMONMARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])
"""An implementation that is not ours, with GitHub's tables and strike-through."""


def shown(rendered: str, *tags: str) -> str:
    """The text of an HTML page; there must be no other tags than `tags`, and those of our dollar and of a document."""
    found = set(re.findall(r"<!?(\w+|--)", rendered))
    assert found <= {*tags, "span", "doctype", "html", "head", "meta", "title", "style", "body"}
    return html.unescape(re.sub(r"<head>.*</head>|<[^>]*>|\n", "", rendered, flags=re.DOTALL))


# ------------------------------------------------------------------ the shared functions


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_in_a_text_is_shown_literally_by_markdown_and_by_the_report(text: str, tmp_path: Path) -> None:
    escaped = in_markdown(text)
    document = f"# {escaped}\n\n{escaped}\n\n| h | i |\n| --- | --- |\n| {escaped} | z |\n"
    expected = f"{text}{text}hi{text}z"
    tags = ("h1", "p", "table", "thead", "tbody", "tr", "th", "td")
    assert shown(COMMONMARK.render(document), *tags) == expected
    source = tmp_path / "page.md"
    source.write_text(document, encoding="utf-8")
    assert shown(page(ReportPage(page="p", title="T", text=None), source), *tags) == expected
    assert out_of_markdown(escaped) == text


@pytest.mark.parametrize("text", [*HOSTILE, "|substituted| reference_ `role`_ *it*"])
def test_markup_in_a_caption_is_shown_literally_by_the_report_of_snakemake(text: str) -> None:
    parts = publish_parts(f"**{in_rst('Title')}.** {in_rst(text)}", writer="html", settings_overrides=STRICT)
    expected = f"Title. {text}"
    assert " ".join(html.unescape(re.sub(r"<[^>]*>", "", parts["fragment"])).split()) == expected


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_in_a_table_is_shown_literally_by_the_summary(text: str, tmp_path: Path) -> None:
    escaped = in_markdown(text)
    path = tmp_path / "t.md"
    path.write_text(
        f"# {escaped}\n\n| h | i |\n| --- | --- |\n| {escaped} | **0.5** |\n\nFoot.\n", encoding="utf-8"
    )
    lines = table_text(path).splitlines()
    assert lines[0] == text
    assert f"{text}  0.5 *" in lines


def test_text_without_markup_stays_the_same_in_markdown() -> None:
    assert in_markdown(PLAIN.replace("<", "to")) == PLAIN.replace("<", "to")


def test_line_breaks_of_every_kind_become_a_space() -> None:
    assert one_line(" a\n\nb\r\nc\td\x0be\x1cf\x85g\u2028h\u2029i ") == "a b c d e f g h i"
    assert one_line("a\u00a0b") == "a\u00a0b"


@pytest.mark.parametrize(
    "code", [0, 7, 0x1B, 0x7F, 0x9B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2066, 0x2069]
)
def test_control_characters_and_marks_of_direction_are_dropped(code: int) -> None:
    assert one_line(f"a{chr(code)}b") == "ab"
    assert in_markdown(f"a{chr(code)}b") == "ab"


def test_letters_of_any_script_and_emoji_stay() -> None:
    text = "医学 العربية é 🤖 👩\u200d⚕️"
    assert one_line(text) == in_markdown(text) == text


# ------------------------------------------------------------------ figures


def config(label: str, artefact: str = "prose_fig1") -> Render:
    entry = ArtefactEntry(
        kind="table" if "table" in artefact else "figure",
        title=label,
        caption=label,
        policies=[POLICY],
        question_sets=[QUESTIONS],
        methods=["ttrl"],
        budget_minutes=1,
        transfer=["unseen"] if artefact == "prose_fig4" else [],
    )
    return Render(
        artefact=artefact,
        entry=entry,
        scale="tiny",
        method_labels={"ttrl": label},
        policy_labels={POLICY: label},
        question_set_labels={QUESTIONS: label, "unseen": label},
        confidence=0.95,
        evaluation_temperature=0.6,
        training_temperature=1.0,
    )


def tidy() -> pd.DataFrame:
    """A method's accuracy, after the base's."""
    rows = [
        {
            "artefact": "a",
            "policy_role": POLICY,
            "questions_role": QUESTIONS,
            "method": method,
            "seed": seed,
            "metric": metric,
            "step": step,
            "value": 0.5,
            "sd": 0.0,
            "low": 0.4,
            "high": 0.6,
            "n": 2,
            "k": 4,
            "n_seeds": 1,
        }
        for method, seed, step in (("base", None, 0), ("ttrl", "mean", 0), ("ttrl", "mean", 10))
        for metric in ("avg@k", "maj@k")
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.astype({"seed": "string", "adapted_on": "string"})


def texts(figure: Figure) -> list[str]:
    found = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    assert not any("$" in text.get_text() and text.get_parse_math() for text in found)
    return [text.get_text() for text in found]


@pytest.mark.parametrize("label", FIGURE_TEXTS)
@pytest.mark.parametrize("artefact", ["prose_fig1", "prose_fig4"])
def test_a_label_is_drawn_literally_and_stands_in_the_legend(label: str, artefact: str) -> None:
    with paper_style():
        figure, _ = FIGURES[artefact].draw(tidy(), config(label, artefact))
        figure.canvas.draw()
        (legend,) = figure.legends
        assert legend_label(label) in [text.get_text() for text in legend.get_texts()]
        assert any(label in text and "scale tiny" in text for text in texts(figure))


@pytest.mark.parametrize("label", FIGURE_TEXTS)
def test_in_the_drawing_formulas_are_formulas_and_names_are_not(label: str) -> None:
    with paper_style():
        figure, _ = FIGURES["prose_fig3"].draw(pd.DataFrame(), config(label, "prose_fig3"))
        figure.canvas.draw()
    found = [text for text in figure.axes[0].texts if "$" in text.get_text()]
    assert len(found) > 10
    assert all(text.get_parse_math() for text in found)
    (policy,) = (text.get_text() for text in found if r"\pi_\theta" in text.get_text())
    formula, *name = policy.split("\n")
    assert formula == r"$\pi_\theta$"
    assert " ".join(name).replace(r"\$", "$").split() == label.replace("_", " ").split()
    # An unescaped dollar in the name would open a formula.
    assert not re.search(r"(?<!\\)\$", "".join(name))


@pytest.mark.parametrize("label", ["医学 🤖", "a\x00b\x1b[31m\u202ec\nd"])
def test_a_character_that_the_font_lacks_does_not_fail(label: str, tmp_path: Path) -> None:
    with paper_style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        figure, _ = FIGURES["prose_fig1"].draw(tidy(), config(label))
        save_figure(figure, config(label), tmp_path / "f.pdf", tmp_path / "f.png")
    assert one_line(label) in texts(figure)


def test_the_sentence_of_a_figure_holds_no_control_character() -> None:
    text = reading("prose_fig1", tidy(), {"ttrl": "TT\x1b[31m\nRL\u202e"})
    assert "with TT[31m RL" in text
    assert "\x1b" not in text and "\u202e" not in text


# ------------------------------------------------------------------ tables and the ledger

HARD = "a | **b** <b>\n\n# $x$ `c` \u202e"
HARD_LINE = "a | **b** <b> # $x$ `c`"


def table_cells(text: str) -> list[list[str]]:
    """The rows of all tables, as a markdown of others reads them."""
    rendered = COMMONMARK.render(text)
    rows = re.findall(r"<tr>(.*?)</tr>", rendered, flags=re.DOTALL)
    return [
        [
            html.unescape(re.sub(r"</?span>", "", cell))
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)
        ]
        for row in rows
    ]


def test_a_method_table_shows_title_caption_and_labels_literally() -> None:
    layout = MethodTable(rows=(TableRow("base", HARD), TableRow("ttrl", "TTRL")), metrics=("avg@k",))
    render = config(HARD, "prose_table3")
    text = markdown(layout, tabulate(layout, tidy(), render, []), render)
    title, caption, *_, foot = text.strip().split("\n\n")
    assert title == f"# {in_markdown(HARD)}" and caption == in_markdown(HARD)
    assert f"Ours: {in_markdown(HARD)} on {in_markdown(HARD)}, scale tiny" in foot
    rows = table_cells(text)
    assert [len(row) for row in rows] == [2, 2, 2]
    assert rows[1][0] == HARD_LINE


def test_a_table_of_question_sets_shows_title_caption_and_labels_literally() -> None:
    render, layout = config(HARD, "prose_table2"), prose_selection.TABLE_2
    text = set_table_text.markdown(layout, set_table.tabulate(layout, tidy(), render, []), render)
    title, caption, heading, *_ = text.split("\n\n")
    assert title == f"# {in_markdown(HARD)}" and caption == in_markdown(HARD)
    assert heading.startswith(f"## {in_markdown(HARD)}, standing for ")
    rows = table_cells(text)
    assert {len(row) for row in rows} == {3}
    assert rows[0] == ["here", HARD_LINE, "Avg."]


def test_the_ledger_shows_statement_place_and_part_literally(tmp_path: Path) -> None:
    part = Part(
        says=HARD,
        quantity=Gain(kind="gain", metric="avg@k", method="ttrl"),
        test="lower_above",
        threshold=0.0,
    )
    claim = ClaimSpec(
        paper="prose",
        place=HARD,
        statement=HARD,
        needs=Needs(policies=[POLICY], question_sets=[QUESTIONS], methods=["ttrl"]),
        parts=[part],
    )
    checked = [
        CheckedClaim(
            "claim_x", claim, [CheckedPart(part, (POLICY,), (QUESTIONS,), None, "not run", HARD)], "not run"
        )
    ]
    text = ledger_markdown(checked, ledger_rows(checked, []), "tiny", 0.95)
    _, statement, _, of_part = table_cells(text)
    assert statement == ["claim_x", f"prose, {HARD_LINE}", HARD_LINE, "<strong>not run</strong>"]
    assert len(of_part) == 9
    assert of_part[1] == f"{HARD_LINE} ({QUESTIONS}; {POLICY})"
    assert of_part[-1] == f"not run: {HARD_LINE}"
    source = tmp_path / "ledger.md"
    source.write_text(text, encoding="utf-8")
    assert f"<td>{html.escape(HARD_LINE)}</td>" in re.sub(
        r"&#(\d+);",
        lambda found: html.escape(chr(int(found[1]))),
        page(ReportPage(page="p", title="T", text=None), source),
    )
