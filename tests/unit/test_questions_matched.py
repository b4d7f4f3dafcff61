"""Questions with numbers as answers as choices. All questions are invented."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.questions.matched import matched_questions
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.question_sets import BuiltOptions


def base(answer: str, identity: str = "amc-1", kind: str = "number", **meta: object) -> Question:
    return Question(
        id=identity, source="amc", text="How many?", options=None, answer_kind=kind, meta=meta, answer=answer
    )


def matched(
    questions: Sequence[Question],
    wrong: Mapping[str, Sequence[str]] | None = None,
    n: int | None = 4,
    seed: int = 0,
) -> list[Question]:
    return matched_questions("amc_4op", questions, wrong or {}, BuiltOptions(n=n, seed=seed))


def one(answer: str, wrong: Sequence[str] = (), n: int = 4, seed: int = 0) -> Question:
    return matched([base(answer)], {"amc-1": wrong}, n, seed)[0]


def values(question: Question) -> list[int]:
    return [int(text) for text in (question.options or {}).values()]


def gold(question: Question) -> int:
    return int((question.options or {})[question.answer])


# ------------------------------------------------------------------ the questions


def test_only_options_letter_and_meta_differ_from_the_base_question() -> None:
    question = matched([base("142", level=3, truth={"answer": "142.0"})])[0]
    assert (question.id, question.text, question.source) == ("amc-1", "How many?", "amc_4op")
    assert (question.answer_kind, gold(question)) == ("choice", 142)
    construction = question.meta.pop("construction")
    assert construction.startswith("ours: ")
    origins = question.meta["truth"].pop("origins")
    assert origins[question.answer] == "right answer"
    assert Counter(origins.values()) == {"right answer": 1, "near miss": 3}
    assert question.meta == {
        "level": 3,
        "n_wrong_answers": 0,
        "n_near_misses": 3,
        "truth": {"answer": "142.0"},
    }


def test_what_gives_the_answer_away_is_hidden_from_policies() -> None:
    question = one("142", ["17"])
    assert set(question.unlabelled().meta) == {"construction", "n_wrong_answers", "n_near_misses"}


def test_the_base_question_is_not_changed() -> None:
    question = base("142", truth={"answer": "142.0"})
    matched([question])
    assert question == base("142", truth={"answer": "142.0"})


@pytest.mark.parametrize(
    "answer", ["1.414214", "0.5", "2/4", "1/0", "007", "3/1", "-0", "", "1e3", "(1,2)", "٣"]
)
def test_answers_that_are_no_whole_number_are_left_out(answer: str) -> None:
    questions = matched([base(answer, "amc-1"), base("5", "amc-2")])
    assert [question.id for question in questions] == ["amc-2"]


def test_questions_of_other_kinds_are_left_out() -> None:
    kinds = {"number": "1", "latex": "2", "countdown": "3", "choice": "4"}
    questions = matched([base(answer, kind, kind) for kind, answer in kinds.items()])
    assert [question.id for question in questions] == ["number", "latex"]


def test_no_question_left_is_an_error() -> None:
    with pytest.raises(UserError, match=r"question set amc_4op: none of the 1 base questions .*Check `of`"):
        matched([base("x")])


def test_a_number_of_options_is_asked_for() -> None:
    with pytest.raises(UserError, match=r"question set amc_4op: .*Set options\.n, for example 4"):
        matched([base("5")], n=None)


def test_options_depend_on_the_question_and_the_seed_alone() -> None:
    alone = matched([base("142", "amc-7")])
    among = matched([base("5", "amc-6"), base("142", "amc-7"), base("9", "amc-8")])
    assert among[1:2] == alone
    assert matched([base("142", "amc-7")], seed=1) != alone
    assert sorted(values(matched([base("142", "amc-9")])[0])) != sorted(values(alone[0]))


# ------------------------------------------------------------------ the wrong options

GOLDS = st.one_of(
    st.integers(-3000, 3000),
    st.sampled_from([10**40 + 7, -1, 0, 1]),
)


@settings(max_examples=150)
@given(GOLDS, st.lists(GOLDS, max_size=4), st.integers(2, 10), st.integers(0, 3))
def test_options_are_distinct_and_near_misses_of_the_sign_of_the_answer(
    answer: int, wrong: list[int], n: int, seed: int
) -> None:
    question = one(str(answer), [str(value) for value in wrong], n, seed)
    options, origins = question.options or {}, question.meta["truth"]["origins"]
    assert (gold(question), len(set(values(question)))) == (answer, n)
    assert all(str(int(text)) == text for text in options.values())
    for letter, text in options.items():
        value = int(text)
        if origins[letter] == "near miss":
            assert value > 0 if answer > 0 else value >= 0 if answer == 0 else value < 0
        if origins[letter] == "wrong answer of the base policy":
            assert value in wrong
    used = [value for value in dict.fromkeys(wrong) if value != answer][: n - 1]
    assert question.meta["n_wrong_answers"] == len(used)
    assert set(used) <= set(values(question))


def test_the_most_frequent_usable_wrong_answers_come_first() -> None:
    question = one("12", ["12", "{1,2}", "24", "24", "0.5", "3", "-7", "99"])
    assert sorted(values(question)) == [-7, 3, 12, 24]
    assert (question.meta["n_wrong_answers"], question.meta["n_near_misses"]) == (3, 0)


def test_near_misses_are_close() -> None:
    for answer in range(1, 3000, 37):
        numbers = values(one(str(answer)))
        assert max(numbers) <= 3 * min(numbers) + 30


def test_near_misses_are_found_where_all_neighbours_are_taken() -> None:
    wrong = [str(value) for value in range(2, 10)]
    assert len(set(values(one("1", wrong, n=10)))) == 10


# ------------------------------------------------------------------ nothing singles the right one out


def invented(n: int) -> list[Question]:
    # Log-uniform between 10 and 3000: sizes of answers in a competition, all with room below.
    draw = random.Random("invented answers")
    golds = [int(math.exp(draw.uniform(math.log(10), math.log(3000)))) for _ in range(n)]
    return [base(str(answer), f"q-{i}") for i, answer in enumerate(golds)]


def one_move_apart(a: int, b: int) -> bool:
    low, high = str(min(a, b)), str(max(a, b))
    swaps = {low[:i] + low[i + 1] + low[i] + low[i + 2 :] for i in range(len(low) - 1)}
    return abs(a - b) in {1, 10} or 2 * min(a, b) == max(a, b) or high in swaps


Suspicion = Callable[[int, list[int]], float]


def hits(questions: Sequence[Question], suspicion: Suspicion) -> float:
    """How often a reader is right who takes the option of the highest suspicion, ties by chance."""
    right = 0.0
    for question in questions:
        numbers = values(question)
        scores = {value: suspicion(value, numbers) for value in numbers}
        top = [value for value in numbers if scores[value] == max(scores.values())]
        right += (gold(question) in top) / len(top)
    return right / len(questions)


def test_every_rank_by_size_is_equally_likely() -> None:
    questions = matched(invented(400))
    ranks = Counter(sorted(values(question)).index(gold(question)) for question in questions)
    # 100 expected; chi-square with 3 degrees of freedom exceeds 16.27 once in a thousand.
    assert sum((ranks[rank] - 100) ** 2 / 100 for rank in range(4)) < 16.27


def test_every_rank_is_equally_likely_with_a_wrong_answer_on_either_side() -> None:
    questions = invented(400)
    draw = random.Random("invented mistakes")
    wrong = {q.id: [str(int(q.answer) + draw.choice([-1, 1]) * draw.randrange(1, 10))] for q in questions}
    made = matched(questions, wrong)
    assert all(question.meta["n_wrong_answers"] == 1 for question in made)
    ranks = Counter(sorted(values(question)).index(gold(question)) for question in made)
    assert sum((ranks[rank] - 100) ** 2 / 100 for rank in range(4)) < 16.27


def linked(value: int, numbers: list[int]) -> int:
    return sum(one_move_apart(value, other) for other in numbers if other != value)


SUSPICIONS: dict[str, Suspicion] = {
    "most links to others": linked,
    "fewest links to others": lambda value, numbers: -linked(value, numbers),
    "in the middle": lambda value, numbers: -sum(abs(value - other) for other in numbers),
    "at the edge": lambda value, numbers: sum(abs(value - other) for other in numbers),
    "round": lambda value, numbers: value % 10 == 0,
}


@pytest.mark.parametrize("suspicion", SUSPICIONS)
@pytest.mark.parametrize("with_wrong_answers", [False, True])
def test_guessing_by_looks_is_chance(suspicion: str, with_wrong_answers: bool) -> None:
    questions = invented(400)
    draw = random.Random("invented mistakes")
    wrong = {q.id: [str(int(q.answer) + draw.choice([-1, 1]) * draw.randrange(1, 10))] for q in questions}
    made = matched(questions, wrong if with_wrong_answers else {})
    # The standard deviation of a share of 400 at 0.25 is 0.022. Where the wrong answers of a policy lie is not ours:
    # near ones make far options less likely, so that some guesses fall below chance.
    share = hits(made, SUSPICIONS[suspicion])
    assert share < 0.25 + 0.075
    assert with_wrong_answers or share > 0.25 - 0.075
