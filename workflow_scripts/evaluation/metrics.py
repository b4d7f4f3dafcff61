"""From results per question to the metrics of an evaluation, each with n, k, interval and definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from workflow_scripts.evaluation.accuracy import pass_at_k
from workflow_scripts.evaluation.intervals import bootstrap_mean
from workflow_scripts.evaluation.per_question import QuestionResult

Metric = dict[str, float | int | str]

DEFINITIONS = {
    "avg": "share of right samples",
    "maj": "majority answer is right; unreadable answers do not vote, ties go to the answer seen first",
    "pass": "unbiased estimate of P(at least one of k samples is right)",
    "bon": "the answered sample with the highest score is right; ties go to the first",
    "sc_rm": "the answer with the largest sum of scores is right; ties go to the answer seen first",
    "distinct_responses": "different texts / k",
    "distinct_answers": "number of different readable answers among k samples",
    "answer_entropy": "entropy of the readable answers among k samples, in nats",
    "unparseable": "share of samples without a readable answer",
    "tie_share": "share of questions whose vote is a tie",
    "wrong_collision": "probability that two different wrong samples of a question give the same wrong answer; "
    "unreadable ones never do; n counts the questions with two wrong samples",
}


def evaluation_metrics(
    results: Sequence[QuestionResult], samples: int, confidence: float, seed: int
) -> dict[str, Metric]:
    """Return each metric as {value, n, k, low, high, definition}; intervals are bootstrapped over questions.

    `n` counts the questions for which the metric is defined, `k` the samples per question that it looks at. A metric
    that is defined for no question is left out, as are those that need scores if the samples were not scored.

    Raises
    ------
    ValueError
        If there is no question, or the questions differ in their number of samples.
    """
    ks = {result.n for result in results}
    if len(ks) != 1:
        raise ValueError(f"questions have {sorted(ks)} samples: need the same number for each")
    metrics: dict[str, Metric] = {}
    for name, k, definition, value in _metrics(ks.pop(), scored=results[0].bon_correct is not None):
        values = [found for found in map(value, results) if found is not None]
        if not values:
            continue
        interval = bootstrap_mean(values, samples, confidence, seed)
        metrics[name] = {
            "value": interval.value,
            "n": len(values),
            "k": k,
            "low": interval.low,
            "high": interval.high,
            "definition": DEFINITIONS[definition],
        }
    return metrics


def powers_of_two(k: int) -> list[int]:
    """Return 1, 2, 4, ... up to `k`, and `k` itself."""
    return sorted({1 << i for i in range(k.bit_length())} | {k})


def _metrics(
    k: int, scored: bool
) -> Iterator[tuple[str, int, str, Callable[[QuestionResult], float | None]]]:
    """Yield (name, k, definition, value per question or None where it has none)."""
    yield f"avg@{k}", k, "avg", lambda result: result.n_correct / k
    yield f"maj@{k}", k, "maj", lambda result: float(result.majority_correct)
    for j in powers_of_two(k):
        yield f"pass@{j}", j, "pass", partial(_pass_at, j)
    if scored:
        yield f"bon@{k}", k, "bon", lambda result: float(bool(result.bon_correct))
        yield f"sc_rm@{k}", k, "sc_rm", lambda result: float(bool(result.sc_rm_correct))
    yield "distinct_responses", k, "distinct_responses", lambda result: result.n_distinct_responses / k
    yield "distinct_answers", k, "distinct_answers", lambda result: float(result.n_distinct_answers)
    yield "answer_entropy", k, "answer_entropy", lambda result: result.answer_entropy
    yield "unparseable", k, "unparseable", lambda result: result.n_unparseable / k
    yield "tie_share", k, "tie_share", lambda result: float(result.tie)
    yield "wrong_collision", k, "wrong_collision", lambda result: result.wrong_collision


def _pass_at(k: int, result: QuestionResult) -> float:
    return pass_at_k(result.n, result.n_correct, k)
