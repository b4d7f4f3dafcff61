"""pass@k, diversity, best-of-N and the score-weighted vote."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.accuracy import pass_at_k
from workflow_scripts.evaluation.diversity import (
    answer_entropy,
    n_distinct_answers,
    n_distinct_responses,
    wrong_collision,
)
from workflow_scripts.evaluation.per_question import question_result
from workflow_scripts.evaluation.selection import best_of_n, sc_rm
from workflow_scripts.step_scores.aggregate import aggregate

DATA = Path(__file__).parents[3] / "shared" / "data"
QWEN = DATA / "model_outputs" / "qwen_math_cot_100.jsonl"
SCORED = DATA / "prm" / "RM-scored-example.json"


def test_a_question_without_a_readable_answer_has_no_right_majority() -> None:
    result = question_result("q", "A", [None, None], ["x", "y"])
    assert (result.majority_answer, result.majority_correct, result.n_correct) == (None, False, 0)


@given(n=st.integers(1, 7), data=st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_right_sample(n: int, data: st.DataObject) -> None:
    correct = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    k = data.draw(st.integers(1, n))
    subsets = list(combinations(correct, k))
    assert pass_at_k(n, sum(correct), k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_pass_at_k_for_large_n() -> None:
    # 1 - (1023/1024) for one right sample and k = 1; 1 for k = n.
    assert pass_at_k(1024, 1, 1) == pytest.approx(1 / 1024)
    assert pass_at_k(1024, 1, 1024) == 1.0
    with pytest.raises(ValueError):
        pass_at_k(4, 1, 5)


def test_best_of_n_skips_unreadable_answers_and_takes_the_first_of_equals() -> None:
    assert best_of_n([None, "A", "B", "C"], [0.9, 0.3, 0.5, 0.5]) == 2
    assert best_of_n([None, None], [0.9, 0.3]) is None
    assert best_of_n(["A", "B"], [-3.0, -1.0]) == 1


def test_the_weighted_vote_sums_scores_per_answer() -> None:
    # A 0.8, B 0.5 + 0.4
    assert sc_rm(["A", "B", None, "B"], [0.8, 0.5, 9.0, 0.4]).label == "B"


def test_diversity_by_hand() -> None:
    assert n_distinct_responses(["x", " x\n", "y"]) == 2
    assert n_distinct_answers(["A", None, "B", "A"]) == 2
    assert answer_entropy(["A", "B", None]) == pytest.approx(math.log(2))
    # 3/4 and 1/4: ln 4 - 3/4 ln 3
    assert answer_entropy(["A", "A", "A", "B"]) == pytest.approx(math.log(4) - 0.75 * math.log(3))
    assert answer_entropy([None, None]) == 0.0
    assert math.copysign(1, answer_entropy(["A", "A"])) == 1


@given(answers=st.lists(st.sampled_from(["A", "B", "C", None]), min_size=1, max_size=12), data=st.data())
def test_diversity_ignores_order_and_entropy_is_bounded(
    answers: list[str | None], data: st.DataObject
) -> None:
    entropy = answer_entropy(answers)
    assert entropy == pytest.approx(answer_entropy(data.draw(st.permutations(answers))))
    assert 0 <= entropy <= math.log(max(1, n_distinct_answers(answers))) + 1e-12


def test_collisions_of_wrong_answers_by_hand() -> None:
    # Wrong: B B C. Of the three pairs one is equal.
    assert wrong_collision(["A", "B", "B", "C", "A"], "A") == pytest.approx(1 / 3)
    # Unreadable samples are wrong and meet no other, not even each other: B B, and two of them make six pairs.
    assert wrong_collision(["B", None, "B", None], "A") == pytest.approx(1 / 6)
    assert wrong_collision([None, None], "A") == 0.0
    assert wrong_collision(["B", "B"], "A") == 1.0
    assert wrong_collision(["A", "B"], "A") is None
    assert wrong_collision(["A"], "A") is None


@given(answers=st.lists(st.sampled_from(["A", "B", "C", "D", None]), min_size=1, max_size=10))
def test_collisions_are_the_share_of_equal_pairs_of_wrong_samples(answers: list[str | None]) -> None:
    pairs = list(combinations([answer for answer in answers if answer != "A"], 2))
    expected = sum(a == b is not None for a, b in pairs) / len(pairs) if pairs else None
    assert wrong_collision(answers, "A") == (None if expected is None else pytest.approx(expected))


@pytest.mark.skipif(not QWEN.is_file(), reason="the shared model outputs are not beside this checkout")
def test_figures_of_published_samples() -> None:
    """50 questions x 8 samples; expected values are the independent ones of the data folder's README."""
    rows = [json.loads(line) for line in QWEN.read_text(encoding="utf-8").splitlines()]
    totals = {"avg": 0.0, "pass": 0.0, "maj": 0.0, "bon": 0.0, "weighted": 0.0}
    for row in rows:
        answers, correct = row["pred"], row["score"]
        scores = [score[0] for score in row["pred_score"]]

        def right(answer: str | None, answers: list = answers, correct: list = correct) -> bool:
            return answer is not None and correct[answers.index(answer)]

        totals["avg"] += sum(correct) / len(correct)
        totals["pass"] += pass_at_k(8, sum(correct), 8)
        totals["maj"] += right(majority(answers).label)
        totals["bon"] += correct[best_of_n(answers, scores)]
        totals["weighted"] += right(sc_rm(answers, scores).label)
    means = {name: total / len(rows) for name, total in totals.items()}
    assert means == pytest.approx(
        {"avg": 0.9375, "pass": 0.98, "maj": 0.96, "bon": 0.96, "weighted": 0.96}, abs=1e-12
    )


@pytest.mark.skipif(not SCORED.is_file(), reason="the shared scored example is not beside this checkout")
def test_product_aggregation_gives_the_published_score() -> None:
    example = json.loads(SCORED.read_text(encoding="utf-8"))
    steps = [1 - step["-1"] for step in example["rating_probs"]]
    assert aggregate(steps, "product") == pytest.approx(example["prm_score"], rel=1e-12)
