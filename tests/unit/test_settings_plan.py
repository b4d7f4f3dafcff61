"""Ids cover what changes numbers and nothing else; roles that a scale lacks are listed, never an error."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from workflow_scripts.settings.identity import canonical_json, digest8
from workflow_scripts.settings.job import Plan
from workflow_scripts.settings.job_maker import JobMaker
from workflow_scripts.settings.load import load_settings
from workflow_scripts.settings.plan import resolve
from workflow_scripts.settings.scale import PolicyRole, PrmRole, QuestionRole

ROOT = Path(__file__).resolve().parents[2]
ONE_OF_EACH = {
    "policies": {"main_policy": "clinic_policy"},
    "question_sets": {"medqa_5op": "clinic_5op"},
    "process_reward_models": {"process_reward_model": "clinic_prm"},
}
"""Roles of a scale with one policy and one question set."""


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
        {"statistics__bootstrap_samples": 100},
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
        {"roles": {**ONE_OF_EACH, "question_sets": {"medqa_5op": "clinic_5op_unseen"}}},
    ],
)
def test_what_changes_numbers_changes_every_run_id(change: dict[str, Any]) -> None:
    # A setup that says otherwise itself is not changed by what the scale says.
    said = {key.removeprefix("grpo__") for key in change}
    setups = planned().settings.settings.setups.values()
    mine = planned(**change).runs
    if any(said & set(setup.grpo) for setup in setups):
        mine = {run: job for run, job in mine.items() if not job.config.validation}
    assert not set(mine) & set(planned().runs)


def test_fewer_seeds_are_a_part_of_the_same_runs() -> None:
    one, three = planned(n_seeds=1), planned(n_seeds=3)
    assert set(one.runs) < set(three.runs)
    assert sum(run.startswith("clinic_policy.clinic_5op.prose.") for run in one.runs) == 1
    assert sum(run.startswith("clinic_policy.clinic_5op.prose.") for run in three.runs) == 3


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


QUESTIONS: dict[str, Any] = {
    "prompt": {"user": "{text}\n{options}"},
    "answer": {"kind": "choice"},
    "licence": "none",
}
COMMIT = "0123456789" * 4


def hub_plan(revision: str | None, **more: Any) -> Plan:
    """The paper's scale on one data set and one model of the hub of its own."""
    source = {"kind": "hub", "id": "org/my.set", "split": "test", "shape": "medqa", "revision": revision}
    model = {"source": {"kind": "hub", "id": "org/Model-1", "revision": revision}, "dtype": "bfloat16"}
    return planned(
        "paper",
        questions={"mine": {**QUESTIONS, "source": source}},
        models={"policies": {"my_policy": model}},
        roles={"policies": {"main_policy": "my_policy"}, "question_sets": {"medqa_5op": "mine"}},
        **more,
    )


def test_a_source_of_the_hub_waits_for_its_pin_unless_it_names_its_commit() -> None:
    plan = hub_plan(None)
    files = {
        "datasets/org--my.set": "results/paper/revisions/datasets/org--my.set.json",
        "models/org--Model-1": "results/paper/revisions/models/org--Model-1.json",
    }
    assert {pin: job.outputs["revision"] for pin, job in plan.revisions.items()} == files
    (questions,), (policy,) = plan.questions.values(), plan.policies.values()
    assert [questions.inputs, policy.inputs] == [{"revision": path} for path in files.values()]

    named = hub_plan(COMMIT)
    assert not named.revisions
    assert not any(job.inputs for job in (*named.questions.values(), *named.policies.values()))
    # A commit that an entry names is part of its id; one of the lock is not.
    assert not set(named.runs) & set(plan.runs)


def test_what_the_lock_says_is_no_part_of_any_id(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    data = yaml.safe_load((ROOT / "config/paper.yaml").read_text(encoding="utf-8"))
    (tmp_path / "config/revisions.lock.yaml").unlink(missing_ok=True)
    before = resolve(load_settings(data, tmp_path))
    assert before.revisions
    lock = {pin.replace("--", "/"): COMMIT for pin in before.revisions}
    (tmp_path / "config/revisions.lock.yaml").write_text(yaml.safe_dump(lock), encoding="utf-8")
    after = resolve(load_settings(data, tmp_path))
    assert [(job.json, job.inputs, job.outputs) for job in after.jobs()] == [
        (job.json, job.inputs, job.outputs) for job in before.jobs()
    ]


def matched_plan(**source: Any) -> Plan:
    free = {
        **QUESTIONS,
        "prompt": {"user": "{text}"},
        "answer": {"kind": "number"},
        "source": {"kind": "local", "path": "amc.json", "shape": "problem"},
    }
    matched = {
        **QUESTIONS,
        "source": {"kind": "matched", "of": "free", **source},
        "options": {"n": 4, "seed": 0},
    }
    return planned(
        questions={"free": free, "four": matched},
        roles={"policies": {"main_policy": "qwen3_4b"}, "question_sets": {"medqa_5op": "four"}},
    )


def test_matched_questions_wait_for_the_set_they_are_made_of_and_for_its_wrong_answers() -> None:
    plan = matched_plan()
    ids = {qid.split(".")[0]: qid for qid in plan.questions}
    free, four = plan.questions[ids["free"]], plan.questions[ids["four"]]
    assert four.inputs == {"base": free.outputs["questions"]}
    config = json.loads(four.json)
    assert (config["base"], config["base_samples"]) == (ids["free"], None)

    with_answers = matched_plan(wrong_answers_of="qwen3_4b")
    (four,) = (job for qid, job in with_answers.questions.items() if qid.startswith("four."))
    (key,) = (key for key in with_answers.samples if key.sid.startswith("free."))
    assert key.owner.startswith("qwen3_4b.")
    assert four.inputs["base_samples"] == with_answers.samples[key].outputs["rollouts"]
    assert json.loads(four.json)["base_samples"] == f"{key.owner}/{key.sid}"
    assert not set(with_answers.questions) - {ids["free"]} & set(plan.questions)


def test_the_question_sets_of_the_roles_are_compared_in_one_job_but_for_matched_ones() -> None:
    job = planned(roles__question_sets={"medqa_5op": "clinic_5op", "unseen": "clinic_5op_unseen"}).overlap
    assert job is not None
    names = json.loads(job.json)["question_sets"]
    assert names == ["clinic_5op", "clinic_5op_unseen"]
    assert [Path(path).parent.name.split(".")[0] for path in job.inputs.values()] == names
    assert matched_plan().overlap is None
    assert planned(roles__question_sets={}).overlap is None


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
    plan = planned(roles=ONE_OF_EACH)
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
        assert not set(planned(**{f"statistics__{change}": 300}).evaluations) & evaluations


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


def test_the_papers_policies_are_those_of_the_paper_and_qwen_does_not_think() -> None:
    """PROSE, section 5: Policies."""
    loaded = planned("paper").settings
    ids = {role: loaded.policies[name].source.id for role, name in loaded.settings.roles.policies.items()}
    of_prose = ("main_policy", "second_policy", "small_policy_1", "small_policy_2", "answer_space_policy")
    assert {role: ids[role] for role in of_prose} == {
        "main_policy": "meta-llama/Llama-3.1-8B-Instruct",
        "second_policy": "Qwen/Qwen3-8B",
        "small_policy_1": "Qwen/Qwen3-4B",
        "small_policy_2": "Qwen/Qwen3-1.7B",
        "answer_space_policy": "Qwen/Qwen2.5-Math-1.5B",  # ours (deviations.yaml)
    }
    thinking = {name for name, policy in loaded.policies.items() if policy.chat_template_arguments}
    assert thinking == {"qwen3_8b", "qwen3_4b", "qwen3_1_7b"}
    assert {loaded.policies[name].chat_template_arguments["enable_thinking"] for name in thinking} == {False}


def test_every_prose_artefact_has_all_its_cells_at_the_papers_scale() -> None:
    plan = planned("paper")
    for artefact in (name for name in plan.analyses if name.startswith("prose_")):
        absent = json.loads(plan.analyses[artefact].json)["evidence"]["not_run"]
        # Patients that no training saw exist in the miniature world alone.
        assert {cell["questions_role"] for cell in absent} <= {"unseen"}, artefact


def test_an_axis_has_a_value_for_everything_that_it_varies() -> None:
    axes = {name: entry for name, entry in planned().settings.artefacts.items() if entry.axis}
    assert set(axes) == {"beyond_answer_space", "beyond_misconceptions", "beyond_prm_quality"}
    for entry in axes.values():
        assert entry.axis is not None
        assert list(entry.axis.at) == getattr(entry, entry.axis.over)


PAPER_SCALE_ALONE = {
    *("aime25", "dapo_8192", "dapo_16384", "math_8k", "deepscaler_40k", "orz_56k"),
    *("qwen_math", "qwen_instruct", "llama_math", "llama_math_small", "llama_instruct", "qwen3_4b"),
}
"""Roles of which the miniature has nothing: sizes beyond its chains, other pools, stages of training."""


def test_the_miniature_has_every_role_and_all_of_prose_and_beyond_fits_into_an_hour() -> None:
    loaded = planned().settings
    for fields, roles in (
        ("policies", PolicyRole),
        ("question_sets", QuestionRole),
        ("process_reward_models", PrmRole),
    ):
        absent = set(get_args(roles)) - set(getattr(loaded.settings.roles, fields))
        assert absent <= PAPER_SCALE_ALONE
    minutes = {
        name: entry.budget_minutes
        for name, entry in loaded.artefacts.items()
        if name.startswith(("prose_", "beyond_"))
    }
    assert len(minutes) == 12
    assert sum(minutes.values()) <= 60
    of_urlvr = [
        entry.budget_minutes
        for name, entry in loaded.artefacts.items()
        if name.startswith("urlvr_") and not entry.sweep
    ]
    assert sum(of_urlvr) <= 40


def test_the_miniatures_question_sets_ask_as_the_corpus_asked() -> None:
    loaded = planned().settings
    for spec in loaded.questions.values():
        if spec.source.kind == "generated":
            assert spec.prompt == loaded.worlds[spec.source.world].prompt
