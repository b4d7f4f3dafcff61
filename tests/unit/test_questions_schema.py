"""The question schema, its parquet file and its prompts."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import Question, UnlabelledQuestion, read_questions, write_questions
from workflow_scripts.settings.prompts import PromptSpec

QUESTION = Question(
    id="q1",
    source="test",
    text="Which {options} thins blood, \\boxed{?}",
    options={"A": "Zinc", "B": "Warfarin"},
    answer_kind="choice",
    meta={"findings": ["fever"], "truth": {"condition": "flu"}},
    answer="B",
)
PROMPT = PromptSpec(system="Answer.", user="Q: {text}\n{options}\nEnd with \\boxed{X}.")


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    free = replace(QUESTION, id="q2", options=None, answer="12", answer_kind="number")
    write_questions(tmp_path / "q.parquet", [QUESTION, free])
    assert read_questions(tmp_path / "q.parquet") == [QUESTION, free]


def test_equal_questions_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_questions(tmp_path / name, [QUESTION])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_unlabelled_question_has_no_place_for_the_answer() -> None:
    unlabelled = QUESTION.unlabelled()
    assert type(unlabelled) is UnlabelledQuestion
    assert "answer" not in {field.name for field in fields(unlabelled)}
    assert unlabelled.meta == {"findings": ["fever"]}
    assert "flu" not in repr(unlabelled)


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    write_questions(path, [QUESTION])
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UserError, match=r"q\.parquet.*truncated"):
        read_questions(path)
    with pytest.raises(UserError, match=r"no question file .*other\.parquet"):
        read_questions(tmp_path / "other.parquet")


def test_a_prompt_fills_its_placeholders_once_and_keeps_other_braces() -> None:
    messages = render_prompt(QUESTION, PROMPT)
    assert messages == [
        {"role": "system", "content": "Answer."},
        {
            "role": "user",
            "content": "Q: Which {options} thins blood, \\boxed{?}\n(A) Zinc\n(B) Warfarin\n"
            "End with \\boxed{X}.",
        },
    ]


def test_without_a_system_text_there_is_no_system_message() -> None:
    assert [m["role"] for m in render_prompt(QUESTION, PromptSpec(user="{text} {options}"))] == ["user"]


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (PromptSpec(user="{options}"), "text"),
        (PromptSpec(user="{text}"), "options"),
        (PromptSpec(user="{text}{options}", option="{text}"), "letter"),
    ],
)
def test_a_prompt_that_hides_part_of_the_question_is_refused(prompt: PromptSpec, message: str) -> None:
    with pytest.raises(UserError, match=message):
        render_prompt(QUESTION, prompt)
