"""All intrinsic rewards as one formula (URLVR, appendix A.3, Table 6): r = psi(sign / |I| sum_i H(q_i, p_i)).

I are the places at which distributions are compared: the tokens of the response, or its one answer. H is the
cross-entropy of an anchor q_i and the model's distribution p_i, in nats. Tests work every reward out by this formula,
too. Two signs of the paper are slips: Table 6 adds log V for self-certainty, where KL(U || p) = H(U, p) - log V; and
equations 31 and 32 lack the minus of the entropy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Anchor = Literal["uniform", "model", "token", "answer"]
"""uniform over the vocabulary; the model's own distribution; one-hot on the token, or on the answer, that was drawn."""


@dataclass(frozen=True)
class Instance:
    """One reward as an instance of the formula.

    Attributes
    ----------
    psi : from z, |I| and the size of the vocabulary to the reward; increasing in z.
    formula : psi as printed.
    """

    anchor: Anchor
    granularity: Literal["token", "answer"]
    sign: Literal[1, -1]
    psi: Callable[[float, int, int], float]
    formula: str


INSTANCES: dict[str, Instance] = {
    "self_certainty": Instance("uniform", "token", 1, lambda z, n, v: z - math.log(v), "z - log V"),
    "token_entropy": Instance("model", "token", -1, lambda z, n, v: z, "z"),
    "trajectory_entropy": Instance("token", "token", -1, lambda z, n, v: z, "z"),
    "probability": Instance("token", "token", -1, lambda z, n, v: math.exp(n * z), "exp(|I| z)"),
    "empo": Instance("answer", "answer", -1, lambda z, n, v: math.exp(z), "exp(z)"),
    "majority": Instance(
        "answer", "answer", -1, lambda z, n, v: math.exp(z), "exp(z), p sharpened to its mode"
    ),
}


def unified_reward(instance: Instance, distributions: np.ndarray, drawn: Sequence[int]) -> float:
    """Return the reward of one response.

    Parameters
    ----------
    distributions : (places, V) of the model; positive; one place for an answer.
    drawn : (places,) the tokens, or the answer, that were drawn.
    """
    n, size = distributions.shape
    anchors = {
        "uniform": np.full_like(distributions, 1 / size),
        "model": distributions,
        "token": np.eye(size)[list(drawn)],
        "answer": np.eye(size)[list(drawn)],
    }[instance.anchor]
    cross_entropies = -(anchors * np.log(distributions)).sum(axis=1)
    return instance.psi(instance.sign * float(cross_entropies.mean()), n, size)
