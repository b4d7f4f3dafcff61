"""Options in a drawn order, and the page that describes what is drawn. All texts are invented."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.questions.options import shuffled_options
from workflow_scripts.settings.question_sets import QuestionSetSpec

PAGE = Path(__file__).parents[2] / "docs" / "question-sets.md"
METALS = ["Zinc", "Iron", "Lead", "Gold"]


def test_the_order_is_the_same_in_every_process_and_version() -> None:
    # By hand from the first four values of random.Random("0:q-1").random() and of random.Random("1:q-1").random():
    # 0.35, 0.69, 0.72, 0.05 and 0.34, 0.24, 0.96, 0.86.
    assert shuffled_options(METALS, "Gold", 0, "q-1") == (
        {"A": "Gold", "B": "Zinc", "C": "Iron", "D": "Lead"},
        "A",
    )
    assert shuffled_options(METALS, "Gold", 1, "q-1") == (
        {"A": "Iron", "B": "Zinc", "C": "Gold", "D": "Lead"},
        "C",
    )


@given(
    st.lists(st.text(min_size=1).map(str.strip).filter(bool), min_size=2, max_size=10, unique=True),
    st.integers(0, 9),
    st.text(),
)
def test_the_letter_is_that_of_the_answer_and_no_text_is_lost(texts: list[str], seed: int, name: str) -> None:
    answer = texts[seed % len(texts)]
    options, letter = shuffled_options(texts, answer, seed, name)
    assert options[letter] == answer
    assert list(options) == list("ABCDEFGHIJ"[: len(texts)])
    assert sorted(options.values()) == sorted(texts)


def test_every_letter_is_right_equally_often() -> None:
    letters = Counter(shuffled_options(METALS, "Zinc", 0, f"q-{i}")[1] for i in range(400))
    # 100 expected; 4 standard deviations of a binomial count are 35.
    assert all(65 <= letters[letter] <= 135 for letter in "ABCD")


def test_wrong_options_may_repeat_but_the_right_one_may_not() -> None:
    options, letter = shuffled_options(["Zinc", "Iron", "Iron"], "Zinc", 0, "q-1")
    assert (options[letter], sorted(options.values())) == ("Zinc", ["Iron", "Iron", "Zinc"])
    with pytest.raises(UserError, match=r"q-1: the right answer is among the wrong options"):
        shuffled_options(["Zinc", "Iron", " Zinc "], "Zinc", 0, "q-1")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["Zinc"], "q-1: 1 options"),
        ([str(i) for i in range(10)] + ["Zinc"], "q-1: 11 options"),
        (["Zinc", " "], "q-1: an option is empty"),
    ],
)
def test_what_cannot_be_lettered_is_refused(texts: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        shuffled_options(texts, "Zinc", 0, "q-1")


def test_messages_do_not_quote_options_that_must_stay_secret() -> None:
    with pytest.raises(UserError) as error:
        shuffled_options(["secret", "secret"], "secret", 0, "q-1")
    assert "secret" not in str(error.value)


def test_an_answer_that_is_no_option_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="the answer is not among the texts"):
        shuffled_options(METALS, "Tin", 0, "q-1")


def test_the_entries_on_the_page_are_valid() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    entries = {name: entry for block in blocks for name, entry in yaml.safe_load(block).items()}
    shapes = {
        getattr(QuestionSetSpec.model_validate(entry).source, "shape", "matched")
        for entry in entries.values()
    }
    assert shapes == {"ddxplus", "med_prm", "matched", "gpqa"}
