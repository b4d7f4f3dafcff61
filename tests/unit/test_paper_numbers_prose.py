"""PROSE's numbers in config/paper_numbers.csv: every cell is there, and what the paper's numbers say of each other."""

from __future__ import annotations

import re
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from workflow_scripts.artefacts.paper_numbers import (
    PublishedNumber,
    find_number,
    printed_name,
    read_paper_numbers,
    stands_for,
)

NUMBERS = [
    number
    for number in read_paper_numbers(Path(__file__).parents[2] / "config" / "paper_numbers.csv")
    if number.paper == "prose"
]
PRINTED = [number for number in NUMBERS if not number.note.startswith("worked out")]
SETS = ("MedQA-5op", "MedMCQA", "DDXPlus", "MedQA-4op")
TABLE_4 = ("Qwen3-4B", "Qwen3-1.7B")
TABLE_2 = ("Llama-3.1-8B", "Qwen3-8B")
ROWS = {
    "TTRL": "maj@16",
    "PRM (BON@16)": "bon@16",
    "PRM (SC+RM@16)": "sc_rm@16",
    "PROSE": "maj@16",
}


def cells(place: str) -> list[PublishedNumber]:
    """The printed numbers of one place, in the paper's order."""
    return [number for number in PRINTED if number.place == place]


def exact(place: str, row: str, question_set: str, policy: str = "Llama-3.1-8B") -> Decimal:
    """One cell as printed: three decimals."""
    (found,) = (
        number
        for number in cells(place)
        if (number.row, number.question_set, number.policy) == (row, question_set, policy)
    )
    return Decimal(f"{found.value:.3f}")


@pytest.mark.parametrize(
    ("place", "n_rows", "n_columns"),
    [("Table 1", 18, 5), ("Table 2", 8, 5), ("Table 3", 3, 2), ("Table 4", 8, 5)],
)
def test_every_cell_of_a_table_is_there_once(place: str, n_rows: int, n_columns: int) -> None:
    rows = Counter((number.row, number.policy) for number in cells(place))
    assert len(rows) == n_rows
    assert set(rows.values()) == {n_columns}


@pytest.mark.parametrize(("place", "policies"), [("Table 2", TABLE_2), ("Table 4", TABLE_4)])
def test_selection_tables_have_each_method_of_each_policy_in_its_own_metric(
    place: str, policies: tuple[str, ...]
) -> None:
    expected = {
        (row, metric, questions, policy)
        for row, metric in ROWS.items()
        for questions in (*SETS, "Avg.")
        for policy in policies
    }
    assert {(cell.row, cell.metric, cell.question_set, cell.policy) for cell in cells(place)} == expected


def test_cells_read_by_eye_from_the_corners_of_the_tables() -> None:
    assert exact("Table 1", "Gemini Flash 2.0", "MedQA-5op", "Gemini Flash 2.0") == Decimal("0.852")
    assert exact("Table 1", "PROSE", "Avg.") == Decimal("0.740")
    assert exact("Table 2", "TTRL", "MedQA-5op") == Decimal("0.684")
    assert exact("Table 2", "PROSE", "Avg.", "Qwen3-8B") == Decimal("0.767")
    assert exact("Table 4", "PRM (BON@16)", "MedMCQA", "Qwen3-1.7B") == Decimal("0.570")
    assert exact("Table 4", "PROSE", "Avg.", "Qwen3-1.7B") == Decimal("0.614")


@pytest.mark.parametrize("place", ["Table 1", "Table 2", "Table 4"])
def test_every_printed_average_is_the_mean_of_its_four_cells_rounded_half_up(place: str) -> None:
    rows = dict.fromkeys((number.row, number.policy) for number in cells(place))
    for row, policy in rows:
        mean = sum(exact(place, row, questions, policy) for questions in SETS) / 4
        rounded = mean.quantize(Decimal("0.001"), ROUND_HALF_UP)
        assert exact(place, row, "Avg.", policy) == rounded, (row, policy)


def test_a_number_that_the_text_restates_is_the_one_in_the_table() -> None:
    restated = [number for number in PRINTED if number.note.startswith("restates Table")]
    assert len(restated) == 23
    for number in restated:
        table = number.note.removeprefix("restates ")[: len("Table 1")]
        found = find_number(
            NUMBERS, "prose", table, number.row, number.metric, number.question_set, number.policy
        )
        assert found is not None, number
        assert found.value == number.value, number


def test_gains_that_the_text_gives_in_points_are_differences_of_the_tables() -> None:
    in_points = [number for number in cells("Section 6.1") if number.note.endswith("percentage points")]
    # 10.5 and 6.9 of Table 1, 6.6 and 4.3 of Table 2
    assert [number.value for number in in_points] == [0.105, 0.069, 0.066, 0.043]
    for number in in_points:
        table = "Table 1" if number.metric == "avg@16" else "Table 2"
        found = find_number(
            NUMBERS, "prose", table, number.row, number.metric, number.question_set, number.policy
        )
        assert found is not None
        assert found.value == number.value


def test_differences_worked_out_here_follow_from_their_notes() -> None:
    of_two = r"worked out: (?:\w+ )?(-?[\d.]+) - (?:\w+ )?(-?[\d.]+)(?: of Table 1)?"
    notes = {number: re.fullmatch(of_two, number.note) for number in NUMBERS}
    matched = {number: note for number, note in notes.items() if note is not None}
    # All but two: a half of a gain, and a difference of differences (tests/unit/test_claims_ledger.py).
    assert len(matched) == len(NUMBERS) - len(PRINTED) - 2
    for number, note in matched.items():
        first, second = map(Decimal, note.groups())
        assert Decimal(f"{number.value:.3f}") == first - second, number


@pytest.mark.parametrize(
    ("place", "policies", "row", "expected"),
    [
        ("Table 2", TABLE_2, "PROSE", 7),
        ("Table 4", ("Qwen3-4B",), "PROSE", 4),
        ("Table 4", ("Qwen3-1.7B",), "PROSE", 1),
    ],
)
def test_cells_in_which_prose_is_best_are_as_many_as_the_text_says(
    place: str, policies: tuple[str, ...], row: str, expected: int
) -> None:
    best = [
        policy
        for policy in policies
        for questions in SETS
        if all(
            exact(place, row, questions, policy) > exact(place, other, questions, policy)
            for other in ROWS
            if other != row
        )
    ]
    assert len(best) == expected
    said = find_number(
        NUMBERS, "prose", "Section 6.1" if place == "Table 2" else "Section 6.3", "PROSE is best",
        f"cells of {place}", "all four", policy="both 8B policies" if len(policies) == 2 else policies[0],
    )  # fmt: skip
    assert said is not None
    assert said.value == expected


def test_every_cell_of_prm_selection_has_two_decimals_only() -> None:
    """The ground for 100 questions per set (deviations.yaml, medqa_subset)."""
    selected = [cell for place in ("Table 2", "Table 4") for cell in cells(place) if "PRM" in cell.row]
    singles = [Decimal(f"{cell.value:.3f}") for cell in selected if cell.question_set != "Avg."]
    assert len(singles) == 32
    assert {cell % Decimal("0.01") for cell in singles} == {Decimal(0)}


def test_the_papers_own_inconsistencies_are_as_deviations_say() -> None:
    table_gain = exact("Table 1", "PROSE", "MedQA-5op") - exact("Table 1", "base", "MedQA-5op")
    said = find_number(
        NUMBERS, "prose", "Figure 5", "min aggregation minus base", "avg@16", "MedQA-5op", "unnamed"
    )
    assert said is not None
    assert (table_gain, said.value) == (Decimal("0.088"), 0.085)
    lower = [
        exact("Table 1", "base", questions) - exact("Figure 4", "base", questions, "unnamed")
        for questions in ("MedMCQA", "DDXPlus", "MedQA-4op")
    ]
    assert lower == [Decimal("0.006"), Decimal("0.038"), Decimal("0.020")]
    # Section 6.1: "Proprietary and 32B models retain an advantage on [...] MedMCQA": no 32B model does.
    for system in ("QWQ", "R1-Distill-Qwen", "Sky-T1"):
        assert exact("Table 1", system, "MedMCQA", system) < exact("Table 1", "PROSE", "MedMCQA")


def test_the_protection_gaps_of_the_conclusion_are_there() -> None:
    gaps = {cell.row: cell.value for cell in cells("Section 7")}
    assert gaps == {"free-form": 0.246, "4-option": 0.001}


def number_of(row: str, questions: str, policy: str, value: float) -> PublishedNumber:
    return PublishedNumber("p", "Table 1", row, "avg@16", questions, policy, value, "")


def test_a_number_is_found_by_its_question_set_and_policy_whatever_stands_before_it() -> None:
    numbers = [
        number_of("TTRL", "a", "small", 0.1),
        number_of("TTRL", "b", "small", 0.2),
        number_of("TTRL", "b", "large", 0.3),
    ]

    def value(question_set: str, policy: str) -> float | None:
        found = find_number(numbers, "p", "Table 1", "TTRL", "avg@16", question_set, policy)
        return None if found is None else found.value

    assert value("a", "small") == 0.1
    assert value("b", "small") == 0.2
    assert value("b", "large") == 0.3
    assert value("a", "large") is None


def test_a_miniature_stands_for_the_papers_set_or_policy_and_those_themselves_for_nothing_else() -> None:
    assert stands_for("medmcqa", "clinic_single_finding") == "MedMCQA"
    assert stands_for("small_policy_2", "clinic_policy_smallest") == "Qwen3-1.7B"
    assert stands_for("medqa_5op", "medqa_5op") is None
    assert stands_for("ddxplus", "med_prm_ddxplus") == "DDXPlus"
    assert stands_for("main_policy", "llama_3_1_8b") is None
    assert stands_for("unseen", "clinic_5op_unseen") is None


def test_what_the_paper_has_is_printed_as_the_paper_spells_it() -> None:
    assert printed_name("main_policy", "llama_3_1_8b") == "Llama-3.1-8B"
    assert printed_name("medqa_5op", "medqa_5op") == "MedQA-5op"
    assert printed_name("ddxplus", "clinic_many_findings") == "clinic many findings"
    assert printed_name("unseen", "clinic_5op_unseen") == "clinic 5op unseen"
