"""Advantage estimators: what each rollout's reward is compared with.

All take (groups, K) rewards, K >= 2, in which NaN marks a rollout without a reward: it gets advantage 0 and is nobody's
baseline. A group of equal rewards teaches nothing by itself: under the group estimators it gets exactly 0.
"""

from __future__ import annotations

from typing import Literal

import torch

EPSILON = 1e-6

Estimator = Literal["grpo", "rloo", "reinforce_plus_plus"]


def estimate(
    estimator: Estimator,
    rewards: torch.Tensor,
    scale: Literal["group", "batch", "none"],
    lengths: torch.Tensor,
) -> torch.Tensor:
    """Return the advantages by the estimator's name; `scale` is of grpo, `lengths` of reinforce_plus_plus."""
    match estimator:
        case "grpo":
            return grpo_advantages(rewards, scale)
        case "rloo":
            return rloo_advantages(rewards)
        case "reinforce_plus_plus":
            return reinforce_plus_plus_advantages(rewards, lengths)


def grpo_advantages(
    rewards: torch.Tensor, scale: Literal["group", "batch", "none"] = "group"
) -> torch.Tensor:
    """Group-normalised advantages, A_k = (r_k - mean) / (std + 1e-6) (PROSE, equation 2).

    Parameters
    ----------
    scale : the standard deviation of the group, of the whole batch, or none (Dr.GRPO, and REINFORCE with the group's
        mean as baseline); n - 1 in the denominator.
    """
    centred = rewards - rewards.nanmean(dim=1, keepdim=True)
    known = ~rewards.isnan()
    if scale == "none":
        advantages = centred
    else:
        squares = centred.nan_to_num().square()
        if scale == "group":
            degrees = (known.sum(1, keepdim=True) - 1).clamp(min=1)
            std = (squares.sum(1, keepdim=True) / degrees).sqrt()
        else:
            overall = rewards[known] - rewards[known].mean()
            std = (overall.square().sum() / max(1, overall.numel() - 1)).sqrt()
        advantages = centred / (std + EPSILON)
    # Rounding in the mean of equal rewards would otherwise be blown up by the division.
    return advantages.masked_fill(_all_equal(rewards) | ~known, 0.0)


def rloo_advantages(rewards: torch.Tensor) -> torch.Tensor:
    """Leave-one-out advantages, A_k = r_k - mean of the group's other rewards (RLOO); 0 where there is no other."""
    known = ~rewards.isnan()
    n = known.sum(1, keepdim=True)
    total = rewards.nansum(dim=1, keepdim=True)
    advantages = rewards - (total - rewards) / (n - 1).clamp(min=1)
    return advantages.masked_fill(_all_equal(rewards) | ~known | (n < 2), 0.0)


def reinforce_plus_plus_advantages(rewards: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Batch-whitened returns (REINFORCE++): each token of a response has its reward, and all tokens are whitened.

    A_k = (r_k - m) / sqrt(v + 1e-8), m and v (n - 1) over all tokens of the batch, so that long responses count more.

    Parameters
    ----------
    lengths : (groups, K), tokens of each response.
    """
    known = ~rewards.isnan()
    weights = (lengths * known).to(rewards.dtype)
    n = weights.sum()
    mean = (weights * rewards.nan_to_num()).sum() / n.clamp(min=1)
    centred = (rewards - mean).masked_fill(~known, 0.0)
    variance = (weights * centred.square()).sum() / (n - 1).clamp(min=1)
    return centred * (variance + 1e-8).rsqrt()


def _all_equal(rewards: torch.Tensor) -> torch.Tensor:
    """(groups, 1): whether the known rewards of a group are one value."""
    lowest = rewards.nan_to_num(nan=torch.inf).amin(1, keepdim=True)
    highest = rewards.nan_to_num(nan=-torch.inf).amax(1, keepdim=True)
    return lowest >= highest
