"""Pretraining of a tiny policy: binding drills first, then the imperfect reasoner's corpus, or another world's.

Without the drills, a policy learns to write steps and names conditions, but draws its letter at random: the drills
(every option with its letter, in random order) bind letters to options before the corpus begins.
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from workflow_scripts.errors import UserError
from workflow_scripts.policies.loading import prompt_text
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.models import CorpusTraining, FinetunedPolicy, Pretraining
from workflow_scripts.settings.prompts import PromptSpec
from workflow_scripts.worlds.clinic import Clinic
from workflow_scripts.worlds.clock import Clock

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

N_DRILLS = 20_000
WARMUP_STEPS = 100
FINAL_SHARE = 0.05  # of the learning rate, at the end of the cosine


@dataclass(frozen=True)
class Rows:
    """Right-padded token ids (rows, width), the mask of tokens that are learned, and each row's length."""

    ids: np.ndarray
    learned: np.ndarray
    lengths: np.ndarray

    def batch(self, rows: np.ndarray, width: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The chosen rows, cut to `width` tokens."""
        return torch.from_numpy(self.ids[rows, :width]), torch.from_numpy(self.learned[rows, :width])


def pack(sequences: list[tuple[list[int], list[int]]], pad_id: int) -> Rows:
    """Pad (prompt, response) pairs; only response tokens are learned."""
    lengths = np.array([len(prompt) + len(response) for prompt, response in sequences])
    ids = np.full((len(sequences), lengths.max()), pad_id, dtype=np.int64)
    learned = np.zeros(ids.shape, dtype=np.float32)
    for i, (prompt, response) in enumerate(sequences):
        ids[i, : lengths[i]] = prompt + response
        learned[i, len(prompt) : lengths[i]] = 1
    return Rows(ids, learned, lengths)


def write_rows(
    write: Callable[[random.Random], tuple[Question, list[str]]],
    n: int,
    seed: str,
    tokenizer: PreTrainedTokenizerBase,
    prompt: PromptSpec,
) -> Rows:
    """Let a world write `n` questions with a response each, and tokenize them."""
    rng = random.Random(seed)
    written = [write(rng) for _ in range(n)]
    prompts = [prompt_text(tokenizer, render_prompt(question, prompt), {}) for question, _ in written]
    asked = tokenizer(prompts, add_special_tokens=False)["input_ids"]
    encoded = tokenizer(["\n".join(lines) for _, lines in written], add_special_tokens=False)["input_ids"]
    return pack(
        [(p, [*r, tokenizer.eos_token_id]) for p, r in zip(asked, encoded, strict=True)],
        tokenizer.pad_token_id,
    )


def learning_rate_share(step: int, steps: int) -> float:
    """Linear warm-up, then a cosine from 1 to FINAL_SHARE."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return min(1.0, (step + 1) / WARMUP_STEPS) * (cosine * (1 - FINAL_SHARE) + FINAL_SHARE)


def fit(
    model: PreTrainedModel,
    loss: Callable[[int], torch.Tensor],
    *,
    steps: int,
    learning_rate: float,
    weight_decay: float,
    name: str,
) -> float:
    """Minimise `loss(step)` with AdamW; return the mean loss of the last tenth of the steps.

    Raises
    ------
    UserError
        If it diverges.
    """
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=learning_rate, betas=(0.9, 0.98), weight_decay=weight_decay, fused=True
    )
    model.train()
    started, last_line, losses = time.monotonic(), time.monotonic(), []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * learning_rate_share(step, steps)
        value = loss(step)
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(value.item())
        if not math.isfinite(losses[-1]):
            raise UserError(
                f"{name}: the loss is {losses[-1]} at step {step + 1} of {steps}. Lower its learning rate."
            )
        now = time.monotonic()
        if now - last_line > 10 or step == steps - 1:
            last_line = now
            eta = (now - started) / (step + 1) * (steps - step - 1)
            logger.info("%s step %d/%d loss %.3f ETA %.0f s", name, step + 1, steps, losses[-1], eta)
    if not all(weights.isfinite().all() for weights in model.parameters()):
        raise UserError(f"{name}: the weights are not finite after {steps} steps. Lower its learning rate.")
    return float(np.mean(losses[-max(1, steps // 10) :]))


def pretrain(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, world: Clinic | Clock, settings: Pretraining
) -> dict[str, float]:
    """Train `model` in place; return the final losses of the two phases (nats per learned token)."""
    drills = write_drills(world, settings.seed, tokenizer)
    draw = np.random.default_rng(settings.seed)
    losses = {}
    if settings.drill_steps:
        losses["drill_loss"] = fit(
            model,
            lambda _: batch_loss(model, [(drills, settings.batch_size)], draw),
            steps=settings.drill_steps,
            learning_rate=settings.drill_learning_rate,
            weight_decay=settings.weight_decay,
            name="drills",
        )
    learning_rate = settings.corpus_learning_rate
    losses["corpus_loss"] = learn_corpus(model, tokenizer, world, settings, learning_rate, drills, draw)
    return losses


def finetune(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    world: Clinic | Clock,
    settings: FinetunedPolicy,
) -> dict[str, float]:
    """Train a pretrained `model` on, in place, on another world's corpus; return the final loss (nats per token)."""
    drills = write_drills(world, settings.seed, tokenizer)
    draw = np.random.default_rng(settings.seed)
    loss = learn_corpus(model, tokenizer, world, settings, settings.learning_rate, drills, draw)
    return {"corpus_loss": loss}


def write_drills(world: Clinic | Clock, seed: int, tokenizer: PreTrainedTokenizerBase) -> Rows:
    """The world's binding drills, tokenized."""
    return write_rows(world.drill, N_DRILLS, f"{seed}/drills", tokenizer, world.settings.prompt)


def learn_corpus(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    world: Clinic | Clock,
    settings: CorpusTraining,
    learning_rate: float,
    drills: Rows,
    draw: np.random.Generator,
) -> float:
    """The second phase: the world's corpus with a share of drills in each batch; return the final loss."""
    corpus = write_rows(
        world.example, settings.corpus_size, f"{settings.seed}/corpus", tokenizer, world.settings.prompt
    )
    n_drills = round(settings.batch_size * settings.drill_share)
    parts = [(corpus, settings.batch_size - n_drills), (drills, n_drills)]
    return fit(
        model,
        lambda _: batch_loss(model, parts, draw),
        steps=settings.corpus_steps,
        learning_rate=learning_rate,
        weight_decay=settings.weight_decay,
        name="corpus",
    )


def batch_loss(
    model: PreTrainedModel, parts: list[tuple[Rows, int]], draw: np.random.Generator
) -> torch.Tensor:
    """Mean loss per learned token on a batch that holds `n` random rows of each part."""
    chosen = [(rows, draw.integers(0, len(rows.ids), n)) for rows, n in parts if n]
    width = max(int(rows.lengths[index].max()) for rows, index in chosen)
    ids, learned = zip(*(rows.batch(index, width) for rows, index in chosen), strict=True)
    width = max(part.shape[1] for part in ids)
    x = torch.cat([functional.pad(part, (0, width - part.shape[1])) for part in ids]).to(model.device)
    mask = torch.cat([functional.pad(part, (0, width - part.shape[1])) for part in learned]).to(model.device)
    logits = model(x[:, :-1]).logits
    nll = functional.cross_entropy(logits.transpose(1, 2), x[:, 1:], reduction="none")
    return (nll * mask[:, 1:]).sum() / mask[:, 1:].sum()
