"""What a reward sees: a question with its rollouts, and never the gold answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from workflow_scripts.questions.schema import UnlabelledQuestion

Need = Literal["step_scores", "tokens"]


@dataclass(frozen=True)
class Tokens:
    """What the policy thought of each token of one response as it drew it (policies/token_statistics.py).

    Attributes
    ----------
    logprobs : log p_t(y_t), the end token's included; in nats.
    entropy : H(p_t).
    uniform_divergence : KL(U || p_t), U uniform over the vocabulary.
    disparity : the largest probability minus the second largest.
    answer_span : positions of the tokens that state the answer; empty where none can be read.
    """

    logprobs: list[float]
    entropy: list[float]
    uniform_divergence: list[float]
    disparity: list[float]
    answer_span: range


@dataclass(frozen=True)
class RolloutGroup:
    """The K rollouts of one question under the current policy.

    Attributes
    ----------
    question : without its answer, by type.
    texts : K responses.
    answers : K answers in normal form; None where none can be read.
    step_scores : p_i(+) of each step of each response, if the reward needs them.
    tokens : what the policy thought of the tokens of each response, if the reward needs it.
    stream : names the random stream of this group (seed, step, question), for rewards that draw.
    """

    question: UnlabelledQuestion
    texts: tuple[str, ...]
    answers: tuple[str | None, ...]
    step_scores: tuple[tuple[float, ...], ...] | None
    tokens: tuple[Tokens, ...] | None
    stream: str


class Reward(Protocol):
    """A reward: what it needs beside texts and answers, and one number per rollout.

    Attributes
    ----------
    needs : what the group must hold for it.
    continuous : whether it takes other values than 0 and 1 (its reward accuracy is read from the advantage's sign).
    """

    needs: frozenset[Need]
    continuous: bool

    def score(self, group: RolloutGroup) -> list[float]:
        """Return K rewards, in the order of the rollouts."""
        ...

    def label(self, group: RolloutGroup) -> str | None:
        """Return the pseudo-label: what the reward holds for the answer; the majority where it holds none."""
        ...
