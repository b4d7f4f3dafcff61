"""GRPO advantages against hand numbers."""

import math

import pytest
import torch

from workflow_scripts.training.advantages import (
    grpo_advantages,
    reinforce_plus_plus_advantages,
    rloo_advantages,
)


def test_group_normalised_by_hand():
    # mean 0.25, deviations (-.25, -.25, -.25, .75), sample std 0.5
    got = grpo_advantages(torch.tensor([[0.0, 0.0, 0.0, 1.0]], dtype=torch.float64))
    expected = [x / (0.5 + 1e-6) for x in (-0.25, -0.25, -0.25, 0.75)]
    assert got[0].tolist() == pytest.approx(expected)


def test_batch_scale_uses_the_spread_of_all_rewards():
    rewards = torch.tensor([[0.0, 1.0], [0.0, 0.0]], dtype=torch.float64)
    std = math.sqrt((3 * 0.25**2 + 0.75**2) / 3)
    assert grpo_advantages(rewards, "batch")[0].tolist() == pytest.approx(
        [-0.5 / (std + 1e-6), 0.5 / (std + 1e-6)]
    )


def test_unscaled_is_centred_only():
    assert grpo_advantages(torch.tensor([[1.0, 3.0]]), "none").tolist() == [[-1.0, 1.0]]


@pytest.mark.parametrize("value", [0.0, 0.1, 0.3, 1.0, 1e-9])
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_equal_rewards_give_exactly_zero_whatever_rounding_does(value, scale):
    assert grpo_advantages(torch.full((2, 7), value), scale).tolist() == [[0.0] * 7] * 2


def test_a_missing_reward_gets_zero_and_does_not_count():
    got = grpo_advantages(torch.tensor([[0.0, 1.0, math.nan]], dtype=torch.float64))
    std = math.sqrt(0.5)
    assert got[0].tolist() == pytest.approx([-0.5 / (std + 1e-6), 0.5 / (std + 1e-6), 0.0])
    assert grpo_advantages(torch.tensor([[math.nan, math.nan]])).tolist() == [[0.0, 0.0]]
    assert grpo_advantages(torch.tensor([[math.nan, 0.7]])).tolist() == [[0.0, 0.0]]


def test_shift_and_scale_of_a_group_change_nothing():
    rewards = torch.rand(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(
        grpo_advantages(rewards), grpo_advantages(100 * rewards + 3), rtol=1e-4, atol=1e-4
    )


# ------------------------------------------------------------------ other estimators

NAN = float("nan")


def test_leave_one_out_compares_with_the_others():
    # 1 - (0 + 0.5) / 2, 0 - (1 + 0.5) / 2, 0.5 - (1 + 0) / 2
    assert rloo_advantages(torch.tensor([[1.0, 0.0, 0.5]])).tolist() == [pytest.approx([0.75, -0.75, 0.0])]
    # K / (K - 1) of the centred reward
    rewards = torch.tensor([[0.2, 0.9, 0.4, 0.1]])
    expected = (rewards - rewards.mean()) * 4 / 3
    torch.testing.assert_close(rloo_advantages(rewards), expected)


def test_leave_one_out_without_a_reward_or_without_another():
    assert rloo_advantages(torch.tensor([[1.0, NAN, 0.0]])).tolist() == [[1.0, 0.0, -1.0]]
    assert rloo_advantages(torch.tensor([[1.0, NAN], [NAN, NAN]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert rloo_advantages(torch.tensor([[0.1, 0.1, 0.1]])).tolist() == [[0.0, 0.0, 0.0]]


def test_whitening_counts_tokens():
    # Returns per token: 1, 1, 1, 0; mean 3/4, variance (3/16 + 9/16) / 3 = 1/4.
    found = reinforce_plus_plus_advantages(torch.tensor([[1.0, 0.0]]), torch.tensor([[3, 1]]))
    assert found.tolist() == [pytest.approx([0.5, -1.5], rel=1e-6)]
    # A response without a reward takes no part, however long it is.
    found = reinforce_plus_plus_advantages(torch.tensor([[1.0, 0.0, NAN]]), torch.tensor([[3, 1, 50]]))
    assert found.tolist() == [pytest.approx([0.5, -1.5, 0.0], rel=1e-6)]


def test_whitening_of_equal_rewards_or_none_is_zero():
    assert reinforce_plus_plus_advantages(torch.ones(2, 3), torch.ones(2, 3)).abs().max() == 0
    assert reinforce_plus_plus_advantages(torch.full((1, 2), NAN), torch.ones(1, 2)).tolist() == [[0.0, 0.0]]
