"""How much the samples of one question differ (distinct responses and answers, answer entropy, colliding mistakes), and
how much one response repeats itself.

The papers name diversity without defining it; these definitions are ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def n_distinct_responses(texts: Sequence[str]) -> int:
    """Return how many different texts there are; only surrounding white space is ignored."""
    return len({text.strip() for text in texts})


def n_distinct_answers(answers: Sequence[str | None]) -> int:
    """Return how many different readable answers there are; None is no answer."""
    return len({answer for answer in answers if answer is not None})


def answer_entropy(answers: Sequence[str | None]) -> float:
    """Return the Shannon entropy, in nats, of the distribution of the readable answers.

    In [0, log(number of distinct answers)]. Unreadable answers (None) are left out; with no readable answer
    it is 0.0, so read it beside the share of unparseable responses.
    """
    counts = Counter(answer for answer in answers if answer is not None)
    total = counts.total()
    return math.fsum(-count / total * math.log(count / total) for count in counts.values()) + 0.0


def repeated_ngrams(tokens: Sequence[int], n: int = 4) -> float:
    """Return the share of a response's n-grams of tokens that it has written before; in [0, 1], 0 without an n-gram.

    URLVR (section 4.1.2) names repetition without defining it; this definition is ours.
    """
    total = len(tokens) - n + 1
    if total < 1:
        return 0.0
    return 1 - len({tuple(tokens[i : i + n]) for i in range(total)}) / total


def wrong_collision(answers: Sequence[str | None], gold: str) -> float | None:
    """Return the probability that two different wrong samples give the same wrong answer; in [0, 1].

    PROSE (section 3): in a small answer space wrong samples meet by chance, and a wrong majority is rewarded. It is
    the share of the pairs of wrong samples whose answers are equal, which is an unbiased estimate for the policy. An
    unreadable answer (None) is wrong and meets no other. None where fewer than two samples are wrong.
    """
    wrong = [answer for answer in answers if answer != gold]
    if len(wrong) < 2:
        return None
    counts = Counter(answer for answer in wrong if answer is not None)
    return sum(map(_pairs, counts.values())) / _pairs(len(wrong))


def _pairs(n: int) -> int:
    return n * (n - 1) // 2
