"""The majority vote."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.vote import Vote, majority

ANSWERS = st.lists(st.sampled_from(["A", "B", "C", None]), min_size=1, max_size=12)


def test_the_share_counts_unreadable_answers() -> None:
    assert majority(["A", None, "A", "B"]) == Vote(label="A", share=0.5, tie=False)


def test_unreadable_answers_never_become_the_label() -> None:
    assert majority([None, None, "B"]).label == "B"
    assert majority([None, None]) == Vote(label=None, share=0.0, tie=False)
    assert majority([]) == Vote(label=None, share=0.0, tie=False)


def test_a_tie_goes_to_the_answer_seen_first() -> None:
    assert majority(["B", "A", "A", "B"]) == Vote(label="B", share=0.5, tie=True)


def test_weights_can_overrule_the_count_but_not_the_share() -> None:
    assert majority(["A", "A", "B", None], [0.1, 0.2, 0.9, 5.0]) == Vote("B", 0.25, False)


def test_weights_are_summed_as_they_are() -> None:
    # A: 1 - 2 = -1, B: -0.5
    assert majority(["A", "A", "B"], [1.0, -2.0, -0.5]).label == "B"


def test_rounding_makes_and_breaks_no_tie() -> None:
    # Added up from the left, 0.1 ten times is 0.9999999999999999.
    assert majority(["A"] * 10 + ["B"], [0.1] * 10 + [1.0]) == Vote("A", 10 / 11, True)


@pytest.mark.parametrize("weights", [[1.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_unusable_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):
        majority(["A", "B"], weights)


@given(answers=ANSWERS, data=st.data())
def test_order_matters_only_in_a_tie(answers: list[str | None], data: st.DataObject) -> None:
    vote, other = majority(answers), majority(data.draw(st.permutations(answers)))
    assert (vote.tie, vote.share) == (other.tie, other.share)
    if not vote.tie:
        assert vote.label == other.label


@given(answers=ANSWERS)
def test_the_label_has_the_most_votes(answers: list[str | None]) -> None:
    counts = Counter(answer for answer in answers if answer)
    assert majority(answers).share * len(answers) == pytest.approx(max(counts.values(), default=0))
    assert majority(answers) == majority(answers, [2.5] * len(answers))


def test_missing_answers_as_one_class_vote_together_and_can_win() -> None:
    answers = ["A", None, "B", None, "A", None]
    assert majority(answers, missing="one_class") == Vote(label="", share=0.5, tie=False)
    assert majority(answers) == Vote(label="A", share=2 / 6, tie=False)
    assert majority([None, None], missing="one_class") == Vote(label="", share=1.0, tie=False)
    assert majority([], missing="one_class") == Vote(label=None, share=0.0, tie=False)


def test_a_tie_with_the_missing_answers_goes_to_what_was_seen_first() -> None:
    assert majority([None, "A", "A", None], missing="one_class") == Vote("", 0.5, True)
    assert majority(["A", None, None, "A"], missing="one_class") == Vote("A", 0.5, True)


def test_missing_answers_as_one_class_bring_their_weights() -> None:
    # A: 0.4; missing: 0.3 + 0.2
    assert majority(["A", None, None], [0.4, 0.3, 0.2], missing="one_class") == Vote("", 2 / 3, False)
    assert majority(["A", None, None], [0.4, 0.3, 0.2]).label == "A"


@given(answers=ANSWERS)
def test_one_class_is_a_vote_in_which_missing_is_an_answer_like_others(answers: list[str | None]) -> None:
    named = majority([answer or "Z" for answer in answers])
    vote = majority(answers, missing="one_class")
    assert (vote.label or "Z", vote.share, vote.tie) == (named.label, named.share, named.tie)
    if None not in answers:
        assert vote == majority(answers)
