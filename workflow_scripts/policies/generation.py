"""Sampling responses: the backend interface, and a plain key-value-cache loop on transformers.

Every sample draws its random numbers from its own stream, keyed by (seed, question, sample, step): the same sample
comes out whatever else is in the batch and whichever process draws it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from workflow_scripts.policies.token_statistics import TokenStatistics, token_statistics

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class Generated:
    """One response: token ids including the end token, their log-probabilities as sampled, why it ended.

    `statistics`: of the distribution of each token, where they were asked for.
    """

    token_ids: list[int]
    logprobs: list[float]
    finish_reason: str  # "stop" or "length"
    statistics: TokenStatistics | None = None


@dataclass(frozen=True)
class Request:
    """One prompt (token ids), with one stream key per wanted sample."""

    prompt_ids: list[int]
    keys: tuple[str, ...]


class Backend(Protocol):
    """What samples responses: this loop, or an engine such as vLLM."""

    def generate(
        self,
        requests: Sequence[Request],
        *,
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        statistics: bool = False,
    ) -> list[list[Generated]]:
        """Return for each request its samples, in the order of its keys; with `statistics`, those of their tokens."""
        ...


def stream_key(seed: int, question_id: str, sample: int, step: int = 0) -> str:
    """Name the random stream of one sample."""
    return f"{seed}/{step}/{sample}/{question_id}"


def uniforms(keys: Sequence[str], n: int) -> np.ndarray:
    """(len(keys), n) numbers in [0, 1): row i depends on keys[i] alone."""
    rows = np.empty((len(keys), n), dtype=np.float64)
    for i, key in enumerate(keys):
        entropy = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
        rows[i] = np.random.Generator(np.random.Philox(key=entropy)).random(n)
    return rows


def sampling_logprobs(logits: torch.Tensor, temperature: float, top_p: float) -> torch.Tensor:
    """Log-probabilities that are sampled from: tempered, then cut to the nucleus; shape as `logits`.

    The nucleus is the smallest set of likeliest tokens whose probability reaches `top_p`.
    """
    import torch

    logprobs = torch.log_softmax(logits.float() / temperature, dim=-1)
    if top_p < 1:
        ordered, order = logprobs.sort(dim=-1, descending=True)
        before = ordered.exp().cumsum(-1) - ordered.exp()
        ordered = ordered.masked_fill(before >= top_p, -torch.inf)
        logprobs = torch.full_like(logprobs, -torch.inf).scatter(-1, order, ordered)
        logprobs = torch.log_softmax(logprobs, dim=-1)
    return logprobs


def draw(logprobs: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """Invert the cumulative distribution of each row at its `uniform`; a token of probability 0 never comes out."""
    cumulative = logprobs.double().exp().cumsum(-1)
    threshold = (uniform * cumulative[:, -1]).unsqueeze(-1)
    return (cumulative <= threshold).sum(-1).clamp(max=logprobs.size(-1) - 1)


def _per_sample(of_tokens: torch.Tensor, lengths: torch.Tensor) -> list[TokenStatistics]:
    """Cut (3, samples, tokens) into the statistics of each sample's own tokens."""
    return [
        TokenStatistics(*(values[:length] for values in sample))
        for sample, length in zip(of_tokens.transpose(0, 1).tolist(), lengths.tolist(), strict=True)
    ]


class TransformersBackend:
    """A key-value-cache loop: each prompt is read once, finished rows leave the batch.

    Parameters
    ----------
    model : a causal language model; its current weights are used at each call.
    stop_ids : token ids that end a response.
    pad_id : a token id for left padding.
    max_rows : samples decoded together at most; a memory knob that changes no sample's random stream.
    """

    def __init__(self, model: PreTrainedModel, stop_ids: Sequence[int], pad_id: int, max_rows: int) -> None:
        self.model = model
        self.stop_ids = list(stop_ids)
        self.pad_id = pad_id
        self.max_rows = max_rows

    def generate(
        self,
        requests: Sequence[Request],
        *,
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        statistics: bool = False,
    ) -> list[list[Generated]]:
        """Sample; `temperature` 0 is greedy, and has the statistics of temperature 1."""
        import torch

        was_training = self.model.training
        self.model.eval()
        results: list[list[Generated]] = []
        with torch.inference_mode():
            for batch in self._batches(requests):
                results.extend(self._generate_batch(batch, temperature, top_p, max_new_tokens, statistics))
        self.model.train(was_training)
        return results

    def _batches(self, requests: Sequence[Request]) -> list[list[Request]]:
        batches: list[list[Request]] = []
        rows = self.max_rows
        for request in requests:
            if rows + len(request.keys) > self.max_rows:
                batches.append([])
                rows = 0
            batches[-1].append(request)
            rows += len(request.keys)
        return batches

    def _generate_batch(
        self,
        requests: list[Request],
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        statistics: bool,
    ) -> list[list[Generated]]:
        import torch
        from transformers import DynamicCache

        device = next(self.model.parameters()).device
        counts = [len(request.keys) for request in requests]
        prompts, mask = self._left_pad([request.prompt_ids for request in requests])
        prompts, mask = prompts.to(device), mask.to(device)
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        padded = bool((mask == 0).any())
        cache = DynamicCache(config=self.model.config)
        logits = self.model(
            prompts,
            attention_mask=mask if padded else None,
            position_ids=positions,
            cache=cache,
            logits_to_keep=1,
        ).logits[:, -1]
        repeat = torch.tensor([i for i, count in enumerate(counts) for _ in range(count)], device=device)
        logits = logits[repeat]
        cache.batch_select_indices(repeat)
        mask, position = mask[repeat], positions[repeat, -1]
        keys = [key for request in requests for key in request.keys]
        uniform = torch.from_numpy(uniforms(keys, max_new_tokens)).to(device)
        stops = torch.tensor(self.stop_ids, device=device)

        tokens = torch.zeros((len(keys), max_new_tokens), dtype=torch.long, device=device)
        logprobs = torch.zeros((len(keys), max_new_tokens), device=device)
        of_tokens = torch.zeros((3, len(keys), max_new_tokens if statistics else 0), device=device)
        lengths = torch.full((len(keys),), max_new_tokens, device=device)
        stopped = torch.zeros(len(keys), dtype=torch.bool, device=device)
        alive = torch.arange(len(keys), device=device)
        for t in range(max_new_tokens):
            if temperature == 0:
                distribution = torch.log_softmax(logits.float(), dim=-1)
                token = distribution.argmax(-1)
            else:
                distribution = sampling_logprobs(logits, temperature, top_p)
                token = draw(distribution, uniform[alive, t])
            tokens[alive, t] = token
            logprobs[alive, t] = distribution.gather(1, token.unsqueeze(1)).squeeze(1)
            if statistics:
                of_tokens[:, alive, t] = token_statistics(logits, temperature or 1.0).T
            ended = torch.isin(token, stops) & ~stopped[alive]
            lengths[alive[ended]] = t + 1
            stopped[alive[ended]] = True
            running = ~stopped[alive]
            n_running = int(running.sum())
            if n_running == 0 or t == max_new_tokens - 1:
                break
            # Dropping rows copies the cache, so it waits until a fifth of them has ended.
            if n_running <= 0.8 * len(alive):
                kept = running.nonzero().squeeze(1)
                alive, token, mask, position = alive[kept], token[kept], mask[kept], position[kept]
                cache.batch_select_indices(kept)
            position = position + 1
            if padded:
                mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
            logits = self.model(
                token.unsqueeze(1),
                attention_mask=mask if padded else None,
                position_ids=position.unsqueeze(1),
                cache=cache,
            ).logits[:, -1]

        samples = [
            Generated(ids[:length], values[:length], "stop" if stop else "length", found)
            for ids, values, length, stop, found in zip(
                tokens.tolist(),
                logprobs.tolist(),
                lengths.tolist(),
                stopped.tolist(),
                _per_sample(of_tokens, lengths) if statistics else [None] * len(keys),
                strict=True,
            )
        ]
        rest = iter(samples)
        return [[next(rest) for _ in range(count)] for count in counts]

    def _left_pad(self, prompts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        width = max(map(len, prompts))
        ids = torch.full((len(prompts), width), self.pad_id, dtype=torch.long)
        mask = torch.zeros((len(prompts), width), dtype=torch.long)
        for i, prompt in enumerate(prompts):
            ids[i, width - len(prompt) :] = torch.tensor(prompt, dtype=torch.long)
            mask[i, width - len(prompt) :] = 1
        return ids, mask
