"""Questions that a policy's majority gets wrong: which stay, by samples worked by hand."""

import pandas as pd
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.outvoted import outvoted_questions
from workflow_scripts.questions.schema import Question, write_questions
from workflow_scripts.questions.sources import load_questions
from workflow_scripts.settings.prompts import PromptSpec
from workflow_scripts.settings.question_sets import MathRule, OutvotedQuestions, QuestionSetSpec

GOLD = "7"
ANSWERS = {
    "wrong": ["1", "1", "1", "7", None],
    "half": ["1", "1", "7", "2", None],  # two of five: not more than 0.4
    "right": ["7", "7", "7", "1", "1"],
    "tie": ["1", "7", "1", "7", "1"],
    "first of a tie": ["1", "1", "7", "7", None],
    "silent": [None] * 5,
}


@pytest.fixture
def files(tmp_path):
    questions = [
        Question(id=name, source="s", text=name, options=None, answer=GOLD, answer_kind="number", meta={})
        for name in ANSWERS
    ]
    rows = [
        {"question_id": name, "sample": k, "text": "t", "answer": answer, "correct": answer == GOLD}
        for name, answers in ANSWERS.items()
        for k, answer in enumerate(answers)
    ]
    write_questions(tmp_path / "questions.parquet", questions)
    pd.DataFrame(rows).to_parquet(tmp_path / "rollouts.parquet")
    return questions, tmp_path


@pytest.mark.parametrize(
    ("min_share", "kept"),
    [
        (0.4, ["wrong", "tie"]),
        (0.39, ["wrong", "half", "tie", "first of a tie"]),
        (0.6, []),
        (0.59, ["wrong", "tie"]),
    ],
)
def test_the_majority_is_wrong_and_has_more_than_the_share(files, min_share, kept):
    questions, folder = files
    found = outvoted_questions(questions, folder / "rollouts.parquet", min_share)
    assert [question.id for question in found] == kept


def spec(**values):
    source = OutvotedQuestions(kind="outvoted", of="base", policy="p", min_share=0.4)
    return QuestionSetSpec(
        source=source,
        prompt=PromptSpec(user="{text}"),
        answer=MathRule(kind="number"),
        licence="x",
        **values,
    )


def test_the_others_are_counted_as_dropped(files):
    _, folder = files
    loaded = load_questions(
        "mine", spec(), base=folder / "questions.parquet", base_samples=folder / "rollouts.parquet"
    )
    assert [question.id for question in loaded.questions] == ["wrong", "tie"]
    assert (loaded.source_rows, loaded.dropped.total()) == (6, 4)


def test_without_samples_or_without_a_question_left_it_is_said_in_one_line(files):
    _, folder = files
    with pytest.raises(UserError, match="of base as --base, and the samples of p"):
        load_questions("mine", spec(), base=folder / "questions.parquet")
    none = spec().model_copy(update={"source": spec().source.model_copy(update={"min_share": 0.9})})
    with pytest.raises(UserError, match="no question is left"):
        load_questions(
            "mine", none, base=folder / "questions.parquet", base_samples=folder / "rollouts.parquet"
        )
