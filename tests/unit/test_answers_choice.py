"""How a choice is read from a response."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.choice import read_choice
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.question_sets import ChoiceRule

CASES = Path(__file__).parents[3] / "shared" / "cases" / "extraction_cases.jsonl"
DRUGS = {
    "A": "Heparin",
    "B": "Heparin infusion",
    "C": "Warfarin",
    "D": "None of the above",
    "E": "Vitamin C",
}
IGNORED = ChoiceRule(kind="choice")
MUST_AGREE = ChoiceRule(kind="choice", named_option="must_agree")


def question(options: dict[str, str]) -> UnlabelledQuestion:
    return UnlabelledQuestion("q1", "test", "Which?", options, "choice", {})


def read(text: str, rule: ChoiceRule = IGNORED, options: dict[str, str] = DRUGS) -> str | None:
    return read_choice(text, question(options), rule).answer


def shared_cases() -> list[dict]:
    if not CASES.is_file():
        return []
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [case for case in cases if case["kind"] == "mcq"]


@pytest.mark.skipif(not CASES.is_file(), reason="the shared extraction cases are not beside this checkout")
@pytest.mark.parametrize("case", shared_cases(), ids=lambda case: case["id"])
def test_shared_cases_are_read_as_labelled(case: dict) -> None:
    options = {letter: f"placeholder {letter}" for letter in string.ascii_uppercase[: case["n_options"]]}
    assert read(case["text"], options=options) == case["expected"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is: Warfarin (C)", "C"),
        ("The answer is Warfarin.", "C"),
        ("The answer is (C) Warfarin.", "C"),
        ("So the final answer is **C**.", "C"),
        ("**Answer:** C", "C"),
        ("Answer:\n\n**(C) Warfarin**", "C"),
        ("Final answer: $C$", "C"),
        ("The answer is \\textbf{(C)}", "C"),
        ("The best choice is option C.", "C"),
        ("The answer is most likely (C), as bleeding is rare.", "C"),
        ("The most suitable drug is:\n\n**C) Warfarin**", "C"),
        ("\\boxed{\\text{(C) Warfarin}}", "C"),
        ("\\boxed{Warfarin}", "C"),
        ("\\boxed{C. Warfarin}", "C"),
        ("$$\\boxed{\\mathrm{C}}$$", "C"),
        ("\\boxed{A} was my first idea, \\boxed{C} is right.", "C"),
        ("\\boxed{42}, hence the answer is C", "C"),
        ("Warfarin", "C"),
        ("It thins the blood.\n\nC", "C"),
        ("It thins the blood.\n(c)", "C"),
        ("c. Warfarin", "C"),
        ("Only option C is correct.", "C"),
        ("答案是C", "C"),
        ("故选\uff1aC", "C"),
        ("正确选项是C", "C"),
        ('{"reasoning": "A is tempting", "answer_choice": "C"}', "C"),
        ("{'answer': 'C'}", "C"),
        ("<answer>C</answer>", "C"),
        ("#### C", "C"),
        ("Answer - C", "C"),
        ("The answer is None of the above.", "D"),
        ("Answer: Vitamin C", "E"),
        ("The answer is Heparin infusion (B)", "B"),
        ("The answer is Heparin infusion.", "B"),
    ],
)
def test_forms_in_which_models_state_an_option(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A patient on warfarin bleeds. Consider Vitamin K.",
        "The answer is a blood thinner.",
        "The answer is I think unclear.",
        "The answer is not (B).",
        "Is the answer A?",
        "The answer is unclear.",
        "I would rule out A and B.",
        "Options:\nA. Heparin\nB. Heparin infusion\nC. Warfarin",
        "The possible answers are listed here: A, B, C.",
        "\\boxed{A polygenic score}",
        "\\boxed{C",
    ],
)
def test_running_text_holds_no_answer(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Answer: A or C",
        "The answer is (A) and (C).",
        "Answer: A/C",
        "Answer: A, C",
        "\\boxed{A, C}",
        "The answer is B. On reflection, the answer is G.",
        "\\boxed{G}\nThe answer is B.",
    ],
)
def test_a_statement_of_several_or_foreign_letters_is_no_answer(text: str) -> None:
    assert read(text) is None


def test_a_genus_is_no_letter_where_another_option_is_meant() -> None:
    microbes = {"A": "Klebsiella", "B": "Escherichia coli", "C": "Proteus", "D": "Yeast", "E": "Candida"}
    assert read("The answer is E. coli, as usual.", options=microbes) is None
    assert read("The answer is B. coli are common.", options=microbes) == "B"


def test_the_last_statement_counts() -> None:
    assert read("The answer is A. No: the answer is C.") == "C"


def test_a_box_counts_before_a_later_statement_and_both_before_the_last_line() -> None:
    assert read("\\boxed{C}\nThe answer is B.\nA") == "C"
    assert read("The answer is B.\nA") == "B"


def test_thinking_is_not_searched() -> None:
    assert read("<think>The answer is B.</think>The answer is C.") == "C"
    assert read("The answer is B, surely.</think>\nC") == "C"
    assert read("<think>The answer is B.</think>") is None
    assert read("<think>The answer is B.") is None


def test_letters_are_restricted_to_the_question() -> None:
    two = {"A": "Yes", "B": "No"}
    assert read("Answer: C", options=two) is None
    assert read("Answer: C") == "C"


def test_two_options_of_one_text_need_a_letter() -> None:
    same = {"A": "Zinc", "B": "Zinc", "C": "Iron"}
    assert read("The answer is Zinc.", options=same) is None
    assert read("The answer is: Zinc (B)", MUST_AGREE, same) == "B"


@pytest.mark.parametrize(
    ("text", "must_agree", "ignored"),
    [
        ("The answer is: Warfarin (C)", "C", "C"),
        ("The answer is: Warfarin (A)", None, "A"),
        ("The answer is: Influenza (A)", None, "A"),
        ("The answer is: heparin (A).", "A", "A"),
        ("The answer is: Heparin infusion (A)", None, "A"),
        ("The answer is (A) Warfarin", None, "A"),
        ("The answer is (A) because the findings fit.", "A", "A"),
        ("\\boxed{A: Warfarin}", None, "A"),
        ("A. Warfarin", None, "A"),
        ("The answer is (A)", "A", "A"),
    ],
)
def test_a_letter_that_contradicts_the_named_option(
    text: str, must_agree: str | None, ignored: str | None
) -> None:
    assert read(text, MUST_AGREE) == must_agree
    assert read(text, IGNORED) == ignored


def test_a_question_without_options_cannot_be_read_as_a_choice() -> None:
    with pytest.raises(ValueError, match="no options"):
        read_choice("A", UnlabelledQuestion("q1", "test", "?", None, "choice", {}), IGNORED)


NAMES = st.lists(
    st.text(string.ascii_lowercase, min_size=3, max_size=9), min_size=2, max_size=10, unique=True
)


@given(names=NAMES, data=st.data())
def test_the_clinics_answer_sentence_is_read_back(names: list[str], data: st.DataObject) -> None:
    options = dict(zip(string.ascii_uppercase, names, strict=False))
    letter = data.draw(st.sampled_from(list(options)))
    named = data.draw(st.sampled_from(list(options)))
    text = f"Fever points to {names[0]}.\nThe answer is: {options[named]} ({letter})"
    assert read(text, MUST_AGREE, options) == (letter if named == letter else None)


@given(text=st.text(max_size=200))
def test_any_text_gives_an_option_or_nothing(text: str) -> None:
    assert read(text) in {None, *DRUGS}
    assert read(f"{text}\nThe answer is (C).") in {None, *DRUGS}


def test_a_statement_may_continue_on_the_next_line_but_not_into_a_list_of_options() -> None:
    assert read("The answer is:\n\n(C)") == "C"
    assert read("The answer is:\n(A) Heparin\n(B) Heparin infusion\n(C) Warfarin") is None
    assert read("The answer is:") is None
