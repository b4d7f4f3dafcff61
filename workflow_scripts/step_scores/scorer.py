"""Scoring the steps of trajectories with a process reward model, one forward pass per trajectory.

The interface is Med-PRM's (Yun et al. 2025): a causal language model reads the question and the steps, each
followed by a step tag, and p_i(+) is the softmax over the logits of the plus and minus tokens at the tag's position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflow_scripts.errors import UserError
from workflow_scripts.settings.models import StepFormat

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


@dataclass(frozen=True)
class Marked:
    """A trajectory as the model reads it: token ids, and the positions of its step tags."""

    ids: list[int]
    tags: list[int]


class StepFormatter:
    """Writes trajectories in the format of one process reward model, and knows its special tokens."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, settings: StepFormat) -> None:
        self.tokenizer = tokenizer
        self.settings = settings
        self.tag_id = self._single_token(settings.step_tag)
        self.verdict_ids = [self._single_token(settings.plus), self._single_token(settings.minus)]

    def _single_token(self, text: str) -> int:
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(ids) != 1:
            raise UserError(
                f"process reward model format: {text!r} is {len(ids)} tokens of this tokenizer, not one. "
                "Set step_tag, plus and minus to single tokens."
            )
        return ids[0]

    def mark(self, questions: Sequence[str], steps: Sequence[Sequence[str]]) -> list[Marked]:
        """Tokenize (question, steps) pairs; a trajectory cut at `max_tokens` loses its last tags."""
        texts = [self._text(q, s) for q, s in zip(questions, steps, strict=True)]
        encoded = self.tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
        rows = [row[: self.settings.max_tokens] for row in encoded]
        return [Marked(row, [i for i, token in enumerate(row) if token == self.tag_id]) for row in rows]

    def _text(self, question: str, steps: Sequence[str]) -> str:
        tag = self.settings.step_tag
        # A tag written by the policy itself would be read as a step of its own.
        explanation = "".join(step.replace(tag.strip(), "") + tag for step in steps)
        messages = [
            {
                "role": message.role,
                "content": message.content.replace("{question}", question.replace(tag.strip(), "")).replace(
                    "{explanation}", explanation
                ),
            }
            for message in self.settings.messages
        ]
        return self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=self.settings.add_generation_prompt
        )


class StepScorer:
    """A process reward model that scores batches of trajectories.

    Parameters
    ----------
    batch_tokens : tokens per forward pass at most (padding included). Trajectories of similar length share a pass, so
        a small number also saves padding.
    """

    def __init__(self, model: PreTrainedModel, formatter: StepFormatter, batch_tokens: int = 2_048) -> None:
        self.model = model
        self.formatter = formatter
        self.batch_tokens = batch_tokens

    def score(self, questions: Sequence[str], steps: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return p_i(+) of each step of each trajectory, in [0, 1].

        Parameters
        ----------
        questions : the question as the model shall read it, one per trajectory.
        steps : the steps of each trajectory (`split_steps`).
        """
        import torch

        marked = self.formatter.mark(questions, steps)
        scores: list[list[float]] = [[] for _ in marked]
        order = sorted((i for i, m in enumerate(marked) if m.tags), key=lambda i: len(marked[i].ids))
        with torch.inference_mode():
            for batch in self._batches(marked, order):
                probabilities = step_probabilities(
                    self.model, [marked[i] for i in batch], self.formatter.verdict_ids
                )
                for i, values in zip(batch, probabilities, strict=True):
                    scores[i] = values
        return scores

    def _batches(self, marked: list[Marked], order: list[int]) -> list[list[int]]:
        batches: list[list[int]] = []
        for i in order:
            width = len(marked[i].ids)
            if not batches or (len(batches[-1]) + 1) * width > self.batch_tokens:
                batches.append([])
            batches[-1].append(i)
        return batches


def verdict_logits(
    model: PreTrainedModel, rows: Sequence[Marked], verdict_ids: list[int]
) -> tuple[torch.Tensor, list[int]]:
    """Return (plus, minus) logits at every step tag, shape (all tags, 2), and the number of tags of each row."""
    import torch

    device = next(model.parameters()).device
    width = max(len(row.ids) for row in rows)
    ids = torch.zeros((len(rows), width), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row.ids)] = torch.tensor(row.ids)
    # Padding stands to the right, where a causal model cannot see it from any tag: no mask is needed.
    hidden = model.base_model(ids.to(device), use_cache=False).last_hidden_state
    row_index = torch.tensor([i for i, row in enumerate(rows) for _ in row.tags], device=device)
    position = torch.tensor([tag for row in rows for tag in row.tags], device=device)
    weight = model.get_output_embeddings().weight[verdict_ids]
    return (hidden[row_index, position] @ weight.T).float(), [len(row.tags) for row in rows]


def step_probabilities(
    model: PreTrainedModel, rows: Sequence[Marked], verdict_ids: list[int]
) -> list[list[float]]:
    """p_i(+) at each step tag of each row."""
    logits, counts = verdict_logits(model, rows, verdict_ids)
    probabilities = logits.softmax(-1)[:, 0].tolist()
    scores, start = [], 0
    for count in counts:
        scores.append(probabilities[start : start + count])
        start += count
    return scores
