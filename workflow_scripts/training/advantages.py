"""Advantage estimators."""

from __future__ import annotations

from typing import Literal

import torch

EPSILON = 1e-6


def grpo_advantages(
    rewards: torch.Tensor, scale: Literal["group", "batch", "none"] = "group"
) -> torch.Tensor:
    """Group-normalised advantages, A_k = (r_k - mean) / (std + 1e-6) (PROSE, equation 2).

    Parameters
    ----------
    rewards : (groups, K), K >= 2; NaN marks a rollout without a reward, which gets advantage 0.
    scale : the standard deviation of the group, of the whole batch, or none; n - 1 in the denominator.

    Returns
    -------
    (groups, K). A group of equal rewards gets exactly 0.
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
    lowest = rewards.nan_to_num(nan=torch.inf).amin(1, keepdim=True)
    highest = rewards.nan_to_num(nan=-torch.inf).amax(1, keepdim=True)
    # Rounding in the mean of equal rewards would otherwise be blown up by the division.
    return advantages.masked_fill((lowest >= highest) | ~known, 0.0)
