"""Entries that do not go together, and settings that would have no effect, are refused before any job."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.settings.load import load_settings
from workflow_scripts.yaml_file import read_yaml

ROOT = Path(__file__).resolve().parents[2]
MINI = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))
QUESTIONS = yaml.safe_load((ROOT / "config/questions.yaml").read_text(encoding="utf-8"))
MODELS = yaml.safe_load((ROOT / "config/models.yaml").read_text(encoding="utf-8"))
FIGURE = yaml.safe_load((ROOT / "config/artefacts/prose.yaml").read_text(encoding="utf-8"))["prose_fig1"]
CLAIM = yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))["claim_03"]


def changed(entry: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """`entry` with other values at paths such as `source__n`."""
    entry = copy.deepcopy(entry)
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = entry
        for key in parents:
            place = place[key]
        place[last] = value
    return entry


def message(root: Path = ROOT, **sections: Any) -> str:
    with pytest.raises(UserError) as caught:
        load_settings({**MINI, **sections}, root, "config/mine.yaml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def process(**keys: Any) -> dict[str, Any]:
    reward = {"kind": "process", "aggregation": "min", "format_guard": True, **keys}
    return {"label": "x", "reward": reward, "paper": "x"}


@pytest.mark.parametrize(
    ("prm", "hint"),
    [
        ("main_policy", "Known: prm_noise_high"),  # a role of another kind
        ("medqa_5op", "Known: prm_noise_high"),
        ("process_reward_modle", "Did you mean process_reward_model?"),
        ("clinic_prm", "Known: prm_noise_high"),  # an entry instead of a role
    ],
)
def test_the_model_of_a_method_is_a_role_of_process_reward_models(prm: str, hint: str) -> None:
    text = message(methods={"mine": process(prm=prm)})
    assert text.startswith(f"method mine: reward.prm: unknown role '{prm}'.")
    assert hint in text


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("TTRL", "'TTRL' is that of ttrl, too"),
        ("TTRL ", "is that of ttrl, too"),
        ("base", "is that of the unadapted policy, too"),
        ("", "label"),
        (" ", "label"),
    ],
)
def test_a_label_tells_a_method_from_the_others(label: str, words: str) -> None:
    assert words in message(methods={"mine": {**process(), "label": label}})


def test_no_method_takes_the_name_of_the_unadapted_policy() -> None:
    assert message(methods={"base": process()}).startswith("method base: is the name of the unadapted policy")


@pytest.mark.parametrize("value", ["2024-13-45", "0b_", "!!int abc", "[" * 3000 + "]" * 3000])
def test_a_value_that_yaml_cannot_hold_is_told_in_one_line(tmp_path: Path, value: str) -> None:
    (tmp_path / "mine.yaml").write_text(f"scale: {value}\n", encoding="utf-8")
    with pytest.raises(UserError, match="is not YAML"):
        read_yaml(tmp_path / "mine.yaml")


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        # a clock policy on clinic questions, and the other way round
        (
            {"policies": ["answer_space_policy"], "methods": ["ttrl"]},
            "clock_policy knows the words of the clock",
        ),
        ({"question_sets": ["amc_free"], "methods": ["ttrl"]}, "clock_free is of the clock"),
        ({"transfer": ["medmcqa", "amc_4op"], "methods": ["ttrl"]}, "clock_4op is of the clock"),
        # a clinic's process reward model on clock questions
        (
            {"policies": ["answer_space_policy"], "question_sets": ["amc_free"], "methods": ["prose"]},
            "artefact mine: amc_free: clinic_prm knows the words of the clinic only",
        ),
        (
            {"policies": ["answer_space_policy"], "question_sets": ["amc_free"], "methods": ["prm_label"]},
            "artefact mine: amc_free: clinic_prm knows",
        ),
        (
            {
                "policies": ["answer_space_policy"],
                "question_sets": ["amc_free"],
                "methods": ["prose_noise_high"],
            },
            "artefact mine: amc_free: clinic_prm_noise_high knows",
        ),
        (
            {
                "policies": ["answer_space_policy"],
                "question_sets": ["amc_free"],
                "methods": [],
                "score_steps": ["base"],
            },
            "artefact mine: amc_free: clinic_prm knows",
        ),
    ],
)
def test_a_tiny_model_reads_questions_of_its_own_kind_of_world_only(
    needs: dict[str, Any], words: str
) -> None:
    assert words in message(artefacts={"mine": {**FIGURE, **needs}})


def test_a_tiny_policy_reads_no_real_questions() -> None:
    roles = {**MINI["roles"], "question_sets": {**MINI["roles"]["question_sets"], "medqa_5op": "medqa_5op"}}
    assert "medqa_5op is no question set of a miniature world" in message(roles=roles)


def test_what_the_scale_lacks_is_paired_with_nothing() -> None:
    entry = {
        **FIGURE,
        "kind": "table",
        "policies": ["answer_space_policy"],
        "question_sets": ["amc_free"],
        "methods": ["prose"],
    }
    roles = copy.deepcopy(MINI["roles"])
    del roles["policies"]["answer_space_policy"]
    load_settings({**MINI, "roles": roles, "artefacts": {"medqa_smollm2": entry}}, ROOT)


PRM = MODELS["process_reward_models"]["clinic_prm"]
POLICY = MODELS["policies"]["clinic_policy"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (changed(PRM, source__policy="qwen3_4b"), "source.policy: qwen3_4b is of kind hub"),
        (changed(PRM, source__policy="clock_policy"), "source.policy: clock_policy is of the clock"),
        (changed(PRM, source__world="clock"), "source.world: clock is of the clock"),
        (changed(PRM, source__policy="clinic_polcy"), "Did you mean clinic_policy"),
        (changed(PRM, source__world="clinc"), "Did you mean clinic?"),
        (changed(PRM, source__labels__foreign=0.7), "foreign and repeated sum to 1.05"),
    ],
)
def test_a_process_reward_model_starts_from_a_policy_of_the_clinic(entry: dict[str, Any], words: str) -> None:
    assert words in message(models={"process_reward_models": {"mine": entry}})


def test_a_gate_that_cannot_close_is_refused() -> None:
    text = message(models={"policies": {"mine": changed(POLICY, source__max_form_gap=0.05)}})
    assert text.startswith("policy mine: source.max_form_gap: ")


CLINIC, CLOCK = QUESTIONS["clinic_5op"], QUESTIONS["clock_free"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (changed(CLINIC, source__n_options=None), "source.n_options: is null"),
        (changed(CLINIC, source__n_options=8), "source.n_options: is 8"),
        (changed(CLINIC, source__n=145), "has 144 different patients"),  # 16 conditions x 9
        (changed(CLINIC, source__n=49, source__family="single_finding"), "has 48 findings"),
        (changed(CLINIC, answer={"kind": "number"}), "answer.kind: is number; with n_options 5 it is choice"),
        (changed(CLOCK, source__n=401), "has 400 chains"),
        (changed(CLOCK, source__family="many_findings"), "source.family: many_findings is of the clinic"),
        (
            changed(CLOCK, answer={"kind": "choice"}),
            "answer.kind: is choice; with n_options null it is number",
        ),
        (changed(CLOCK, source__n_options=4), "answer.kind: is number; with n_options 4 it is choice"),
        (changed(CLOCK, prompt__user="{text}"), "prompt differs"),
    ],
)
def test_a_world_is_asked_for_what_it_holds(entry: dict[str, Any], words: str) -> None:
    text = message(questions={"mine": entry})
    assert text.startswith("question set mine: ")
    assert words in text


@pytest.mark.parametrize("field", ["policies", "question_sets", "methods", "score_steps", "transfer"])
def test_what_is_named_twice_would_count_twice(field: str) -> None:
    names = {
        "policies": "main_policy",
        "question_sets": "medqa_5op",
        "methods": "ttrl",
        "score_steps": "base",
        "transfer": "unseen",
    }
    text = message(artefacts={"mine": {**FIGURE, field: [names[field]] * 2}})
    assert text.startswith(f"config/mine.yaml: artefacts.mine.{field}: {names[field]} is named twice")


@pytest.mark.parametrize("field", ["headline", "headline_claims"])
def test_a_headline_names_each_once(field: str) -> None:
    name = {"headline": "prose_fig1", "headline_claims": "claim_01"}[field]
    assert f"{field}: {name} is named twice" in message(**{field: [name, name]})


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ({"score_steps": ["base"], "base": False}, "score_steps names base, but base is false"),
        ({"score_steps": ["prose"], "evaluate": False}, "score_steps names prose, but evaluate is false"),
        ({"transfer": ["medqa_5op"]}, "transfer names medqa_5op, the one set that is adapted on"),
        ({"score_steps": ["oracle"]}, "unknown method 'oracle'"),
    ],
)
def test_nothing_is_asked_for_in_vain(needs: dict[str, Any], words: str) -> None:
    assert words in message(artefacts={"mine": {**FIGURE, **needs}})


@pytest.mark.parametrize("kind", ["blind", "misconceived", "good"])
def test_a_belief_is_a_distribution(kind: str) -> None:
    worlds = yaml.safe_load((ROOT / "config/worlds.yaml").read_text(encoding="utf-8"))
    world = changed(worlds["clinic"], **{f"{kind}__right": 0.6, f"{kind}__habitual": 0.6})
    assert "right and habitual sum to 1.2" in message(worlds={"mine": world})


# ------------------------------------------------------------------ claims


def claims_with(tmp_path: Path, part: dict[str, Any], **changes: Any) -> Path:
    """A copy of the registries with the one claim `mine`, whose first part is changed."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    claim = changed(CLAIM, **changes)
    claim["parts"] = [{**claim["parts"][0], **part}]
    (tmp_path / "config/claims.yaml").write_text(yaml.safe_dump({"mine": claim}), encoding="utf-8")
    return tmp_path


def level(metric: str, method: str = "prose", where: str = "last") -> dict[str, Any]:
    return {"kind": "level", "metric": metric, "method": method, "where": where}


PROSE_LAST = {"metric": "avg@k", "method": "prose"}


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"quantity": level("avg@16")}, "'avg@16' is not allowed. Did you mean avg@k?"),
        ({"quantity": level("train.rewrd", where="run")}, "Did you mean train.reward?"),
        ({"quantity": level("train.label_accuracy", where="run")}, "neither right nor wrong"),
        ({"quantity": level("train.protection_gap", where="run")}, "neither right nor wrong"),
        ({"policies": ["main_policy"] * 2}, "policies: main_policy is named twice"),
        ({"question_sets": ["medqa_5op"] * 2}, "question_sets: medqa_5op is named twice"),
        (
            {
                "quantity": {
                    "kind": "contrast",
                    "sum": [{**PROSE_LAST, "weight": 0.0}, {**PROSE_LAST, "weight": 0.0}],
                }
            },
            "a term of weight 0 adds nothing",
        ),
        (
            {
                "quantity": {
                    "kind": "lead",
                    "of": PROSE_LAST,
                    "over": [PROSE_LAST, {"metric": "avg@k", "where": "base"}],
                }
            },
            "a lead is over others",
        ),
        (
            {
                "quantity": {
                    "kind": "ratio",
                    "metric": "train.reward",
                    "per": "train.reward",
                    "method": "prose",
                }
            },
            "itself is 1",
        ),
        (
            {
                "quantity": {
                    "kind": "gain",
                    "metric": "avg@k",
                    "method": "prose",
                    "where": "peak",
                    "over": "peak",
                }
            },
            "is 0, whatever happens",
        ),
        (
            {"quantity": {"kind": "difference", "metric": "avg@k", "method": "prose", "minus": "prose"}},
            "is 0, whatever happens",
        ),
        (
            {"published": {"paper": "prose", "place": "Table 1", "row": "PROSE gian", "metric": "avg@16"}},
            "claim mine: parts.0.published: paper_numbers.csv has no row with prose, Table 1, PROSE gian, avg@16",
        ),
        (
            {
                "published": {
                    "paper": "prose",
                    "place": "Table 1",
                    "row": "PROSE gain",
                    "metric": "avg@16",
                    "policy": "Lama",
                }
            },
            "has no row with",
        ),
    ],
)
def test_a_part_that_can_tell_nothing_is_refused(tmp_path: Path, part: dict[str, Any], words: str) -> None:
    assert words in message(claims_with(tmp_path, part), headline_claims=[])


# ------------------------------------------------------------------ keys that stand twice


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("config/methods.yaml", "\nttrl: {label: y, reward: {kind: oracle}, paper: y}\n"),
        ("config/artefacts/prose.yaml", "\nprose_fig1: {}\n"),
        ("config/claims.yaml", "\nclaim_01: {}\n"),
        ("config/models.yaml", "\npolicies: {}\n"),
        ("config/worlds.yaml", "\nmine: {kind: clock, seed: 0, seed: 1}\n"),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, file: str, text: str) -> None:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    with (tmp_path / file).open("a", encoding="utf-8") as registry:
        registry.write(text)
    said = message(tmp_path)
    assert file in said
    assert "Keep one of them" in said


def test_a_merged_key_may_be_replaced(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    with (tmp_path / "config/methods.yaml").open("a", encoding="utf-8") as registry:
        registry.write(
            "\nmine: &mine {label: x, reward: {kind: oracle}, paper: x}\nother: {<<: *mine, label: y}\n"
        )
    assert load_settings(MINI, tmp_path).methods["other"].label == "y"
