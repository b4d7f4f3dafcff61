"""Countdown answers: an expression, exact arithmetic, each number once."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.countdown import find_expression, normal_form
from workflow_scripts.answers.reading import gold_forms, read_answers
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.question_sets import CountdownRule

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "countdown_cases.jsonl"


def question(numbers: list[int], target: int) -> Question:
    meta = {"numbers": numbers, "target": target}
    return Question("q", "test", "?", None, "countdown", meta, str(target))


@pytest.mark.parametrize(
    ("expression", "numbers", "form"),
    [
        ("3 + 4 * 5", [3, 4, 5], "23"),
        ("(3 + 4) * 5", [5, 4, 3], "35"),
        ("7 / 2", [2, 7], "7/2"),
        ("8 / (3 - 8 / 3)", [3, 3, 8, 8], "24"),
        ("-3 + 5", [3, 5], "2"),
        ("2*3", [2, 3, 4], "6 (not with the given numbers)"),
        ("6 * 1", [6, 1, 1], "6 (not with the given numbers)"),
        ("2 + 2", [2], "4 (not with the given numbers)"),
        ("23", [2, 3], "23 (not with the given numbers)"),
        ("1/3 + 1/3 + 1/3", [1, 1, 1, 3, 3, 3], "1"),
    ],
)
def test_the_value_counts_with_each_given_number_once(expression: str, numbers: list[int], form: str) -> None:
    assert normal_form(expression, numbers) == form


@pytest.mark.parametrize(
    "expression",
    [
        "2**3", "7//2", "5 % 2", "3 + 4 = 7", "abs(3)", "__import__('os')", "3 +", "", "(((", "3.5 + 1", "1_000",
        "3 4", "5 / (2 - 2)", "--3", "+3", "3 + + 4", "3,4", "True", "1" * 201, "(" * 150 + "1" + ")" * 150 + "+",
        "3 & 4", "3 if 4 else 5", "3;4", "٣+4", "lambda: 3", "1e3", "1j", "0x10",
    ],
)  # fmt: skip
def test_anything_but_plain_arithmetic_is_no_expression(expression: str) -> None:
    assert normal_form(expression, [3, 4]) is None


@pytest.mark.parametrize(
    ("text", "expression", "rule"),
    [
        ("<answer>3+4</answer>", "3+4", "answer tag"),
        ("<answer>1+1</answer> no: <answer>3+4</answer>", "3+4", "answer tag"),
        ("<answer>\n\\boxed{3 \\times 4}\n</answer>", "3 * 4", "answer tag"),
        ("so \\boxed{3 \\cdot (4 - 2)}", "3 * (4 - 2)", "box"),
        ("\\boxed{\\frac{8}{2}}", "((8)/(2))", "box"),
        ("<ANSWER>3 × 4 ÷ 2</ANSWER>", "3 * 4 / 2", "answer tag"),
        ("\\boxed{$3 - 4$}", "3 - 4", "box"),
        ("<answer>\\left(3 \\times 4\\right) \\div 2</answer>", "(3 * 4) / 2", "answer tag"),
        ("\\boxed{\\tfrac{8}{\\frac{4}{2}}}", "((8)/(((4)/(2))))", "box"),
        ("<answer>3 + 4.</answer>", "3 + 4", "answer tag"),
        ("<answer>3\\ +\\quad 4</answer>", "3 + 4", "answer tag"),
        ("<answer>3+4", None, "nothing stated"),
        ("\\boxed{3+4", None, "unclosed box"),
        ("the result is 3+4", None, "nothing stated"),
        ("<think><answer>3+4</answer></think>", None, "nothing stated"),
        ("</answer><answer>5</answer><answer>", "5", "answer tag"),
    ],
)
def test_the_expression_is_in_the_last_tag_or_box(text: str, expression: str | None, rule: str) -> None:
    assert find_expression(text) == (expression, rule)


@given(
    st.lists(st.integers(1, 99), min_size=3, max_size=4),
    st.lists(st.sampled_from("+-*/"), min_size=3, max_size=3),
    st.data(),
)
def test_values_are_exact_fractions(numbers: list[int], signs: list[str], data: st.DataObject) -> None:
    value, text = Fraction(numbers[0]), str(numbers[0])
    for sign, number in zip(signs, numbers[1:], strict=False):
        value = {"+": value + number, "-": value - number, "*": value * number, "/": value / number}[sign]
        text = f"({text}) {sign} {number}"
    order = data.draw(st.permutations(numbers))
    form = normal_form(text, order)
    assert form is not None and "given" not in form
    if value.denominator == 1:
        assert form == str(value)
    else:
        assert form != str(round(value))


def test_order_of_the_given_numbers_does_not_matter() -> None:
    assert {normal_form("2*(3+4)", list(order)) for order in itertools.permutations([2, 3, 4])} == {"14"}


def test_a_value_close_to_the_target_is_not_the_target() -> None:
    near = normal_form("51 + 1 / (99 * 98 * 97 * 96)", [51, 1, 99, 98, 97, 96])
    assert near is not None and near != "51"


def test_readings_compare_with_the_gold_form() -> None:
    rule = CountdownRule(kind="countdown")
    asked = question([49, 55, 53], 51)
    texts = ["<answer>49+55-53</answer>", "<answer>51</answer>", "I give up"]
    readings = read_answers(texts, [asked] * 3, rule)
    assert [reading.answer for reading in readings] == ["51", "51 (not with the given numbers)", None]
    assert gold_forms([asked], rule) == ["51"]


def test_a_question_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="no numbers"):
        read_answers(
            ["x"], [Question("q", "t", "?", None, "countdown", {}, "1")], CountdownRule(kind="countdown")
        )


def test_every_reported_case_is_judged_right() -> None:
    if not CASES.is_file():
        pytest.skip("no countdown cases beside the repository")
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        expression, _ = find_expression(case["text"])
        assert expression == case["expected"], case["id"]
        form = normal_form(expression, case["numbers"]) if expression else None
        assert (form == str(case["target"])) == case["correct"], case["id"]
