"""Rewards on groups worked by hand; none but the oracle can know the gold answer."""

import dataclasses
import math
from typing import get_args

import pytest

from tests.unit.clinic_samples import angina_question
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.rewards import make_reward
from workflow_scripts.rewards.group import RolloutGroup, Tokens
from workflow_scripts.settings import methods


def tokens(*probabilities, span=range(0)):
    """A response whose tokens had these probabilities under distributions over two tokens."""
    entropies = [-sum(x * math.log(x) for x in (p, 1 - p) if x) for p in probabilities]
    divergences = [-math.log(2) - (math.log(p) + math.log(1 - p)) / 2 for p in probabilities]
    gaps = [abs(2 * p - 1) for p in probabilities]
    return Tokens([math.log(p) for p in probabilities], entropies, divergences, gaps, span)


def group(answers, step_scores=None, stream="0/0/q", of_tokens=None):
    if of_tokens is None:
        of_tokens = [tokens(0.5 + 0.4 / (k + 1), 0.75, span=range(1)) for k in range(len(answers))]
    return RolloutGroup(
        question=angina_question().unlabelled(),
        texts=tuple(f"response {i}" for i in range(len(answers))),
        answers=tuple(answers),
        step_scores=None if step_scores is None else tuple(map(tuple, step_scores)),
        tokens=tuple(of_tokens),
        stream=stream,
    )


def reward(settings):
    return make_reward(settings, {"hand-1": "B"})


ONE_CLASS = methods.MajorityReward(kind="majority", missing="one_class")
ALL = [
    methods.MajorityReward(kind="majority"),
    *(
        methods.ProcessReward(kind="process", aggregation=how, format_guard=guard)
        for how in ("min", "mean", "sum", "product", "last")
        for guard in (True, False)
    ),
    methods.ProcessLabelReward(kind="process_label", selection="sc_rm", aggregation="min"),
    methods.ProcessLabelReward(kind="process_label", selection="bon", aggregation="min"),
    *(
        methods.CertaintyReward(kind="certainty", formula=formula)
        for formula in get_args(methods.CertaintyFormula)
    ),
    methods.MajorityReward(kind="majority", min_share=0.5),
    *(methods.EmpoReward(kind="empo", all_distinct=rule) for rule in ("zero", "share")),
    methods.OracleReward(kind="oracle"),
    methods.RandomReward(kind="random"),
    methods.FormatReward(kind="format"),
]


def test_a_group_cannot_carry_the_gold_answer():
    names = {field.name for field in dataclasses.fields(UnlabelledQuestion)}
    names |= {field.name for field in dataclasses.fields(RolloutGroup)}
    assert not names & {"answer", "gold", "correct", "label", "truth"}


def test_majority_rewards_the_most_frequent_answer_and_ties_go_to_the_first_seen():
    majority = reward(ALL[0])
    assert majority.score(group(["A", "B", "B", None])) == [0, 1, 1, 0]
    assert majority.score(group(["C", "B", "B", "C"])) == [1, 0, 0, 1]


def test_unparseable_answers_never_become_the_pseudo_label():
    majority = reward(ALL[0])
    assert majority.label(group([None, None, None, "D"])) == "D"
    assert majority.label(group([None, None])) is None
    assert majority.score(group([None, None])) == [0, 0]


def test_missing_answers_as_one_class_can_be_the_pseudo_label_and_are_then_rewarded():
    missing = [None, None, None, "D"]
    assert (reward(ONE_CLASS).label(group(missing)), reward(ONE_CLASS).score(group(missing))) == (
        "",
        [1, 1, 1, 0],
    )
    assert reward(ONE_CLASS).score(group([None, None])) == [1, 1]
    # Where an answer wins, a missing one gets nothing under either rule.
    assert reward(ONE_CLASS).score(group(["D", None, "D", "A"])) == [1, 0, 1, 0]
    assert reward(ALL[0]).score(group(missing)) == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("min", [0.2, 0.5]),
        ("mean", [0.5, 0.75]),
        ("sum", [1.5, 1.5]),
        ("product", [0.08, 0.5]),
        ("last", [0.8, 0.5]),
    ],
)
def test_process_reward_aggregates_the_step_scores(how, expected):
    process = reward(methods.ProcessReward(kind="process", aggregation=how, format_guard=True))
    scored = process.score(group(["A", "B"], [[0.5, 0.2, 0.8], [1.0, 0.5]]))
    assert scored == pytest.approx(expected)


def test_format_guard_gives_zero_without_an_answer_and_can_be_switched_off():
    scores = [[0.9, 0.8], [0.7]]
    guarded = reward(methods.ProcessReward(kind="process", aggregation="min", format_guard=True))
    bare = reward(methods.ProcessReward(kind="process", aggregation="min", format_guard=False))
    assert guarded.score(group([None, "A"], scores)) == [0.0, 0.7]
    assert bare.score(group([None, "A"], scores)) == [0.8, 0.7]


def test_an_empty_response_scores_zero_under_every_aggregation():
    for settings in ALL[1:11]:
        assert reward(settings).score(group([None], [[]])) == [0.0]


def test_process_label_by_weighted_vote_and_by_best_response_can_differ():
    scored = group(["A", "A", "B", None], [[0.4], [0.4], [0.7], [0.99]])
    by_vote, by_best = reward(ALL[11]), reward(ALL[12])
    assert (by_vote.label(scored), by_vote.score(scored)) == ("A", [1, 1, 0, 0])
    assert (by_best.label(scored), by_best.score(scored)) == ("B", [0, 0, 1, 0])


def test_process_label_without_any_answer_rewards_nobody():
    nothing = group([None, None], [[0.9], [0.8]])
    assert reward(ALL[11]).score(nothing) == [0, 0]
    assert reward(ALL[12]).score(nothing) == [0, 0]


def test_controls():
    answers = group(["A", "B", None, "B"])
    assert reward(methods.OracleReward(kind="oracle")).score(answers) == [0, 1, 0, 1]
    assert reward(methods.FormatReward(kind="format")).score(answers) == [1, 1, 0, 1]
    coin = reward(methods.RandomReward(kind="random"))
    many = group(["A"] * 2000)
    assert coin.score(many) == coin.score(many) != coin.score(group(["A"] * 2000, stream="0/1/q"))
    assert sum(coin.score(many)) / 2000 == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize(
    "settings", [*ALL, ONE_CLASS], ids=lambda s: "-".join(map(str, s.model_dump().values()))
)
def test_no_reward_but_the_oracle_changes_with_the_gold_answer(settings):
    rollouts = group(["A", "B", "B", None], [[0.9, 0.4], [0.3], [0.8, 0.6], [0.5]])
    with_gold_b = make_reward(settings, {"hand-1": "B"}).score(rollouts)
    with_gold_e = make_reward(settings, {"hand-1": "E"}).score(rollouts)
    assert (with_gold_b != with_gold_e) == isinstance(settings, methods.OracleReward)


@pytest.mark.parametrize(
    "settings", [*ALL[:-2], ONE_CLASS], ids=lambda s: "-".join(map(str, s.model_dump().values()))
)
def test_permuting_the_rollouts_permutes_the_rewards(settings):
    answers, scores = ["A", "B", "B", None, "B"], [[0.9, 0.4], [0.3], [0.8, 0.6], [0.5], [0.2]]
    order = [3, 1, 4, 0, 2]
    plain = reward(settings).score(group(answers, scores))
    tokens = group(answers).tokens
    seen = group(
        [answers[i] for i in order], [scores[i] for i in order], of_tokens=[tokens[i] for i in order]
    )
    permuted = reward(settings).score(seen)
    assert permuted == pytest.approx([plain[i] for i in order])


# ------------------------------------------------------------------ certainty


def certainty(formula):
    return reward(methods.CertaintyReward(kind="certainty", formula=formula))


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        # Tokens of probability 3/4 and 1/4, then one of 1/2; both distributions of the first have
        # H = 2 log 2 - 3/4 log 3 and KL(U || p) = log 2 - 1/2 log 3 + log 2 - log 2.
        ("self_certainty", (math.log(2) - math.log(3) / 2, 0.0)),
        ("token_entropy", (-(2 * math.log(2) - 0.75 * math.log(3)), -math.log(2))),
        ("trajectory_entropy", ((math.log(3 / 4) + math.log(1 / 4)) / 2, -math.log(2))),
        ("probability", (3 / 16, 1 / 2)),
        ("probability_disparity", (1 / 2, 0.0)),
    ],
)
def test_a_certainty_reward_is_its_formula(formula, values):
    seen = group("AB", of_tokens=[tokens(0.75, 0.25, span=range(1, 2)), tokens(0.5, span=range(1))])
    assert certainty(formula).score(seen) == pytest.approx(values)


@pytest.mark.parametrize("formula", get_args(methods.CertaintyFormula))
def test_the_label_of_a_certainty_reward_is_the_answer_of_the_surest_rollout(formula):
    of_tokens = [tokens(0.6, span=range(1)), tokens(0.9, span=range(1)), tokens(0.9, span=range(1))]
    assert certainty(formula).label(group("ABC", of_tokens=of_tokens)) == "B"
    assert certainty(formula).label(group(["A", None, "C"], of_tokens=of_tokens)) is None


def test_the_probability_of_a_long_response_is_not_lost_in_float32():
    (value,) = certainty("probability").score(group("A", of_tokens=[tokens(*[0.5] * 200)]))
    assert value == pytest.approx(2.0**-200, rel=1e-9)


def test_a_response_without_an_answer_has_no_disparity():
    assert certainty("probability_disparity").score(group([None], of_tokens=[tokens(0.9)])) == [0.0]
