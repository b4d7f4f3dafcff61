"""Whatever stands in a row: a shape returns a question, drops the row, or says in one line what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes import Unlabelled, row_converter
from workflow_scripts.questions.tables import Row, read_rows
from workflow_scripts.settings.question_sets import BuiltOptions, Shape

FOUR = {"A": "Neon", "B": "Iron", "C": "Argon", "D": "Xenon"}
VALID: dict[Shape, dict[str, Any]] = {
    "chat": {
        "prompt": [{"role": "user", "content": "What is 1 + 1?"}],
        "reward_model": {"ground_truth": "2"},
        "extra_info": {"index": 1},
    },
    "commonsenseqa": {
        "id": "a1",
        "question": "Which?",
        "choices": {"label": list(FOUR), "text": list(FOUR.values())},
        "answerKey": "B",
    },
    "countdown": {"target": 23, "nums": [30, 100, 93]},
    "gpqa": {
        "Question": "Which secret?",
        "Correct Answer": "secret iron",
        "Incorrect Answer 1": "secret neon",
        "Incorrect Answer 2": "secret argon",
        "Incorrect Answer 3": "secret xenon",
        "Record ID": "rec1",
    },
    "med_prm": {
        "question_id": 1,
        "data_source": "med_qa",
        "question": "Which?\n(A) Neon\n(B) Iron",
        "options": ["Neon", "Iron"],
        "correct_answer": "B",
        "related_docs": ["Iron is a metal."],
    },
    "medmcqa": {
        "id": "a1",
        "question": "Which?",
        "opa": "Neon",
        "opb": "Iron",
        "opc": "Argon",
        "opd": "Xenon",
        "cop": 1,
    },
    "medqa": {"question": "Which?", "options": FOUR, "answer_idx": "B", "answer": "Iron"},
    "mmlu": {"question": "Which?", "subject": "chemistry", "choices": list(FOUR.values()), "answer": 1},
    "mmlu_pro": {
        "question_id": 1,
        "question": "Which?",
        "options": list(FOUR.values()),
        "answer": "B",
        "answer_index": 1,
    },
    "olympiadbench": {"id": 1, "question": "What?", "final_answer": ["2"], "error": None, "context": None},
    "options_in_text": {"problem": "Which?\n(A) Neon\n(B) Iron", "answer": "B"},
    "problem": {"id": 1, "problem": "What?", "answer": "2", "solution": "\\boxed{2}"},
    "questions": {"id": "a1", "text": "Which?", "options": FOUR, "answer": "B", "meta": {"n": 1}},
}
HOSTILE: list[Any] = [
    None,
    "",
    " \n",
    "secret text that no message may quote",
    float("nan"),
    float("inf"),
    True,
    -1,
    10**400,
    3.5,
    [],
    [None],
    [[]],
    [{}],
    [{"role": "user"}, None],
    {},
    {"A": None},
    {"A": {"b": None}, "B": []},
    {"label": None, "text": None},
    {"ground_truth": {"ground_truth": None}},
    {"index": [1]},
    b"bytes",
    "\ud800",
    "(A) " * 2000,
    " " * 20_000 + "x",
    "\\boxed{" * 2000,
    ["x"] * 40,
]
OPTIONS = BuiltOptions(seed=0)


def outcome(shape: Shape, values: dict[str, Any]) -> Question | str:
    rows = [Row("file, row 1", 0, values)]
    try:
        question = row_converter(shape, "set", rows, OPTIONS, {}, "latex")(rows[0])
    except (Unlabelled, UserError) as error:
        return str(error)
    assert question.text.strip()
    assert question.id.strip()
    assert isinstance(question.answer, str)
    if question.options is not None:
        assert question.answer in question.options
        assert all(isinstance(text, str) and text.strip() for text in question.options.values())
    return question


def cases() -> list[Any]:
    return [pytest.param(shape, field, id=f"{shape}-{field}") for shape in VALID for field in VALID[shape]]


@pytest.mark.parametrize("shape", VALID)
def test_the_unspoilt_row_is_a_question(shape: Shape) -> None:
    assert isinstance(outcome(shape, VALID[shape]), Question)


@pytest.mark.parametrize(("shape", "field"), cases())
def test_a_hostile_value_is_a_question_a_drop_or_one_line(shape: Shape, field: str) -> None:
    missing = {name: value for name, value in VALID[shape].items() if name != field}
    for values in (missing, *({**VALID[shape], field: value} for value in HOSTILE)):
        result = outcome(shape, values)
        if isinstance(result, str):
            assert "\n" not in result
            assert len(result) < 400
            assert "secret" not in result  # any shape may hold questions that must not be shown


@pytest.mark.parametrize("shape", VALID)
def test_rows_without_any_field_are_refused(shape: Shape) -> None:
    for values in ({}, {"": 1}, {"turns": None, "options": None}):
        assert isinstance(outcome(shape, values), str)


@pytest.mark.parametrize("field", VALID["gpqa"])
def test_a_repeated_answer_of_gpqa_is_not_quoted(field: str) -> None:
    result = outcome("gpqa", {**VALID["gpqa"], field: VALID["gpqa"]["Correct Answer"]})
    assert not isinstance(result, str) or "secret" not in result


@pytest.mark.parametrize("shape", ["mmlu", "mmlu_pro"])
def test_an_option_that_a_list_lacks_is_no_option_less(shape: Shape) -> None:
    key = "choices" if shape == "mmlu" else "options"
    for nothing in (None, float("nan")):
        assert "none of them empty" in str(outcome(shape, {**VALID[shape], key: ["Neon", "Iron", nothing]}))


@pytest.mark.parametrize("shape", ["chat", "med_prm", "problem"])
def test_an_id_is_one_printable_line(shape: Shape) -> None:
    ids = {
        "chat": {"extra_info": {"index": "a\nb"}},
        "med_prm": {"question_id": "a\nb"},
        "problem": {"id": "a\nb"},
    }
    assert "its id is no printable text" in str(outcome(shape, {**VALID[shape], **ids[shape]}))


@pytest.mark.parametrize("shape", VALID)
def test_nulls_that_arrow_puts_into_every_struct_change_nothing(shape: Shape, tmp_path: Path) -> None:
    # One more row with other keys: Arrow gives both rows the keys of both, null where a row has none.
    other: dict[str, Any] = {
        key: {"other_key": "x", **({"A": "x"} if key == "options" else {})}
        for key, value in VALID[shape].items()
        if isinstance(value, dict) and value
    }
    pq.write_table(pa.Table.from_pylist([VALID[shape], {**other, "other": 1}]), tmp_path / "rows.parquet")
    row = read_rows(tmp_path / "rows.parquet")[0]
    if any(isinstance(value, dict) for value in VALID[shape].values()):
        assert None in [v for value in row.values.values() if isinstance(value, dict) for v in value.values()]
    direct = outcome(shape, VALID[shape])
    through = outcome(shape, row.values)
    assert isinstance(through, Question)
    assert isinstance(direct, Question)
    assert (through.text, through.options, through.answer) == (direct.text, direct.options, direct.answer)
    json.dumps(through.meta)
