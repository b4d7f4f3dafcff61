"""What the samples of one question say: counts, votes and diversity; the row of per_question.parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from workflow_scripts.answers.vote import majority
from workflow_scripts.evaluation.diversity import (
    answer_entropy,
    n_distinct_answers,
    n_distinct_responses,
    wrong_collision,
)
from workflow_scripts.evaluation.selection import best_of_n, sc_rm

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("n", pa.int32()),
        ("n_correct", pa.int32()),
        ("majority_answer", pa.string()),
        ("majority_correct", pa.bool_()),
        ("tie", pa.bool_()),
        ("bon_correct", pa.bool_()),
        ("sc_rm_correct", pa.bool_()),
        ("n_distinct_responses", pa.int32()),
        ("n_distinct_answers", pa.int32()),
        ("answer_entropy", pa.float64()),
        ("n_unparseable", pa.int32()),
        ("wrong_collision", pa.float64()),
    ]
)


@dataclass(frozen=True)
class QuestionResult:
    """The n samples of one question, summed up.

    Attributes
    ----------
    majority_answer
        Ties go to the answer seen first; None if no answer could be read.
    tie
        Whether the vote was a tie.
    bon_correct, sc_rm_correct
        Whether best-of-N and the score-weighted vote are right; None without scores.
    answer_entropy
        In nats, over the readable answers.
    wrong_collision
        Probability that two different wrong samples give the same answer; None for fewer than two wrong ones.
    """

    question_id: str
    n: int
    n_correct: int
    majority_answer: str | None
    majority_correct: bool
    tie: bool
    bon_correct: bool | None
    sc_rm_correct: bool | None
    n_distinct_responses: int
    n_distinct_answers: int
    answer_entropy: float
    n_unparseable: int
    wrong_collision: float | None


def question_result(
    question_id: str,
    gold: str,
    answers: Sequence[str | None],
    texts: Sequence[str],
    scores: Sequence[float] | None = None,
) -> QuestionResult:
    """Sum up the samples of one question, given in sample order.

    Parameters
    ----------
    gold
        The right answer, in the normal form of `answers`.
    scores
        One aggregated step score per sample; None where the samples were not scored.
    """
    if not answers or len(answers) != len(texts):
        raise ValueError(f"question {question_id}: {len(answers)} answers and {len(texts)} texts")
    vote = majority(answers)
    bon_correct = sc_rm_correct = None
    if scores is not None:
        chosen = best_of_n(answers, scores)
        bon_correct = chosen is not None and answers[chosen] == gold
        sc_rm_correct = sc_rm(answers, scores).label == gold
    return QuestionResult(
        question_id=question_id,
        n=len(answers),
        n_correct=sum(answer == gold for answer in answers),
        majority_answer=vote.label,
        majority_correct=vote.label == gold,
        tie=vote.tie,
        bon_correct=bon_correct,
        sc_rm_correct=sc_rm_correct,
        n_distinct_responses=n_distinct_responses(texts),
        n_distinct_answers=n_distinct_answers(answers),
        answer_entropy=answer_entropy(answers),
        n_unparseable=sum(answer is None for answer in answers),
        wrong_collision=wrong_collision(answers, gold),
    )
