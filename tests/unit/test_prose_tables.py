"""PROSE's Tables 1, 2 and 4: the cells, the best of each column, what was not run, the paper's own values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from synthetic_evidence import STATISTICS, question_rows, write_base, write_run

from workflow_scripts import analyse, render
from workflow_scripts.artefacts.set_table_text import marked
from workflow_scripts.report_page import markdown as to_html
from workflow_scripts.settings.evidence import Analyse, ArtefactEntry, Evidence, NotRun, Render
from workflow_scripts.summary import table_text

NUMBERS = Path(__file__).parents[2] / "config" / "paper_numbers.csv"
ROLES = ("medqa_5op", "medmcqa", "ddxplus", "medqa_4op")
POLICIES = {
    "prose_table1": ("main_policy", "second_policy"),
    "prose_table2": ("main_policy", "second_policy"),
    "prose_table4": ("small_policy_1", "small_policy_2"),
}
RIGHT = {
    "main_policy": {"base": [2, 1], "ttrl": [3, 2], "prose": [4, 3]},
    "small_policy_1": {"base": [2, 1], "ttrl": [3, 2], "prose": [4, 3]},
}
"""Right answers of four samples to two questions; of every other policy as of the main one, TTRL and PROSE swapped."""


def right(policy: str, method: str) -> list[int]:
    swapped = {"ttrl": "prose", "prose": "ttrl"}.get(method, method)
    return RIGHT[policy][method] if policy in RIGHT else RIGHT["main_policy"][swapped]


def gathered(
    folder: Path, artefact: str, roles: Sequence[str] = ROLES, *, scored: bool = True, only: str | None = None
) -> Evidence:
    """All four sets alike; best-of-N is right on the first question, SC+RM on none."""
    found = Evidence(base=[], runs=[], not_run=[])
    for policy in POLICIES[artefact]:
        for questions in ROLES:
            if questions not in roles or only not in (None, policy):
                found.not_run.extend(
                    NotRun(policy_role=policy, questions_role=questions, method=method, reason="no role")
                    for method in (None, "ttrl", "prose")
                )
                continue
            rows = question_rows(right(policy, "base"), 4)
            rows = rows.assign(bon_correct=[True, False], sc_rm_correct=False) if scored else rows
            found.base.append(write_base(folder, rows, policy, questions, step_auc=0.9 if scored else None))
            for method in ("ttrl", "prose"):
                end = question_rows(right(policy, method), 4)
                found.runs.append(
                    write_run(folder, method, 0, {0: rows, 10: end}, policy=policy, questions=questions)
                )
    return found


def rendered(folder: Path, artefact: str, found: Evidence) -> tuple[str, pd.DataFrame]:
    entry = ArtefactEntry(
        kind="table",
        title="T",
        caption="C.",
        policies=list(POLICIES[artefact]),
        question_sets=list(ROLES),
        methods=["ttrl", "prose"],
        budget_minutes=1.0,
    )
    config = Render(
        artefact=artefact,
        entry=entry,
        scale="tiny",
        method_labels={"ttrl": "TTRL", "prose": "PROSE"},
        policy_labels={role: f"tiny_{role}" for role in POLICIES[artefact]},
        question_set_labels={role: f"tiny_{role}" for role in {run.questions_role for run in found.runs}},
        confidence=0.95,
        evaluation_temperature=0.6,
        training_temperature=1.0,
    )
    table, out = folder / f"{artefact}.csv", folder / "out"
    gathering = Analyse(artefact=artefact, evidence=found, statistics=STATISTICS)
    analyse.main(["--config", gathering.model_dump_json(), "--out", str(table)])
    arguments = ["--config", config.model_dump_json(), "--analysis", str(table)]
    render.main([*arguments, "--paper-numbers", str(NUMBERS), "--out-dir", str(out)])
    return (out / f"{artefact}.md").read_text(encoding="utf-8"), pd.read_csv(out / f"{artefact}.csv")


def lines_of(text: str, *starts: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| " + " | ".join(starts))]


def test_the_best_is_bold_and_the_second_best_underlined_at_the_printed_precision() -> None:
    column = pd.Series([0.7004, 0.7001, 0.6, None])
    assert marked(0.7001, column, second=True) == "**0.700**"
    assert marked(0.6, column, second=True) == "<u>0.600</u>"
    assert marked(0.6, column) == "0.600"
    assert marked(None, column) == "–"


def test_a_single_value_is_not_the_best_of_anything() -> None:
    assert marked(0.7, pd.Series([0.7, None]), second=True) == "0.700"


# ------------------------------------------------------------------ Table 1


def test_table_1_ranks_our_policies_together(tmp_path: Path) -> None:
    text, _ = rendered(tmp_path, "prose_table1", gathered(tmp_path, "prose_table1"))
    # Main policy: (4 + 3) / 8 with PROSE, (3 + 2) / 8 with TTRL; the second policy has them swapped.
    best, second = "**0.875** [0.75, 1.00]", "<u>0.625</u> [0.50, 0.75]"
    assert lines_of(text, "tiny_main_policy", "PROSE")[0].count(best) == 4
    assert lines_of(text, "tiny_main_policy", "TTRL")[0].count(second) == 4
    assert lines_of(text, "tiny_second_policy", "TTRL")[0].count(best) == 4
    assert lines_of(text, "tiny_second_policy", "base")[0].count(" 0.375 ") == 5
    # The average of four sets is 0.75 + b / 32, b of 8 draws from 1/2 each: P(b < 1) < 2.5 % < P(b < 2), so b = 1.
    average = lines_of(text, "tiny_main_policy", "PROSE")[0].split(" | ")[-1]
    assert average == "**0.875** [0.78, 0.97] |"


def test_table_1_prints_the_papers_eighteen_systems_with_its_own_ranking(tmp_path: Path) -> None:
    text, cells = rendered(tmp_path, "prose_table1", gathered(tmp_path, "prose_table1"))
    published = text.split("| category in the paper |")[1].split("\n\n")[0].splitlines()
    assert len(published) == 2 + 18  # head and rule
    # prose.txt, Table 1: 32B models and models of unknown size are printed, but do not compete.
    assert "| Gemini Flash 2.0 | – | not run | 0.852 | 0.726 | 0.750 | 0.875 | 0.801 |" in text
    assert "| m1-7B | 7B | not run | <u>0.681</u> | 0.568 | 0.662 | <u>0.721</u> | 0.658 |" in text
    assert "| HuatuoGPT-o1 | 8B | not run | 0.666 | <u>0.619</u> | 0.660 | 0.714 | 0.665 |" in text
    assert "| TTRL | 8B | above | 0.672 | 0.573 | <u>0.761</u> | 0.676 | <u>0.671</u> |" in text
    assert "| Ours (PROSE) | 8B | above | **0.724** | **0.623** | **0.858** | **0.756** | **0.740** |" in text
    assert "| Llama3.1 | 8B | above | 0.636 |" in text
    absent = cells[cells["policy_role"] == "paper"]
    assert set(absent["status"]) == {"not run"}
    assert len(absent) == 15 * 5
    assert absent["paper_value"].notna().all()


def test_table_1_csv_has_the_papers_value_beside_ours(tmp_path: Path) -> None:
    _, cells = rendered(tmp_path, "prose_table1", gathered(tmp_path, "prose_table1"))
    ours = cells.set_index(["policy_role", "method", "questions_role"])
    cell = ours.loc[("main_policy", "prose", "ddxplus")]
    assert cell[["value", "paper_value", "paper_place"]].tolist() == [0.875, 0.858, "Table 1"]
    assert ours.loc[("main_policy", "prose", "average"), "paper_value"] == 0.740
    assert pd.isna(ours.loc[("second_policy", "prose", "ddxplus"), "paper_value"])


def test_sets_and_policies_that_a_scale_lacks_are_not_run_and_have_no_average(tmp_path: Path) -> None:
    found = gathered(tmp_path, "prose_table1", ["medqa_5op", "ddxplus"], only="main_policy")
    text, _ = rendered(tmp_path, "prose_table1", found)
    row = lines_of(text, "tiny_main_policy", "PROSE")[0]
    assert row.endswith("| **0.875** [0.75, 1.00] | not run | **0.875** [0.75, 1.00] | not run | not run |")
    assert lines_of(text, "tiny_second_policy", "PROSE")[0].count("not run") == 5


# ------------------------------------------------------------------ Tables 2 and 4


@pytest.mark.parametrize("artefact", ["prose_table2", "prose_table4"])
def test_each_policy_has_a_block_with_its_own_best(artefact: str, tmp_path: Path) -> None:
    text, _ = rendered(tmp_path, artefact, gathered(tmp_path, artefact))
    first, second = text.split("## ")[1:]
    # More than half of four right: both questions with 4 and 3, one of them with 3 and 2.
    assert lines_of(first, "PROSE (maj@4)")[0].count("**1.000** [1.00, 1.00]") == 5
    assert lines_of(first, "TTRL (maj@4)")[0].count(" 0.500 ") == 5
    assert lines_of(first, "PRM (BoN@4)")[0].count(" 0.500 ") == 5
    assert lines_of(first, "PRM (SC+RM@4)")[0].count(" 0.000 [0.00, 0.00]") == 5
    assert lines_of(second, "TTRL (maj@4)")[0].count("**1.000** [1.00, 1.00]") == 5


def test_the_papers_block_is_marked_on_its_own(tmp_path: Path) -> None:
    text, cells = rendered(tmp_path, "prose_table2", gathered(tmp_path, "prose_table2"))
    assert "## tiny_second_policy, standing for Qwen3-8B" in text
    # prose.txt, Table 2: the one cell that PROSE does not win.
    qwen = text.split("## ")[2]
    assert "| PRM (BoN@16) | 0.690 | 0.590 | 0.810 | **0.770** | 0.715 |" in qwen
    assert "| PROSE (maj@16) | **0.754** | **0.645** | **0.907** | 0.760 | **0.767** |" in qwen
    assert cells["paper_value"].notna().all()


def test_without_step_scores_nothing_is_selected(tmp_path: Path) -> None:
    text, _ = rendered(tmp_path, "prose_table4", gathered(tmp_path, "prose_table4", scored=False))
    assert lines_of(text, "PRM (BoN@k)")[0].count("not run") == 5
    assert lines_of(text, "PRM (BoN@16)")[0].startswith("| PRM (BoN@16) | 0.680 |")


def test_a_table_of_which_nothing_ran_is_still_printed(tmp_path: Path) -> None:
    text, _ = rendered(tmp_path, "prose_table2", gathered(tmp_path, "prose_table2", []))
    assert text.splitlines()[-1].startswith("Nothing was run at scale tiny.")


@pytest.mark.parametrize("artefact", sorted(POLICIES))
def test_the_foot_says_what_the_values_rest_on(artefact: str, tmp_path: Path) -> None:
    text, _ = rendered(tmp_path, artefact, gathered(tmp_path, artefact))
    foot = text.splitlines()[-1]
    for part in (
        "1 training seed;",
        "n = 2 questions a set, k = 4 samples each at T = 0.6",
        "95 % interval",
        "tiny_ddxplus for DDXPlus",
        "compare the order, not the level",
    ):
        assert part in foot


def test_the_summary_and_the_report_page_show_all_blocks(tmp_path: Path) -> None:
    text, _ = rendered(tmp_path, "prose_table1", gathered(tmp_path, "prose_table1"))
    shown = table_text(tmp_path / "out" / "prose_table1.md")
    assert "<u>" not in shown
    assert "0.858 *" in shown
    assert "tiny_main_policy" in shown
    assert "<u>0.681</u>" in to_html(text)
    assert to_html(text).count("<table>") == 2
