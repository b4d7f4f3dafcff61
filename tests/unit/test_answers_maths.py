"""Where a response states a number or an expression: boxes, statements, the last number."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from workflow_scripts.answers.boxes import find_boxes
from workflow_scripts.answers.maths import Accept, find_math
from workflow_scripts.answers.reading import find_gold, gold_forms, read_answers
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.question_sets import MathRule

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "extraction_cases.jsonl"
ACCEPT = {
    "any": "stated",
    "boxed_strict": "boxed",
    "answer_phrase_fallback": "stated",
    "last_number_fallback": "last_number",
}


@pytest.mark.parametrize(
    ("text", "expected", "rule"),
    [
        (r"so \boxed{12}.", "12", "box"),
        (r"first \boxed{3}, but then \boxed{4}", "4", "box"),
        (r"\boxed{3} and again \boxed{3}", "3", "box"),
        (r"\boxed{840}., since ...\n\boxed{840}", "840", "box"),
        (r"$\boxed{1}$, $\boxed{2}$ and $\boxed{5}$", "1,2,5", "box"),
        (r"\boxed{1} or \boxed{2}", "1,2", "box"),
        (r"\boxed{\frac{\sqrt{2}}{3}}", r"\frac{\sqrt{2}}{3}", "box"),
        (r"\boxed{\text{all of \{1,2\}}}", r"\text{all of \{1,2\}}", "box"),
        (r"\fbox{7}", "7", "box"),
        (r"\boxed 7", "7", "box"),
        ("\\\\boxed{7}", "7", "box"),
        (r"<answer>\boxed{5}</answer>", "5", "box"),
        (r"\boxed{\boxed{9}}", "9", "box"),
        (r"The answer is 4, that is \boxed{5}", "5", "box"),
        (r"first \boxed{3}, then \boxed{4", None, "unclosed box"),
        (r"\boxed{}", None, "empty box"),
        (r"write it in \boxed please", None, "nothing stated"),
        ("The answer is 42.", "42", "statement"),
        ("The answer is: $x = 3$ because of that.", "x = 3", "statement"),
        ("The final answer is 17 since 5 + 12 is 17.", "17", "statement"),
        ("Answer: 3\nNo, wait.\nAnswer: 4", "4", "statement"),
        ("**Final Answer:** **73**", "73", "statement"),
        ("Final Answer: **73**\n", "73", "statement"),
        ("### Answer\n\nnothing", None, "nothing stated"),
        ("3 * 6 = 18\n#### 18", "18", "statement"),
        ("so 1,200 a year\nA: 1,200", "1,200", "statement"),
        ("<answer>12</answer>", "12", "statement"),
        ("<answer> 1/2 </answer>, I think", "1/2", "statement"),
        ("答案是 5。", "5", "statement"),
        ("The answer to the problem is 12.", "12", "statement"),
        (r"the answer is \(\frac{1}{2}\).", r"\frac{1}{2}", "statement"),
        ("The answer would be found later.", None, "nothing stated"),
        ("<think>\\boxed{1}</think> The answer is 2.", "2", "statement"),
        ("<think>the answer is 5", None, "nothing stated"),
        ("", None, "nothing stated"),
    ],
)
def test_the_stated_answer_is_found(text: str, expected: str | None, rule: str) -> None:
    assert find_math(text, "stated") == (expected, rule)


@pytest.mark.parametrize(
    "text", ["The answer is 42.", "#### 42", "Answer: 42", "<answer>42</answer>", "is 42"]
)
def test_only_boxes_count_where_the_rule_says_so(text: str) -> None:
    assert find_math(text, "boxed") == (None, "nothing stated")
    assert find_math(text + r" \boxed{43}", "boxed") == ("43", "box")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They sold 72 clips, altogether.", "72"),
        ("It went from $200,000 up by $70,000.", "70,000"),
        ("that makes 5-3", "3"),
        ("the change is -3 degrees", "-3"),
        ("a share of 3/4 of it", "3/4"),
        ("costs 12.50.", "12.50"),
        ("in 2 x 3 = 6 ways", "6"),
        ("page B2 has no number but 4", "4"),
    ],
)
def test_the_last_number_is_the_last_resort(text: str, expected: str) -> None:
    assert find_math(text, "last_number") == (expected, "last number")
    assert find_math(text, "stated")[0] is None


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (r"\boxed{a \\ b}", [r"a \\ b"]),
        (r"\boxed{\begin{pmatrix}1\\{2}\end{pmatrix}}", [r"\begin{pmatrix}1\\{2}\end{pmatrix}"]),
        (r"} \boxed{1}", ["1"]),
        (r"\boxed{1} }} \boxed{2}", ["1", "2"]),
        (r"\boxed{1", [None]),
        (r"\boxedx{1} \unboxed", []),
    ],
)
def test_boxes_follow_the_braces(text: str, contents: list[str | None]) -> None:
    assert [box.content for box in find_boxes(text)] == contents


@pytest.mark.parametrize(
    ("text", "expected", "rule"),
    [
        (r"It was \boxed{8}, and then \boxed{}", None, "empty box"),
        (r"\boxed{8}, \boxed{ }", None, "empty box"),
        (r"\boxed{}, \boxed{8}", "8", "box"),
        (r"\(\boxed{8}\), \(\boxed{9}\)", "8,9", "box"),
        (r"\boxed{8} \quad \text{or} \quad \boxed{9}", "8,9", "box"),
        (r"**\boxed{8}**, **\boxed{9}**", "8,9", "box"),
        (r"\boxed{8}, \boxed{450}", "8, 450", "box"),
        (r"$y=\boxed{8}$ or $y=\boxed{9}$", "8,9", "box"),
        (r"$y=\boxed{8}$, so $z=\boxed{9}$", "9", "box"),
        (r"$2+6=\boxed{8}$, $z=\boxed{9}$", "9", "box"),
        (r"\boxed 64", "64", "box"),
        (r"Put it in \boxed, as in \boxed 6 or so", "6", "box"),
        ("**Final Answer**\n\n**64**", "64", "statement"),
        ("### The final answer\n$64$", "64", "statement"),
        ("Final Answer: **64** coins", "64", "statement"),
        ("**Answer:** **64**", "64", "statement"),
        ("The answer is $4,500, since she had $6,000.", "4,500", "statement"),
        ("#### 64,", "64", "statement"),
        ("#### ,", None, "nothing stated"),
    ],
)
def test_boxes_and_statements_as_models_mark_them_up(text: str, expected: str | None, rule: str) -> None:
    assert find_math(text, "stated") == (expected, rule)


@pytest.mark.parametrize(
    ("text", "accept", "expected"),
    [
        (r"<answer>64</answer>", "stated", "64"),
        (r"A draft: \boxed{1}. <answer>64</answer>", "stated", "64"),
        (r"A draft: \boxed{1}. <answer>64</answer>", "boxed", "1"),
        (r"<answer>\boxed{64}</answer> I had \boxed{1} before.", "stated", "64"),
        (r"<answer>1</answer> no, <answer>so the answer is 64</answer>", "stated", "64"),
        (r"<answer> </answer> The answer is 64.", "stated", "64"),
        (r"<answer>The product is \(64\).</answer>", "stated", "64"),
        (r"<answer>\boxed{6</answer> The answer is 64.", "stated", None),
        (r"<answer>64", "stated", "64"),
    ],
)
def test_the_last_pair_of_answer_tags_comes_first(text: str, accept: Accept, expected: str | None) -> None:
    assert find_math(text, accept)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a gain of $4{,}500.", "4{,}500"),
        ("a gain of $4\\,500$", "4\\,500"),
        ("a loss, so -$4,500.", "-$4,500"),
        ("$6,000-$4,500", "4,500"),
        ("It holds 64, all told, of them.\n#### ,", "64"),
        ("That is **-64**.", "-64"),
        ("2, 3, and 64,", "64"),
    ],
)
def test_the_last_number_is_read_in_whole(text: str, expected: str) -> None:
    assert find_math(text, "last_number") == (expected, "last number")


# ------------------------------------------------------------------ gold answers


def question(answer: str, kind: str = "latex") -> Question:
    return Question(id="q", source="test", text="?", options=None, answer_kind=kind, meta={}, answer=answer)


@pytest.mark.parametrize(
    ("gold", "form"),
    [
        ("70.0", "70"),
        (r"\boxed{27}", "27"),
        ("025", "25"),
        ("2 + 3 = <<2+3=5>>5\n#### 5", "5"),
        ("1,200", "1200"),
        ("", None),
        ("any integer greater than the first and smaller than the last", None),
        (r"\frac{1}{0}", None),
        ("three or so", None),
    ],
)
def test_gold_answers_take_the_normal_form_of_responses_or_none(gold: str, form: str | None) -> None:
    assert gold_forms([question(gold)], MathRule(kind="number")) == [form]


def test_an_unparsed_response_never_equals_a_gold_answer_that_is_none() -> None:
    gold = "f(x) where f is unknown"
    assert gold_forms([question(gold)], MathRule(kind="latex")) == [None]
    reading = read_answers([rf"\boxed{{{gold}}}"], [question(gold)], MathRule(kind="latex"))[0]
    assert reading.answer is not None


# ------------------------------------------------------------------ cases from public reports


def cases() -> list[dict[str, object]]:
    if not CASES.is_file():
        pytest.skip("no answer cases beside the repository")
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["kind"] == "math"]


def test_every_reported_case_is_read_under_its_stated_mode() -> None:
    wrong = []
    for case in cases():
        rule = MathRule(kind="latex", accept=ACCEPT[str(case["mode"])])  # type: ignore[arg-type]
        gold = question(str(case["gold"]))
        reading = read_answers([str(case["text"])], [gold], rule)[0]
        equal = reading.answer is not None and reading.answer == gold_forms([gold], rule)[0]
        if reading.extracted != case["expected"] or equal != case["equal_to_gold"]:
            wrong.append((case["id"], reading))
    assert not wrong


# ------------------------------------------------------------------ hostile text

HOSTILE = [
    "a", "\\boxed{", "\\boxed{\\boxed{", "{", "}", "the answer is ", "\\", "\n", "$", "1", "1,", " ", "<think>",
    "</think>", "\nA:", "answer ", "answer to ", "\\boxed{5} and ", "- 1", "1/", "\x00", "#", "<answer>", "\\(", "\\[",
    "答案", "٣", "Answer:", "\\boxed{1}, ", "**", "= ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_time_grows_with_the_length_of_a_response_and_no_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        best = float("inf")
        for _ in range(2):
            started = time.process_time()
            find_math(text, "last_number")
            best = min(best, time.process_time() - started)
        return best

    assert seconds(1_000_000) < 40 * seconds(125_000) + 0.05


def test_half_characters_and_control_characters_are_no_obstacle() -> None:
    assert find_math("\ud800 the answer is 4\x00", "stated")[1] == "statement"
    readings = read_answers(
        ["\\boxed{\ud8005}", "\\boxed{4\x002}"], [question("1")] * 2, MathRule(kind="latex")
    )
    assert [reading.answer for reading in readings] == ["5", "42"]


def test_ten_thousand_nested_braces_are_an_answer_that_cannot_be_parsed() -> None:
    deep = "\\boxed{" + "{" * 10_000 + "x" + "}" * 10_000 + "}"
    assert read_answers([deep], [question("1")], MathRule(kind="latex"))[0].answer is None
    assert find_gold(deep).startswith("{{{")
