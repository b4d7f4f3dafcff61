"""Shapes of maths problems and of Countdown. All rows are invented in the schema of their source."""

from __future__ import annotations

from typing import Any

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes import Unlabelled, row_converter
from workflow_scripts.questions.tables import Row
from workflow_scripts.settings.question_sets import Shape

DAPO = (
    "Solve the following math problem step by step. The last line of your response should be of the form "
    "Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n{}\n\n"
    'Remember to put your answer on its own line after "Answer:".'
)
BOXED = "{} Let's think step by step and output the final answer within \\boxed{{}}."
OLYMPIAD = {
    "id": 1606,
    "subfield": "Algebra",
    "context": None,
    "question": "Find all $x$ with $x^2=4$.",
    "solution": ["They are $2$ and $-2$."],
    "final_answer": ["$2$", "$-2$"],
    "is_multiple_answer": True,
    "unit": None,
    "answer_type": "Numerical",
    "error": None,
}


def convert(shape: Shape, *rows: dict[str, Any], kind: str = "latex") -> list[Question]:
    table = [Row(f"rows, row {i + 1}", i, row) for i, row in enumerate(rows)]
    converter = row_converter(shape, "set", table, answer_kind=kind)
    return [converter(row) for row in table]


def one(shape: Shape, row: dict[str, Any], **changes: Any) -> Question:
    return convert(shape, {**row, **changes})[0]


# ------------------------------------------------------------------ problem


@pytest.mark.parametrize("name", ["problem", "Problem", "question", "Question", "prompt"])
def test_the_text_is_found_under_its_usual_names(name: str) -> None:
    question = one("problem", {name: " What is 1 + 1? ", "answer": 2})
    assert (question.text, question.answer, question.options) == ("What is 1 + 1?", "2", None)


@pytest.mark.parametrize(
    ("row", "gold"),
    [
        ({"answer": 70}, "70"),
        ({"answer": "70"}, "70"),
        ({"answer": 70.0}, "70"),
        ({"answer": 0.5}, "0.5"),
        ({"answer": 1e-7}, "0.0000001"),
        ({"answer": "142.0"}, "142.0"),
        ({"answer": "025"}, "025"),
        ({"answer": "\\boxed{27}"}, "27"),
        ({"answer": "\\boxed{69$,$84}"}, "69,84"),
        ({"answer": "\\boxed{\\frac{1}{2}}"}, "\\frac{1}{2}"),
        ({"answer": ["27"]}, "27"),
        ({"answer": [1, None, "$2$"]}, "1, 2"),
        ({"answer": "$\\frac{1}{2}$"}, "\\frac{1}{2}"),
        ({"answer": "\\$5"}, "\\$5"),
        ({"Answer": 3}, "3"),
        ({"final_answer": ["4"]}, "4"),
        ({"answer": "3 - 1 = <<3-1=2>>2 eggs\n#### 1,002"}, "1,002"),
        ({"answer": None, "solution": "3 - 1 = 2\n#### 2"}, "2"),
        ({"answer": [], "solution": "so \\boxed{9}"}, "9"),
        ({"solution": "First \\boxed{1}. Then $x=\\boxed{\\frac{\\pi}{2}}$."}, "\\frac{\\pi}{2}"),
        ({"solution": "4 eggs\n#### 4", "answer": float("nan")}, "4"),
        ({"ground_truth": "3 - 1 = 2\nA: 2"}, "2"),
        # A model's own answer beside the truth.
        ({"answer": "wrong", "ground_truth_answer": "right"}, "right"),
    ],
)
def test_the_gold_is_found_in_every_published_form(row: dict[str, Any], gold: str) -> None:
    assert one("problem", {"problem": "What?", **row}).answer == gold


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"answer": None},
        {"answer": " "},
        {"answer": float("nan")},
        {"answer": "NaN"},  # a csv file that pandas wrote
        {"answer": []},
        {"answer": [None]},
        {"answer": "$$"},
        {"answer": "so it is\n#### "},
        {"answer": None, "solution": "No box."},
        {"answer": None, "solution": "Cut off: \\boxed{1"},
        {"answer": None, "solution": ["a list"]},
    ],
)
def test_a_problem_without_an_answer_is_dropped(row: dict[str, Any]) -> None:
    with pytest.raises(Unlabelled, match="no gold answer"):
        one("problem", {"problem": "What?", **row})


@pytest.mark.parametrize("answer", [True, {"value": 1}, float("inf"), [["1"], {"a": 1}]])
def test_a_gold_of_another_type_is_refused(answer: Any) -> None:
    with pytest.raises(UserError, match="row 1: the gold answer is neither text nor a finite number"):
        one("problem", {"problem": "What?", "answer": answer})


@pytest.mark.parametrize(
    ("text", "message"), [(None, "missing or empty"), ({"a": 1}, "no text"), ([], "no text")]
)
def test_a_problem_without_a_text_is_refused(text: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        one("problem", {"question": text, "answer": 1})


def test_an_id_field_counts_only_where_it_tells_all_rows_apart() -> None:
    rows = [
        {"problem": f"What is {i}?", "answer": i, "id": i % 2, "unique_id": f"part/{i}.json"}
        for i in range(4)
    ]
    assert [q.id for q in convert("problem", *rows)] == [f"part/{i}.json" for i in range(4)]
    for row in rows:
        del row["unique_id"]
    assert [q.id for q in convert("problem", *rows)] == [f"set-0000{i}" for i in range(4)]
    assert convert("problem", {**rows[0], "id": "12"})[0].id == "set-00012"


def test_solutions_and_model_outputs_do_not_reach_the_question() -> None:
    row = {
        "problem": "What?",
        "answer": "1",
        "solution": "\\boxed{1}",
        "level": 5,
        "gt": "1",
        "pred": ["1"],
        "response": "It is 1.",
        "type": float("nan"),
    }
    assert one("problem", row).meta == {"level": 5}


@pytest.mark.parametrize(
    ("kind", "expected"), [("number", "number"), ("latex", "latex"), ("choice", "latex")]
)
def test_a_problem_is_of_the_kind_that_the_entry_reads(kind: str, expected: str) -> None:
    assert convert("problem", {"problem": "What?", "answer": 1}, kind=kind)[0].answer_kind == expected


# ------------------------------------------------------------------ chat


def dapo(text: Any, gold: Any = "34", **more: Any) -> dict[str, Any]:
    return {
        "prompt": text,
        "data_source": "math_dapo",
        "reward_model": {"ground_truth": gold, "style": "rule"},
        "extra_info": {"index": "0a-1", "split": None},
        **more,
    }


@pytest.mark.parametrize(
    "prompt",
    [
        DAPO.format("What is $1+1$?\n\nSay it."),
        [{"role": "user", "content": DAPO.format("What is $1+1$?\n\nSay it.")}],
        [{"role": "system", "content": "Think."}, {"role": "user", "content": "What is $1+1$?\n\nSay it."}],
        [{"role": "user", "content": BOXED.format("What is $1+1$?\n\nSay it.")}],
        "What is $1+1$?\n\nSay it.\nPlease reason step by step, and put your final answer within \\boxed{}.",
    ],
)
def test_the_template_around_the_problem_is_stripped(prompt: Any) -> None:
    question = one("chat", dapo(prompt))
    assert (question.text, question.answer, question.id) == ("What is $1+1$?\n\nSay it.", "34", "0a-1")
    assert question.meta == {"data_source": "math_dapo"}


def test_a_problem_that_only_speaks_of_answers_stays_whole() -> None:
    text = (
        'Solve the following math problem. Remember to put your answer in order. The last line is "Answer:".'
    )
    assert one("chat", dapo(text)).text == text


def test_a_bare_question_beside_a_templated_one_is_taken() -> None:
    extra = {"index": 7, "question": "What is 1 + 1?"}
    prompt = [{"role": "user", "content": "<|im_start|>user\nWhat is 1 + 1?\nReason.<|im_end|>"}]
    question = one("chat", dapo(prompt, extra_info=extra))
    assert (question.text, question.id) == ("What is 1 + 1?", "set-00007")


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (None, "missing or empty"),
        ("Give $Answer at the end.\n\nWhat is 1?", "template that is not known"),
        ("<|im_start|>user\nWhat?<|im_end|>", "template that is not known"),
        (DAPO.format(""), "a template but no problem"),
        ([], "exactly one user turn with text, found 0"),
        ([{"role": "user", "content": None}], "exactly one user turn"),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "found 2"),
        ([None], "neither text nor a list of chat turns"),
        (["What?"], "neither text nor a list of chat turns"),
        ({"role": "user"}, "neither text nor a list of chat turns"),
    ],
)
def test_a_chat_without_one_problem_is_refused(prompt: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        one("chat", dapo(prompt))


@pytest.mark.parametrize(
    ("gold", "text"), [(34, "34"), ("\\boxed{34}", "34"), (["34"], "34"), ("1{,}000", "1{,}000")]
)
def test_the_gold_of_a_chat_in_every_form(gold: Any, text: str) -> None:
    assert one("chat", dapo("What?", gold)).answer == text


def test_a_chat_without_a_gold_is_dropped() -> None:
    for row in (dapo("What?", None), dapo("What?", ""), dapo("What?", reward_model=None)):
        with pytest.raises(Unlabelled):
            one("chat", row)


def test_a_plain_prompt_with_an_answer_is_a_chat_too() -> None:
    question = one("chat", {"prompt": "What is 1 + 1?", "answer": 2})
    assert (question.text, question.answer, question.id) == ("What is 1 + 1?", "2", "set-00000")


def test_turns_of_open_reasoner_zero() -> None:
    turns = [
        {"from": "human", "value": "What is 1 + 1?"},
        {"from": "assistant", "ground_truth": {"value": "2", "pass_at_n": 0.5}},
    ]
    question = one("chat", {"turns": turns})
    assert (question.text, question.answer, question.meta) == ("What is 1 + 1?", "2", {})
    for truth in (None, {"value": None}, {}):
        with pytest.raises(Unlabelled):
            one("chat", {"turns": [turns[0], {"from": "assistant", "ground_truth": truth}]})
    with pytest.raises(Unlabelled):
        one("chat", {"turns": turns[:1]})


# ------------------------------------------------------------------ OlympiadBench


def test_several_answers_become_one_gold() -> None:
    question = one("olympiadbench", OLYMPIAD)
    assert (question.id, question.answer, question.meta) == ("set-01606", "2, -2", {"subfield": "Algebra"})


def test_a_context_stands_before_the_question() -> None:
    assert (
        one("olympiadbench", OLYMPIAD, context="Let $x>0$.").text
        == "Let $x>0$.\n\nFind all $x$ with $x^2=4$."
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"error": "0.01"}, "tolerance"),
        ({"error": 0.1}, "tolerance"),
        ({"answer_type": "Need_human_evaluate"}, "human judge"),
        ({"final_answer": None}, "no gold answer"),
        ({"final_answer": []}, "no gold answer"),
        ({"final_answer": ["$$"]}, "no gold answer"),
        ({"image_1": {"bytes": "x"}}, "images"),
        ({"modality": "Multimodal"}, "images"),
        ({"language": "Chinese"}, "not in English"),
        ({"subject": "Physics"}, "not on maths"),
        ({"question_type": "Theorem proof"}, "proof"),
    ],
)
def test_what_cannot_be_compared_or_shown_is_dropped(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unlabelled, match=reason):
        one("olympiadbench", OLYMPIAD, **change)


def test_the_columns_of_the_hub_change_nothing() -> None:
    hub = {"modality": "Text-only", "subject": "Math", "language": "English", "question_type": "Open-ended"}
    assert one("olympiadbench", OLYMPIAD, image_1=None, error=float("nan"), **hub).answer == "2, -2"


# ------------------------------------------------------------------ Countdown


@pytest.mark.parametrize(
    "row",
    [
        {"target": 23, "nums": [30, 100, 93]},
        {"target": 23.0, "nums": [30.0, 100, 93]},
        {"input": "30,100,93", "output": "23"},
        {"question": "Numbers: [30, 100, 93]\nTarget: 23", "ground_truth": [[30, 100, 93], 23]},
    ],
)
def test_countdown_in_every_published_form(row: dict[str, Any]) -> None:
    question = convert("countdown", row, kind="countdown")[0]
    assert question.text == "Numbers: 30, 100, 93\nTarget: 23"
    assert question.meta == {"numbers": [30, 100, 93], "target": 23}
    assert (question.answer, question.answer_kind, question.id) == ("23", "countdown", "set-00000")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "neither `nums`"),
        ({"target": 23, "nums": None}, "at least two numbers"),
        ({"target": 23, "nums": [23]}, "at least two numbers"),
        ({"target": None, "nums": [1, 2]}, "whole and not negative"),
        ({"target": 23, "nums": [1, None]}, "whole and not negative"),
        ({"target": 23, "nums": [1, -2]}, "whole and not negative"),
        ({"target": 23, "nums": [1, 2.5]}, "whole and not negative"),
        ({"target": 23, "nums": [1, True]}, "whole and not negative"),
        ({"target": 23, "nums": [1, "²"]}, "whole and not negative"),
        ({"target": 23, "nums": [1, "9" * 5000]}, "whole and not negative"),
        ({"target": float("nan"), "nums": [1, 2]}, "whole and not negative"),
        ({"input": "1,,2", "output": "3"}, "whole and not negative"),
        ({"input": ["1", "2"], "output": "3"}, "neither `nums`"),
        ({"ground_truth": [[1, 2]]}, "neither `nums`"),
    ],
)
def test_a_broken_countdown_row_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        convert("countdown", row, kind="countdown")
