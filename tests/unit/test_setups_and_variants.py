"""Setups of a scale, what a method changes of them, and the variants that `vary` of a method stands for."""

import pytest

from tests.unit.test_settings_plan import planned
from workflow_scripts.errors import UserError
from workflow_scripts.settings.identity import identity
from workflow_scripts.settings.methods import MajorityReward, MethodSpec
from workflow_scripts.settings.training import GrpoSpec
from workflow_scripts.settings.variants import variant_name, with_variants


def method(**values):
    return MethodSpec(**{"label": "M", "reward": MajorityReward(kind="majority"), "paper": "x"} | values)


def test_a_method_changes_the_setup_and_the_setup_the_scale():
    loaded = planned().settings
    scale = loaded.settings.grpo
    plain, setup = loaded.grpo(None, "ttrl"), loaded.grpo("urlvr", "ttrl")
    both = loaded.grpo("urlvr", "token_entropy_temperature_1_2")
    assert plain == scale
    assert (scale.kl_coefficient, setup.kl_coefficient, both.kl_coefficient) == (1e-3, 0.0, 0.0)
    assert (setup.temperature, both.temperature) == (1.0, 1.2)
    assert loaded.evaluation(None) == loaded.settings.evaluation
    assert loaded.evaluation("urlvr_pass_at_k").n_samples == 64


def test_a_run_is_named_after_what_it_trains_by():
    plan = planned()
    of_fig2 = {run.run_id for run in plan.analyses["urlvr_fig2"].config.evidence.runs}
    of_fig8 = {run.run_id for run in plan.analyses["urlvr_fig8"].config.evidence.runs}
    # The same settings under the name of another setup are the same run.
    assert len(of_fig2 & of_fig8) == 3
    train = plan.runs[sorted(of_fig2)[0]].config
    assert [item.questions.split(".")[0] for item in train.validation] == ["clock_unseen", "clock_unseen_4op"]


def test_settings_that_came_later_change_no_id_until_they_are_used():
    grpo = planned().settings.settings.grpo
    plain = identity(grpo)
    assert not {"mini_batches", "estimator", "measure_drift"} & set(plain)
    for change in ({"mini_batches": 7}, {"measure_drift": True}):
        assert identity(grpo.model_copy(update=change)) == plain | change


@pytest.mark.parametrize(
    ("changes", "updates", "rollouts", "passes"),
    [
        ({}, 1, 32, 8),
        ({"mini_batches": 2}, 2, 16, 8),
        ({"mini_batches": "prompts"}, 8, 4, 4),
        ({"mini_batches": 4, "updates_per_batch": 3}, 12, 8, 8),
        ({"micro_batch": 7}, 1, 32, 4),
        ({"micro_batch": 1000}, 1, 32, 32),
        ({"prompts_per_step": 5, "n_samples": 3, "n_votes": 3, "micro_batch": 4}, 1, 15, 3),
    ],
)
def test_a_step_is_cut_into_updates_and_an_update_into_passes(changes, updates, rollouts, passes):
    grpo = planned().settings.settings.grpo.model_dump()
    grpo |= {"prompts_per_step": 8, "n_samples": 4, "n_votes": 4, "micro_batch": 8} | changes
    spec = GrpoSpec.model_validate(grpo)
    assert (spec.updates_per_step, spec.rollouts_per_update, spec.rollouts_per_pass) == (
        updates,
        rollouts,
        passes,
    )


def test_variants_follow_their_method_and_differ_in_one_setting():
    found = with_variants(
        {
            "m": method(grpo={"kl_coefficient": 0.0}, vary={"temperature": [0.6, 1], "rollouts": [4]}),
            "n": method(),
        }
    )
    assert list(found) == ["m", "m_temperature_0_6", "m_temperature_1", "m_rollouts_4", "n"]
    assert found["m_temperature_0_6"].grpo == {"kl_coefficient": 0.0, "temperature": 0.6}
    assert found["m_rollouts_4"].grpo == {"kl_coefficient": 0.0, "n_samples": 4, "n_votes": 4}
    assert [spec.label for spec in found.values()] == ["M", "M, T = 0.6", "M, T = 1", "M, N = 4", "M"]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (0.6, "m_kl_0_6"),
        (1e-06, "m_kl_1e_06"),
        ("prompts", "m_kl_prompts"),
        (True, "m_kl_true"),
        (-1, "m_kl_1"),
    ],
)
def test_the_name_of_a_variant_can_be_part_of_a_path(value, name):
    assert variant_name("m", "kl", value) == name


def test_a_variant_may_not_take_the_name_of_another_method():
    for methods in (
        {"m": method(vary={"temperature": [1]}), "m_temperature_1": method()},
        {"m_temperature_1": method(), "m": method(vary={"temperature": [1]})},
        {"m": method(vary={"temperature": [1, 1.0]})},
    ):
        with pytest.raises(UserError, match="m_temperature_1 is the name of another method"):
            with_variants(methods)
