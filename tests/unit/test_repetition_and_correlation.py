"""Repeated 4-grams, and the correlation of rewards with the truth."""

import numpy as np
import pytest

from workflow_scripts.evaluation.agreement import agreement
from workflow_scripts.evaluation.diversity import repeated_ngrams


@pytest.mark.parametrize(
    ("tokens", "share"),
    [
        ([], 0),
        ([1, 2, 3], 0),
        ([1, 2, 3, 4], 0),
        ([1, 1, 1, 1, 1, 1], 2 / 3),  # three 4-grams, all the same
        ([1, 2, 3, 4, 1, 2, 3, 4], 1 / 5),  # 1234 2341 3412 4123 1234
        (list(range(50)), 0),
    ],
)
def test_the_share_of_4_grams_written_before(tokens, share):
    assert repeated_ngrams(tokens) == pytest.approx(share)


def test_the_correlation_is_over_all_rollouts_of_the_batch():
    answers, golds = [["A", "B"], ["A", "A", "B"]], ["A", "B"]
    rewards = [[0.9, 0.2], [0.1, 0.5, 0.4]]
    found = agreement(answers, golds, rewards, continuous=True)
    truth = [1, 0, 0, 0, 1]
    assert found.point_biserial == pytest.approx(np.corrcoef([0.9, 0.2, 0.1, 0.5, 0.4], truth)[0, 1])


def test_without_variance_there_is_no_correlation():
    assert agreement([["A", "B"]], ["A"], [[0.3, 0.3]], continuous=True).point_biserial is None
    assert agreement([["A", "A"]], ["A"], [[0.1, 0.3]], continuous=True).point_biserial is None


def test_a_continuous_reward_is_judged_where_its_surest_response_has_no_answer():
    # The surest says nothing; the other two are told apart rightly.
    found = agreement([[None, "A", "B"]], ["A"], [[0.9, 0.8, 0.1]], labels=[None], continuous=True)
    assert (found.label_accuracy, found.no_label) == (0.0, 0.0)
    assert found.reward_accuracy == pytest.approx(2 / 3)
    nothing = agreement([[None, None]], ["A"], [[0.9, 0.1]], labels=[None], continuous=True)
    assert (nothing.no_label, nothing.reward_accuracy) == (1.0, 0.0)
