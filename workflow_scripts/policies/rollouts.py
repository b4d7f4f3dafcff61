"""From questions to rollouts: render the prompt, sample, decode, read the answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.answers.reading import read_answers
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_path
from workflow_scripts.policies.generation import Backend, Generated, Request, stream_key
from workflow_scripts.policies.loading import prompt_ids
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.prompts import PromptSpec
from workflow_scripts.settings.question_sets import AnswerRule

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("sample", pa.int32()),
        ("text", pa.string()),
        ("token_ids", pa.list_(pa.int32())),
        ("finish_reason", pa.string()),
        ("answer", pa.string()),
        ("correct", pa.bool_()),
        ("sum_logprob", pa.float64()),
        ("n_tokens", pa.int32()),
    ]
)
"""Columns of rollouts.parquet; `sum_logprob` is under the distribution that was sampled from, in nats."""


@dataclass(frozen=True)
class Rollout:
    """One sampled response to one question, with the answer that was read from it and the words that state it."""

    question_id: str
    sample: int
    text: str
    generated: Generated
    answer: str | None
    stated: str | None = None

    def row(self, gold: str) -> dict[str, object]:
        """The rollout as a row of rollouts.parquet."""
        return {
            "question_id": self.question_id,
            "sample": self.sample,
            "text": self.text,
            "token_ids": self.generated.token_ids,
            "finish_reason": self.generated.finish_reason,
            "answer": self.answer,
            "correct": self.answer == gold,
            "sum_logprob": float(sum(self.generated.logprobs)),
            "n_tokens": len(self.generated.token_ids),
        }


class Sampler:
    """A policy with its prompt and its answer rule: draws groups of rollouts for questions."""

    def __init__(
        self,
        backend: Backend,
        tokenizer: PreTrainedTokenizerBase,
        prompt: PromptSpec,
        answer_rule: AnswerRule,
        chat_template_arguments: dict[str, bool],
        max_prompt_tokens: int,
    ) -> None:
        self.backend = backend
        self.tokenizer = tokenizer
        self.prompt = prompt
        self.answer_rule = answer_rule
        self.chat_template_arguments = chat_template_arguments
        self.max_prompt_tokens = max_prompt_tokens
        self._prompt_ids: dict[str, list[int]] = {}

    def prompt_ids(self, question: UnlabelledQuestion) -> list[int]:
        """Token ids of the question's prompt; one that is too long is a UserError, as a cut one asks something else."""
        if question.id not in self._prompt_ids:
            messages = render_prompt(question, self.prompt)
            ids = prompt_ids(self.tokenizer, messages, self.chat_template_arguments)
            if len(ids) > self.max_prompt_tokens:
                raise UserError(
                    f"question {question.id}: its prompt has {len(ids)} tokens, max_prompt_tokens is "
                    f"{self.max_prompt_tokens}. Raise it, or drop the question."
                )
            self._prompt_ids[question.id] = ids
        return self._prompt_ids[question.id]

    def sample(
        self,
        questions: Sequence[UnlabelledQuestion],
        n_samples: int,
        *,
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        seed: int,
        step: int = 0,
        statistics: bool = False,
    ) -> list[list[Rollout]]:
        """Return `n_samples` rollouts per question; sample i of a question depends on (seed, question, i, step).

        With `statistics`, those of each token's distribution come along.
        """
        requests = [
            Request(
                self.prompt_ids(question),
                tuple(stream_key(seed, question.id, i, step) for i in range(n_samples)),
            )
            for question in questions
        ]
        groups = self.backend.generate(
            requests,
            temperature=temperature,
            top_p=top_p,
            max_new_tokens=max_new_tokens,
            statistics=statistics,
        )
        drawn = [
            (question, i, generated)
            for question, group in zip(questions, groups, strict=True)
            for i, generated in enumerate(group)
        ]
        texts = self.tokenizer.batch_decode([g.token_ids for _, _, g in drawn], skip_special_tokens=True)
        readings = read_answers(texts, [question for question, _, _ in drawn], self.answer_rule)
        rollouts = iter(
            Rollout(question.id, i, text, generated, reading.answer, reading.extracted)
            for (question, i, generated), text, reading in zip(drawn, texts, readings, strict=True)
        )
        return [list(islice(rollouts, len(group))) for group in groups]


def answer_tokens(tokenizer: PreTrainedTokenizerBase, rollout: Rollout) -> range:
    """Return the positions of the tokens that state the answer, where it stands last; none without one."""
    start = rollout.text.rfind(rollout.stated) if rollout.stated else -1
    if start < 0 or rollout.stated is None:
        return range(0)
    ids = rollout.generated.token_ids

    def written(n: int) -> int:
        """Letters that the first n tokens have written."""
        return len(tokenizer.decode(ids[:n], skip_special_tokens=True))

    first = bisect_right(range(len(ids) + 1), start, key=written) - 1
    last = bisect_left(range(len(ids) + 1), start + len(rollout.stated), key=written)
    return range(first, last)


def write_rollouts(path: Path, rows: list[dict[str, object]]) -> None:
    """Write rows (`Rollout.row`) as parquet, atomically."""
    with atomic_path(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), temporary)


def join_rollouts(parts: Sequence[Path], path: Path) -> None:
    """Write the rows of `parts`, in order, as one parquet file, atomically."""
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, SCHEMA) as writer:
        for part in parts:
            writer.write_table(pq.read_table(part, schema=SCHEMA))
