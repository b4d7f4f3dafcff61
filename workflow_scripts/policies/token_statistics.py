"""What certainty rewards ask of the distribution that each token was drawn from.

All values are of the tempered distribution p = softmax(z / T) that the sampler draws from, before any nucleus is cut,
in float32 and without a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

CHUNK = 16_384
"""Tokens of the vocabulary that are looked at together: what bounds the memory beside the logits themselves."""

TOKENS_PER_CHUNK = 256
"""Tokens whose logits are made together where the sampler made none."""


@dataclass(frozen=True)
class TokenStatistics:
    """Of each token of one response, its end token included; in nats.

    Attributes
    ----------
    entropy : H(p_t).
    uniform_divergence : KL(U || p_t) of the uniform distribution U: 0 for a uniform p_t, larger for a sharper one.
    disparity : the largest probability minus the second largest.
    """

    entropy: list[float]
    uniform_divergence: list[float]
    disparity: list[float]


def token_statistics(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return (rows, 3): entropy, uniform divergence and disparity of softmax(logits / temperature).

    With lse = log sum exp z over a vocabulary of V tokens: H = lse - sum p z, and KL(U || p) = lse - mean z - log V.
    The sums run over chunks of the vocabulary, so that no second tensor of the logits' size is made.

    Parameters
    ----------
    logits : (rows, V), V >= 2.
    """
    import torch

    rows, size = logits.shape
    top = torch.full((rows, 2), -torch.inf, device=logits.device)
    highest, normaliser, weighted, total = (
        torch.full((rows,), start, device=logits.device) for start in (-torch.inf, 0.0, 0.0, 0.0)
    )
    for chunk in logits.split(CHUNK, dim=-1):
        z = chunk.float() / temperature
        top = torch.cat([top, z.topk(min(2, z.size(-1)), dim=-1).values], dim=-1).topk(2, dim=-1).values
        shrink = (highest - top[:, 0]).exp()
        highest = top[:, 0]
        share = (z - highest.unsqueeze(-1)).exp()
        normaliser = normaliser * shrink + share.sum(-1)
        weighted = weighted * shrink + (share * z).sum(-1)
        total = total + z.sum(-1)
    lse = highest + normaliser.log()
    first, second = (top - lse.unsqueeze(-1)).exp().unbind(-1)
    return torch.stack(
        [lse - weighted / normaliser, lse - total / size - math.log(size), first - second], dim=-1
    )


def statistics_by_forward(
    model: PreTrainedModel, prompt: list[int], responses: Sequence[list[int]], temperature: float
) -> list[TokenStatistics]:
    """Return the statistics of a prompt's responses that a backend sampled without them, by one more forward pass.

    The vocabulary's logits are made for `TOKENS_PER_CHUNK` tokens at a time.
    """
    import torch

    device = next(model.parameters()).device
    lengths = [len(response) for response in responses]
    # What pads a response on the right is seen by no token of it.
    rows = [torch.tensor(prompt + response) for response in responses]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(device)
    with torch.inference_mode():
        hidden = model.base_model(ids, use_cache=False).last_hidden_state[:, len(prompt) - 1 : -1]
        of_tokens = torch.cat([row[:length] for row, length in zip(hidden, lengths, strict=True)])
        head = model.get_output_embeddings()
        chunks = [token_statistics(head(part), temperature) for part in of_tokens.split(TOKENS_PER_CHUNK)]
    return [TokenStatistics(*part.T.tolist()) for part in torch.cat(chunks).split(lengths)]
