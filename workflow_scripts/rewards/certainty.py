"""Certainty rewards: how sure the policy is of its own response (URLVR, Tables 1 and 6; one formula each).

All are computed under the policy that sampled, at its temperature, over the tokens y_1 ... y_T of a response with its
end token and without padding. None looks at what the answer is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from workflow_scripts.rewards.group import Need, RolloutGroup, Tokens
from workflow_scripts.settings.methods import CertaintyFormula

NEEDED: frozenset[Need] = frozenset({"tokens"})


def self_certainty(tokens: Tokens) -> float:
    """r = 1/T sum_t KL(U || p_t), U uniform over the vocabulary (Intuitor); in [0, inf).

    The paper's Table 6 writes H(U, p) + log V where it is H(U, p) - log V; its Table 1 has it right.
    """
    return mean(tokens.uniform_divergence)


def token_entropy(tokens: Tokens) -> float:
    """r = -1/T sum_t H(p_t) (RENT, EM-RL); in [-log V, 0]."""
    return -mean(tokens.entropy)


def trajectory_entropy(tokens: Tokens) -> float:
    """r = 1/T sum_t log p_t(y_t), the log-likelihood per token (EM-RL); in (-inf, 0]."""
    return mean(tokens.logprobs)


def probability(tokens: Tokens) -> float:
    """r = prod_t p_t(y_t) = exp sum_t log p_t(y_t) (RLSC), in float64; in [0, 1].

    Not normalised by length: float32 would have 0 for every long response.
    """
    return math.exp(math.fsum(tokens.logprobs))


def probability_disparity(tokens: Tokens) -> float:
    """r = 1/|a| sum_{t in a} (largest - second largest probability), a the answer's tokens (RLSF); in [0, 1].

    0 where no answer can be read.
    """
    return mean([tokens.disparity[t] for t in tokens.answer_span])


FORMULAS: dict[CertaintyFormula, Callable[[Tokens], float]] = {
    "self_certainty": self_certainty,
    "token_entropy": token_entropy,
    "trajectory_entropy": trajectory_entropy,
    "probability": probability,
    "probability_disparity": probability_disparity,
}


class CertaintyReward:
    """r_k by one of the formulas; its pseudo-label is the answer of the surest rollout (URLVR, B.2)."""

    needs = NEEDED
    continuous = True

    def __init__(self, formula: CertaintyFormula) -> None:
        self.of_tokens = FORMULAS[formula]

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K rewards."""
        assert group.tokens is not None
        return [self.of_tokens(tokens) for tokens in group.tokens]

    def label(self, group: RolloutGroup) -> str | None:
        """Return the answer of the rollout with the highest reward; ties go to the first."""
        scores = self.score(group)
        return group.answers[max(range(len(scores)), key=scores.__getitem__)]


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing, so that an empty response is no error."""
    return math.fsum(values) / len(values) if values else 0.0
