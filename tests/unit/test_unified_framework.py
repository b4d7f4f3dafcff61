"""URLVR, appendix A.3: each intrinsic reward as a cross-entropy, worked out a second way; and its tabular theory."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from workflow_scripts.rewards.certainty import FORMULAS
from workflow_scripts.rewards.framework import INSTANCES, unified_reward
from workflow_scripts.rewards.group import Tokens

RNG = np.random.default_rng(5)


def response(size, places, sharpness=3.0):
    """The distributions of a response, and the tokens drawn."""
    distributions = softmax(sharpness * RNG.normal(size=(places, size)), axis=1)
    return distributions, [int(RNG.choice(size, p=row)) for row in distributions]


def as_tokens(distributions, drawn):
    """What the rewards see of it."""
    ordered = np.sort(distributions, axis=1)
    uniform = 1 / distributions.shape[1]
    return Tokens(
        logprobs=[math.log(row[token]) for row, token in zip(distributions, drawn, strict=True)],
        entropy=[-(row * np.log(row)).sum() for row in distributions],
        uniform_divergence=[(uniform * np.log(uniform / row)).sum() for row in distributions],
        disparity=list(ordered[:, -1] - ordered[:, -2]),
        answer_span=range(0),
    )


@pytest.mark.parametrize("name", ["self_certainty", "token_entropy", "trajectory_entropy", "probability"])
@pytest.mark.parametrize(("size", "places"), [(2, 1), (5, 3), (40, 12)])
def test_a_certainty_reward_is_a_cross_entropy(name, size, places):
    distributions, drawn = response(size, places)
    by_formula = unified_reward(INSTANCES[name], distributions, drawn)
    assert by_formula == pytest.approx(FORMULAS[name](as_tokens(distributions, drawn)), rel=1e-9)


def test_empo_is_the_cross_entropy_of_an_answer_and_the_answers():
    answers = np.array([[0.6, 0.3, 0.1]])
    for answer, share in enumerate(answers[0]):
        assert unified_reward(INSTANCES["empo"], answers, [answer]) == pytest.approx(share)


def test_majority_is_the_limit_of_sharpened_answers():
    answers = np.array([0.4, 0.35, 0.25])
    for temperature, tolerance in ((1e-2, 1e-2), (2e-3, 1e-9)):
        # The paper's tempered distribution is of the probabilities, not of their logarithms.
        sharpened = np.clip(softmax(answers / temperature), 1e-300, None)[None]
        rewards = [unified_reward(INSTANCES["majority"], sharpened, [answer]) for answer in range(3)]
        assert rewards == pytest.approx([1, 0, 0], abs=tolerance)


def test_self_certainty_is_the_paper_s_divergence_not_its_table_6():
    distributions, drawn = response(7, 4)
    by_formula = unified_reward(INSTANCES["self_certainty"], distributions, drawn)
    # Equation 29: -log V - 1/(T V) sum log p
    assert by_formula == pytest.approx(-math.log(7) - np.log(distributions).mean())
    assert unified_reward(INSTANCES["self_certainty"], np.full((2, 7), 1 / 7), [0, 1]) == pytest.approx(0)


def test_entropy_needs_the_minus_that_equations_31_and_32_lack():
    distributions, drawn = response(7, 4)
    reward = unified_reward(INSTANCES["token_entropy"], distributions, drawn)
    assert reward < 0
    assert reward == pytest.approx((distributions * np.log(distributions)).sum(axis=1).mean())


def test_psi_increases():
    for instance in INSTANCES.values():
        values = [instance.psi(z, 5, 10) for z in (-3.0, -1.0, -0.5, 0.0)]
        assert values == sorted(set(values))


# ------------------------------------------------------------------ tabular policies: section 3; A.1, A.2, A.5


def optimum(reference, rewards, beta):
    """Equation 2."""
    logits = np.log(reference) + rewards / beta
    return np.exp(logits - logsumexp(logits))


def objective(policy, reference, rewards, beta):
    """Equation 1."""
    return policy @ rewards - beta * (policy * np.log(policy / reference)).sum()


REFERENCE = softmax(RNG.normal(size=6))
ANSWERS = np.array([0, 0, 1, 1, 1, 2])


def majority_rewards(policy):
    mass = np.bincount(ANSWERS, policy)
    return (mass.argmax() == ANSWERS).astype(float)


@pytest.mark.parametrize("beta", [0.2, 1.0, 5.0])
def test_the_closed_form_is_the_optimum_and_its_majority_mass_is_equation_8(beta):
    rewards = majority_rewards(REFERENCE)
    best = optimum(REFERENCE, rewards, beta)
    for _ in range(200):
        other = softmax(np.log(best) + RNG.normal(scale=0.3, size=6))
        assert objective(other, REFERENCE, rewards, beta) < objective(best, REFERENCE, rewards, beta) + 1e-12
    before, factor = REFERENCE @ rewards, math.exp(1 / beta)
    assert best @ rewards == pytest.approx(before * factor / (before * factor + 1 - before), rel=1e-12)


@pytest.mark.parametrize("rate", [0.01, 0.1, 1.0])
def test_one_gradient_step_lies_between_the_policy_and_the_optimum(rate):
    # Equation 9, for the softmax policy and a beta whose optimum is further away than the step.
    rewards = majority_rewards(REFERENCE)
    before = REFERENCE @ rewards
    after = softmax(np.log(REFERENCE) + rate * REFERENCE * (rewards - before)) @ rewards
    assert optimum(REFERENCE, rewards, beta=0.2) @ rewards >= after >= before


def test_repeated_optima_converge_geometrically_at_the_rate_of_equation_24():
    beta, policy, errors = 0.7, REFERENCE, []
    first = majority_rewards(policy)
    for _ in range(14):
        policy = optimum(policy, majority_rewards(policy), beta)
        assert (majority_rewards(policy) == first).all()
        errors.append(1 - policy @ first)
    assert errors[-1] / errors[-2] == pytest.approx(math.exp(-1 / beta), rel=1e-5)
    # Equation 10: within the majority's class the proportions stay.
    kept = REFERENCE * first / (REFERENCE @ first)
    np.testing.assert_allclose(policy, kept, atol=1e-7)


@pytest.mark.parametrize("efficiency", [0.1, 0.5])
def test_partial_steps_converge_no_slower_than_equation_24_allows(efficiency):
    alpha, error = math.exp(1 / 0.7), 0.6
    for _ in range(200):
        target = 1 - (1 - error) * alpha / (1 + (alpha - 1) * (1 - error))
        after = error + efficiency * (target - error)
        # Equation 18, and its limit for a small error
        assert after == pytest.approx(
            error * (1 - efficiency * (alpha - 1) * (1 - error) / (alpha - (alpha - 1) * error))
        )
        assert after < error
        error = after
    assert error < 1e-6


@pytest.mark.parametrize("name", ["self_certainty", "token_entropy", "trajectory_entropy", "probability"])
def test_the_optimal_policy_of_each_reward_prefers_the_surer_response(name):
    # Equations 30 to 36: pi / pi_ref is exp(r / beta) up to one constant.
    responses = [response(5, places, sharpness) for places, sharpness in ((1, 1), (3, 2), (3, 4), (6, 3))]
    rewards = np.array([FORMULAS[name](as_tokens(*item)) for item in responses])
    reference = softmax(RNG.normal(size=4))
    ratio = optimum(reference, rewards, beta=0.5) / reference
    np.testing.assert_allclose(np.log(ratio) - rewards / 0.5, np.full(4, np.log(ratio[0]) - rewards[0] / 0.5))


def test_concordance_of_reward_and_probability_fails_for_a_mean_over_tokens():
    # Appendix A.4, equation 27, holds for the probability itself; a long response can be likelier per token.
    short, long = [math.log(0.5)], [math.log(0.8)] * 4
    assert math.exp(sum(short)) > math.exp(sum(long))
    assert np.mean(short) < np.mean(long)
