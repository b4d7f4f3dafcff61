"""Rewards of groups that mean the same, and of more than one group: hand-worked, and by a slow second way."""

import random
from collections import Counter

import pytest

from tests.unit.test_rewards import group
from workflow_scripts.answers.vote import majority
from workflow_scripts.rewards.clusters import EmpoReward, clusters
from workflow_scripts.rewards.majority import MajorityReward
from workflow_scripts.rewards.peers import co_reward, rlccf, rlccf_label


def test_empo_is_the_share_of_the_group_with_the_same_answer():
    assert EmpoReward().score(group(["A", "B", "A", None, "A"])) == [0.6, 0.2, 0.6, 0.0, 0.6]
    assert EmpoReward().label(group(["B", "A", "A", "B"])) == "B"
    assert EmpoReward().score(group([None, None])) == [0.0, 0.0]
    assert EmpoReward().label(group([None, None])) is None


def test_a_group_of_distinct_answers_gets_nothing_unless_asked_for():
    assert EmpoReward().score(group(["A", "B", "C", "D"])) == [0.0] * 4
    assert EmpoReward("share").score(group(["A", "B", "C", "D"])) == [0.25] * 4
    # One that is missing is not distinct: the entropy of the answers is below log K.
    assert EmpoReward().score(group(["A", "B", None])) == [1 / 3, 1 / 3, 0.0]


@pytest.mark.parametrize("seed", range(20))
def test_clusters_by_equality_are_counts(seed):
    rng = random.Random(seed)
    answers = [rng.choice(["1", "2", "3", None]) for _ in range(rng.randint(1, 12))]
    counts = Counter(answer for answer in answers if answer is not None)
    slow = [counts[answer] / len(answers) if answer is not None else 0.0 for answer in answers]
    assert EmpoReward("share").score(group(answers)) == slow
    assert EmpoReward().label(group(answers)) == majority(answers).label


def test_a_judge_of_meaning_may_replace_equality():
    def same_size(a, b):
        return len(a) == len(b)

    assert clusters(["x", "yy", "z", None, "ww"], same_size) == [[0, 2], [1, 4]]
    reward = EmpoReward(same=same_size)
    assert reward.score(group(["x", "yy", "z", None, "vv", "ww"])) == [2 / 6, 3 / 6, 2 / 6, 0.0, 3 / 6, 3 / 6]
    assert reward.label(group(["x", "yy", "z", None, "vv", "ww"])) == "yy"


@pytest.mark.parametrize(
    ("answers", "rewards", "label"),
    [
        (["A", "A", "B", "C"], [1.0, 1.0, 0.0, 0.0], "A"),
        (["A", "B", "C", "A", None], [0.0] * 5, None),
        ([None, None], [0.0, 0.0], None),
    ],
)
def test_a_majority_that_is_too_small_is_no_label(answers, rewards, label):
    reward = MajorityReward(min_share=0.5)
    assert (reward.score(group(answers)), reward.label(group(answers))) == (rewards, label)


def test_co_reward_crosses_the_votes_or_adds_them():
    answers, rephrased = ["A", "A", "B"], ["B", "B", "A", None]
    assert co_reward(answers, rephrased) == ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0])
    assert co_reward(answers, rephrased, "sum") == ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0])
    assert co_reward(["A"], ["A", "A"], "sum") == ([2.0], [2.0, 2.0])
    assert co_reward([None], ["A"]) == ([0.0], [0.0])


def test_rlccf_weighs_each_model_by_its_own_agreement():
    # Model 1 agrees with itself (weight 3): A 9. Model 2 does not (weight 1): B 1 + 1, C 1 each.
    models = [["A", "A", "A"], ["B", "C", "D"], ["B", "E", "F"]]
    assert rlccf_label(models) == "A"
    assert rlccf(models) == [[1.0] * 3, [0.0] * 3, [0.0] * 3]
    # B: 2 * 2 + 2 * 2 = 8 against A's 3 * 2 = 6 and 9 with one more.
    assert rlccf_label([["A", "A", None], ["B", "B"], ["B", "B"]]) == "B"
    assert rlccf_label([[None], []]) is None


@pytest.mark.parametrize("seed", range(20))
def test_rlccf_with_one_model_is_the_majority(seed):
    rng = random.Random(seed)
    answers = [rng.choice(["1", "2", "3", None]) for _ in range(9)]
    assert rlccf_label([answers]) == majority(answers).label
