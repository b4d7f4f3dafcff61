"""Multiple-choice shapes. All rows are invented in the schema of their source."""

from __future__ import annotations

from typing import Any

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes import Unlabelled, row_converter
from workflow_scripts.questions.tables import Row
from workflow_scripts.settings.question_sets import BuiltOptions, Shape

MMLU = {
    "question": "Which is a metal?",
    "subject": "chemistry",
    "choices": ["Neon", "Iron", "Argon", "Xenon"],
}
MMLU_PRO = {
    "question_id": 70,
    "question": "Which is a metal?",
    "options": ["Neon", "Argon", "Xenon", "Helium", "Krypton", "Radon", "Iron", "Water", "Salt", "Oil"],
    "answer": "G",
    "answer_index": 6,
    "cot_content": "Iron is one, so the answer is (G).",
    "category": "chemistry",
    "src": "invented",
}
COMMON = {
    "id": "ab12",
    "question": "Where do you keep milk?",
    "question_concept": "milk",
    "choices": {"label": ["A", "B", "C"], "text": ["fridge", "oven", "garage"]},
    "answerKey": "A",
}
GPQA = {
    "Question": "Which secret particle is heaviest?",
    "Correct Answer": "secretino",
    "Incorrect Answer 1": "hiddenon",
    "Incorrect Answer 2": "covertron",
    "Incorrect Answer 3": "veiledon",
    "Record ID": "rec0001",
    "Explanation": "Because the secretino is.",
    "Subdomain": "Invented physics",
}
LISTED = {
    "problem": "Where do you keep milk?\nOptions:\n(A) fridge\n(B) oven\n(C) garage",
    "answer": "B",
    "level": "cq",
}
BUNDLE = {
    "question_id": 3,
    "data_source": "med_qa",
    "question": "Which thins blood?\n(A) Zinc\n(B) Warfarin\n(C) Iron",
    "options": ["Zinc", "Warfarin", "Iron"],
    "correct_answer": "B",
    "related_docs": ["Warfarin is an anticoagulant.", None, "Iron is a metal."],
    "solutions": [{"solution": "Step 1: ...", "answer": "B", "score": 1}],
}


def convert(shape: Shape, *rows: dict[str, Any], options: BuiltOptions | None = None) -> list[Question]:
    table = [Row(f"rows, row {i + 1}", i, row) for i, row in enumerate(rows)]
    converter = row_converter(shape, "set", table, options)
    return [converter(row) for row in table]


def one(shape: Shape, row: dict[str, Any], **changes: Any) -> Question:
    return convert(shape, {**row, **changes}, options=BuiltOptions(seed=0))[0]


# ------------------------------------------------------------------ MMLU, MMLU-Pro


@pytest.mark.parametrize("answer", [1, 1.0, "1", "B", "b"])
def test_mmlu_counts_the_gold_from_0_or_gives_its_letter(answer: Any) -> None:
    question = one("mmlu", MMLU, answer=answer)
    assert (question.answer, question.meta) == ("B", {"subject": "chemistry"})
    assert question.options == {"A": "Neon", "B": "Iron", "C": "Argon", "D": "Xenon"}


@pytest.mark.parametrize("answer", [4, -1, "E", 1.5, None, True, "one"])
def test_mmlu_refuses_a_gold_that_names_no_option(answer: Any) -> None:
    with pytest.raises(UserError, match="row 1"):
        one("mmlu", MMLU, answer=answer)


def test_mmlu_pro_keeps_ten_letters_and_no_explanation() -> None:
    question = one("mmlu_pro", MMLU_PRO)
    assert (question.id, question.answer, len(question.options or {})) == ("set-00070", "G", 10)
    assert question.meta == {"category": "chemistry", "src": "invented"}


def test_mmlu_pro_in_the_form_with_letters_as_keys() -> None:
    row = {"question": "Which?", "options": {"A": "Neon", "B": "Iron"}, "answer_idx": "B", "answer": "Iron"}
    assert one("mmlu_pro", row).answer == "B"


def test_padding_of_mmlu_pro_is_dropped_and_letters_stay() -> None:
    padded = [*MMLU_PRO["options"][:4], "N/A", "N/A"]
    question = one("mmlu_pro", MMLU_PRO, options=padded, answer="D", answer_index=3)
    assert list(question.options or {}) == ["A", "B", "C", "D"]
    with pytest.raises(UserError, match="not among the 4 options"):
        one("mmlu_pro", MMLU_PRO, options=padded, answer="E", answer_index=4)


def test_an_option_that_reads_not_applicable_is_no_padding() -> None:
    question = one("mmlu_pro", MMLU_PRO, options=["N/A", "Iron", "Neon"], answer="A", answer_index=0)
    assert (question.options or {})["A"] == "N/A"


def test_mmlu_pro_fields_that_contradict_each_other_are_named() -> None:
    with pytest.raises(UserError, match="C in one field and G in another"):
        one("mmlu_pro", MMLU_PRO, answer_index=2)
    with pytest.raises(UserError, match="neither answer nor answer_index"):
        one("mmlu_pro", MMLU_PRO, answer=None, answer_index=float("nan"))


# ------------------------------------------------------------------ CommonsenseQA


@pytest.mark.parametrize(
    "choices",
    [
        COMMON["choices"],
        [{"label": "A", "text": "fridge"}, {"label": "B", "text": "oven"}, {"label": "C", "text": "garage"}],
    ],
)
def test_commonsenseqa_choices_in_both_forms(choices: Any) -> None:
    question = one("commonsenseqa", COMMON, choices=choices)
    assert (question.id, question.answer) == ("ab12", "A")
    assert question.options == {"A": "fridge", "B": "oven", "C": "garage"}


@pytest.mark.parametrize("key", ["", None, " "])
def test_a_commonsenseqa_row_without_an_answer_is_dropped(key: Any) -> None:
    with pytest.raises(Unlabelled, match="answerKey is empty"):
        one("commonsenseqa", COMMON, answerKey=key)


@pytest.mark.parametrize(
    "choices",
    [
        {"label": None, "text": None},
        {"label": ["A", "B"], "text": ["fridge"]},
        {"label": ["A", "B"], "text": ["fridge", None]},
        {"label": ["A", "B", "C"], "text": ["fridge", "oven", float("nan")]},
        {"label": ["A", "A"], "text": ["fridge", "oven"]},
        {"label": ["A", "C"], "text": ["fridge", "oven"]},
        [None, None],
        "fridge",
    ],
)
def test_broken_commonsenseqa_choices_are_refused(choices: Any) -> None:
    with pytest.raises(UserError, match="row 1"):
        one("commonsenseqa", COMMON, choices=choices)


# ------------------------------------------------------------------ GPQA


def test_gpqa_options_are_shuffled_by_seed_and_id_alone() -> None:
    rows = [{**GPQA, "Record ID": f"rec{i}"} for i in range(40)]
    alone = [one("gpqa", row) for row in rows]
    together = convert("gpqa", *reversed(rows), options=BuiltOptions(seed=0))[::-1]
    assert together == alone
    assert {question.answer for question in alone} == {"A", "B", "C", "D"}
    assert convert("gpqa", *rows, options=BuiltOptions(seed=1)) != alone
    for question in alone:
        assert question.options is not None
        assert question.options[question.answer] == "secretino"
        assert sorted(question.options.values()) == ["covertron", "hiddenon", "secretino", "veiledon"]


def test_gpqa_keeps_nothing_beside_question_and_options() -> None:
    question = one("gpqa", GPQA)
    assert (question.id, question.text, question.meta) == (
        "rec0001",
        "Which secret particle is heaviest?",
        {},
    )


def test_gpqa_needs_a_seed() -> None:
    with pytest.raises(UserError, match="Give the entry `options"):
        convert("gpqa", GPQA)


# ------------------------------------------------------------------ options in the text


@pytest.mark.parametrize("answer", ["B", "(B)", "\\boxed{B}", "oven"])
def test_options_are_cut_from_the_end_of_the_text(answer: str) -> None:
    question = one("options_in_text", LISTED, answer=answer)
    assert question.text == "Where do you keep milk?"
    assert (question.options, question.answer) == ({"A": "fridge", "B": "oven", "C": "garage"}, "B")


def test_an_option_may_run_over_lines_and_a_letter_may_stand_in_the_question() -> None:
    text = "A. Smith asks:\nis (A) a letter?\nChoices\nA. yes,\n   it is\nB. no"
    question = one("options_in_text", LISTED, problem=text)
    assert question.text == "A. Smith asks:\nis (A) a letter?"
    assert question.options == {"A": "yes,\n   it is", "B": "no"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Where do you keep milk?", "no line"),
        ("(A) fridge\n(B) oven", "no question before its options"),
        ("Where?\n(A) fridge", "at least two options"),
        ("Where?\n(A) fridge\n(C) oven", "in order"),
        ("Where?\n(A) fridge\n(B) oven\n(B) garage", "labels two options"),
    ],
)
def test_options_that_cannot_be_cut_are_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        one("options_in_text", LISTED, problem=text)


def test_a_listed_question_without_an_answer_is_dropped() -> None:
    with pytest.raises(Unlabelled):
        one("options_in_text", LISTED, answer=None)


# ------------------------------------------------------------------ Med-PRM


def test_the_bundle_keeps_the_documents_and_no_solution() -> None:
    question = one("med_prm", BUNDLE)
    assert (question.id, question.text, question.answer) == ("med_qa-3", "Which thins blood?", "B")
    assert question.options == {"A": "Zinc", "B": "Warfarin", "C": "Iron"}
    assert question.meta == {
        "data_source": "med_qa",
        "related_docs": ["Warfarin is an anticoagulant.", "Iron is a metal."],
    }


@pytest.mark.parametrize(
    "options",
    [
        ["Zinc", "Warfarin"],
        {"A": "Zinc", "B": "Warfarin"},
        "(A) Zinc\n(B) Warfarin",
        {"A": "Zinc", "B": "Warfarin", "C": None},
    ],
)
def test_a_bundle_row_may_hold_its_options_beside_the_question(options: Any) -> None:
    question = one("med_prm", BUNDLE, question="Which thins blood?", options=options, related_docs=None)
    assert (question.text, question.options) == ("Which thins blood?", {"A": "Zinc", "B": "Warfarin"})


def test_ids_of_the_bundle_count_within_a_source() -> None:
    rows = [BUNDLE, {**BUNDLE, "data_source": "med_mcqa"}]
    assert [question.id for question in convert("med_prm", *rows)] == ["med_qa-3", "med_mcqa-3"]
    again = [BUNDLE, {**BUNDLE, "question": "Which is a metal?\n(A) Salt\n(B) Iron"}]
    assert [question.id for question in convert("med_prm", *again)] == ["set-00000", "set-00001"]
