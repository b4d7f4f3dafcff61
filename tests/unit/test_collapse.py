"""Model Collapse Step on curves made by hand; rank agreement against scipy and by counting orders."""

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from workflow_scripts.analysis.collapse import (
    NEVER,
    collapse_step,
    collapse_steps,
    rank_agreement,
    rollout_tokens,
)


@pytest.mark.parametrize(
    ("curve", "sustained", "expected"),
    [
        ([0.5, 0.2, 0.009, 0.5, 0.008, 0.007, 0.006], 3, 5),  # one dip is no collapse
        ([0.5, 0.2, 0.009, 0.5, 0.008, 0.007, 0.006], 1, 3),
        ([0.5, 0.01, 0.01, 0.01], 3, NEVER),  # below, not at
        ([0.5, 0.2, 0.0, 0.0], 3, NEVER),  # not yet sustained
        ([0.0, 0.0, 0.0], 3, 1),
        ([], 3, NEVER),
    ],
)
def test_the_collapse_step_is_the_first_of_a_sustained_fall(curve, sustained, expected):
    assert collapse_step(curve, 0.01, sustained) == expected


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.1])
def test_a_curve_that_is_no_share_is_refused(value):
    with pytest.raises(ValueError, match="between 0 and 1"):
        collapse_step([0.5, value], 0.01)


def test_a_higher_threshold_never_makes_the_collapse_later():
    rng = np.random.default_rng(0)
    curves = np.clip(np.linspace(0.6, 0.0, 60) + rng.normal(0, 0.05, (5, 60)), 0, 1)
    steps = collapse_steps(curves, [0.01, 0.05, 0.1, 0.3])
    assert (steps[1:] <= steps[:-1]).all()


def test_the_papers_own_collapse_steps_are_ranked_like_themselves():
    steps = [22, 14, 19, 112, 128, 172, 195]  # URLVR, section 6.3
    found = rank_agreement(steps, steps)
    assert (found.rho, found.p) == (1.0, pytest.approx(1 / math.factorial(7)))
    assert sum(steps) == 662


def test_rho_is_scipys_and_p_counts_orders():
    # Ranks 1 2 3 against 1 3 2: rho = 1/2; of the six orders rho is 1, 1/2, 1/2, -1/2, -1/2, -1.
    found = rank_agreement([10, 20, 30], [1, 3, 2])
    assert (found.rho, found.p) == (pytest.approx(0.5), pytest.approx(3 / 6))
    rng = np.random.default_rng(1)
    for _ in range(20):
        x, y = rng.integers(0, 4, (2, 6))
        found = rank_agreement(x, y)
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert found.rho == pytest.approx(spearmanr(x, y).statistic)


def test_runs_that_never_collapse_share_the_last_rank():
    found = rank_agreement([5, NEVER, NEVER], [0.1, 0.2, 0.3])
    assert found.rho == pytest.approx(spearmanr([1, 2, 2], [1, 2, 3]).statistic)
    assert rank_agreement([NEVER, NEVER], [1, 2]) is None


def test_measures_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="same models"):
        rank_agreement([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="without gaps"):
        rank_agreement([1, math.nan], [1, 2])
    with pytest.raises(ValueError, match="10 models"):
        rank_agreement(range(10), range(10))


def test_the_papers_costs_are_its_products():
    # Table 3: 6.66 and 1.19 thousand million tokens, a factor of 5.6.
    trained = 7 * rollout_tokens(7_000, 8, 17_000)
    collapsed = rollout_tokens(7_000, 8, 662 * 32)
    assert trained == pytest.approx(6.66e9, rel=1e-3)
    assert collapsed == pytest.approx(1.19e9, rel=4e-3)
    assert trained / collapsed == pytest.approx(5.6, abs=0.05)
