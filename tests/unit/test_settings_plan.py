"""Ids cover what changes numbers and nothing else; roles that a scale lacks are listed, never an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from workflow_scripts.settings.identity import canonical_json, digest8
from workflow_scripts.settings.job import Plan
from workflow_scripts.settings.job_maker import JobMaker
from workflow_scripts.settings.load import load_settings
from workflow_scripts.settings.plan import resolve

ROOT = Path(__file__).resolve().parents[2]


def planned(scale: str = "mini", **changes: Any) -> Plan:
    """The plan of a scale file after changes, e.g. `grpo__learning_rate=1.0`."""
    data = yaml.safe_load((ROOT / f"config/{scale}.yaml").read_text(encoding="utf-8"))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = data
        for key in parents:
            place = place[key]
        place[last] = value
    return resolve(load_settings(data, ROOT))


def test_canonical_json_depends_on_content_alone() -> None:
    assert canonical_json({"b": 1e-6, "a": [True, None]}) == '{"a":[true,null],"b":1e-06}'
    assert canonical_json({"a": [True, None], "b": 0.000001}) == '{"a":[true,null],"b":1e-06}'
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json({"a": float("nan")})
    # sha256 of '{"a":1}' by an independent program (coreutils sha256sum)
    assert digest8({"a": 1}) == "015abd7f"


@pytest.mark.parametrize(
    "change",
    [
        {"results": "elsewhere"},
        {"figures": "elsewhere"},
        {"track_code": False},
        {"environment": "gpu"},
        {"grpo__micro_batch": 8},
        {"grpo__max_rows": 1},
        {"grpo__gradient_checkpointing": True},
        {"grpo__save_every": 7},
        {"resources__train__mem_mb": 1},
        {"statistics__bootstrap_samples": 10},
        {"headline": ["prose_fig1"]},
    ],
)
def test_what_changes_no_number_changes_no_run_id(change: dict[str, Any]) -> None:
    assert set(planned(**change).runs) == set(planned().runs)


@pytest.mark.parametrize(
    "change",
    [
        {"grpo__micro_batch": 4},
        {"evaluation__max_rows": 1},
        {"questions__clinic_5op_smoke__licence": "another"},
        {"questions__clinic_5op_smoke__expected_rows": 8},
        {"models__policies__clinic_policy_smoke__parameters": "8B"},
        {"models__policies__clinic_policy_smoke__source__min_agreement": 0.1},
        {"models__process_reward_models__clinic_prm_smoke__source__held_out_responses": 50},
    ],
)
def test_what_changes_no_number_changes_no_path_and_nothing_that_snakemake_tracks(
    change: dict[str, Any],
) -> None:
    before, after = ([*planned("smoke", **settings).jobs()] for settings in ({}, change))
    assert [(job.identity, job.inputs, job.outputs) for job in after] == [
        (job.identity, job.inputs, job.outputs) for job in before
    ]
    assert [job.json for job in after] != [job.json for job in before]


@pytest.mark.parametrize(
    "change",
    [
        {"grpo__learning_rate": 2.0e-4},
        {"grpo__n_votes": 32},
        {"grpo__kl_coefficient": 0.0},
        {"evaluation__temperature": 1.0},
        {"evaluation__seed": 1},
        {"roles__question_sets__medqa_5op": "clinic_5op_unseen"},
    ],
)
def test_what_changes_numbers_changes_every_run_id(change: dict[str, Any]) -> None:
    assert not set(planned(**change).runs) & set(planned().runs)


def test_fewer_seeds_are_a_part_of_the_same_runs() -> None:
    one, three = planned(n_seeds=1), planned(n_seeds=3)
    assert set(one.runs) < set(three.runs)
    assert sum(".prose." in run for run in one.runs) == 1
    assert sum(".prose." in run for run in three.runs) == 3


def test_a_run_id_says_what_the_run_is() -> None:
    run = next(name for name in planned().runs if ".prose." in name and ".s2." in name)
    policy, questions, method, seed, digest = run.split(".")
    assert (policy, questions, method, seed) == ("clinic_policy", "clinic_5op", "prose", "s2")
    assert len(digest) == 8
    assert int(digest, 16) >= 0


def test_a_job_gets_the_whole_sub_tree_and_only_what_it_needs() -> None:
    plan = planned()
    job = plan.runs[next(name for name in plan.runs if ".ttrl.s0." in name)]
    config = json.loads(job.json)
    assert config["grpo"]["learning_rate"] == 1e-4
    assert config["seed"] == 0
    assert config["prm"] is None
    assert "prm" not in job.inputs


def test_every_input_is_made_by_a_job_of_the_plan() -> None:
    plan = planned()
    jobs = list(plan.jobs())
    made = {path for job in jobs for path in job.outputs.values()}
    assert {path for job in jobs for path in job.inputs.values()} <= made


def test_no_two_jobs_write_the_same_file() -> None:
    outputs = [path for job in planned().jobs() for path in job.outputs.values()]
    assert len(outputs) == len(set(outputs))


def test_a_record_stands_beside_the_first_output() -> None:
    for job in planned().jobs():
        first = next(iter(job.outputs.values()))
        assert job.outputs["record"] == f"{first}.prov.json"


def test_a_role_that_the_scale_lacks_is_listed_as_not_run() -> None:
    plan = planned(roles__process_reward_models={})
    evidence = json.loads(plan.analyses["prose_table3"].json)["evidence"]
    assert {run["method"] for run in evidence["runs"]} == {"ttrl"}
    assert {cell["method"] for cell in evidence["not_run"]} == {"prm_label", "prose"}
    assert "process_reward_model" in evidence["not_run"][0]["reason"]
    assert evidence["base"]

    nothing = planned(roles__policies={})
    assert not nothing.runs
    assert all(not json.loads(job.json)["evidence"]["runs"] for job in nothing.analyses.values())


def test_an_evaluation_is_the_same_job_whoever_asks_and_another_one_with_step_scores() -> None:
    plan = planned()
    base = [job for (owner, _), job in plan.evaluations.items() if owner in plan.policies]
    assert sorted("step_scores" in job.inputs for job in base) == [False, True]


def test_evaluations_that_differ_in_what_decides_them_lie_apart() -> None:
    maker = JobMaker(planned().settings)
    policy = maker.policy("clinic_policy")
    asked = [
        maker.evaluate(policy, "clinic_policy", "clinic_5op", prm)[0]
        for prm in (None, "clinic_prm", "med_prm")
    ]
    assert len({job.outputs["metrics"] for job in asked}) == 3
    assert len({job.inputs.get("step_scores") for job in asked}) == 3
    assert len({job.inputs["samples"] for job in asked}) == 1

    evaluations = set(planned().evaluations)
    for change in ("bootstrap_samples", "seed"):
        assert not set(planned(**{f"statistics__{change}": 10}).evaluations) & evaluations


def test_paper_settings_are_those_of_the_paper() -> None:
    """PROSE, section 5: Optimization and Metrics."""
    grpo = planned("paper").settings.settings.grpo
    assert (grpo.epochs, grpo.prompts_per_step, grpo.n_samples, grpo.n_votes) == (10, 7, 32, 32)
    assert (grpo.learning_rate, grpo.schedule, grpo.warmup_share) == (5e-7, "cosine", 0.03)
    assert (grpo.weight_decay, grpo.adam_beta1, grpo.adam_beta2) == (0.01, 0.9, 0.999)
    assert (grpo.clip_low, grpo.clip_high, grpo.updates_per_batch, grpo.max_grad_norm) == (0.2, 0.2, 1, 1.0)
    assert (grpo.kl_coefficient, grpo.temperature, grpo.top_p, grpo.max_new_tokens) == (1e-3, 1, 1, 2048)
    evaluation = planned("paper").settings.settings.evaluation
    assert (evaluation.n_samples, evaluation.temperature, evaluation.top_p) == (16, 0.6, 0.95)


def test_the_miniatures_question_sets_ask_as_the_corpus_asked() -> None:
    loaded = planned().settings
    for spec in loaded.questions.values():
        if spec.source.kind == "generated":
            assert spec.prompt == loaded.worlds[spec.source.world].prompt
