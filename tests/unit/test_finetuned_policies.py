"""Policies that are trained on in another world: their plan, their weights, and what the worlds have in common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

from tests.unit.clinic_samples import world_settings
from tests.unit.test_model_steps import policy_config, pretrained
from tests.unit.test_settings_errors import message, mini
from tests.unit.test_settings_plan import planned
from workflow_scripts import pretrain_policy
from workflow_scripts.errors import UserError
from workflow_scripts.policies import gates, pretraining
from workflow_scripts.settings.job import Job, Plan
from workflow_scripts.settings.worlds import Belief, World
from workflow_scripts.worlds.clinic import Clinic
from workflow_scripts.worlds.knowledge import FINDINGS

ROOT = Path(__file__).resolve().parents[2]
FINETUNING: dict[str, Any] = {
    "kind": "finetuned",
    "policy": "clinic_policy_smoke",
    "world": "clinic_misconceptions_few",
    "corpus_steps": 2,
    "learning_rate": 1.0e-3,
    "drill_share": 0.25,
    "batch_size": 8,
    "corpus_size": 50,
    "weight_decay": 0.01,
    "seed": 0,
    "min_agreement": 0.0,
}


def configured_world(name: str) -> Clinic:
    entries = yaml.safe_load((ROOT / "config/worlds.yaml").read_text(encoding="utf-8"))
    world: Any = TypeAdapter(World).validate_python(entries[name])
    return Clinic(world)


# ------------------------------------------------------------------ the plan


def smoke_plan(**changes: Any) -> tuple[Plan, Job]:
    """The smoke scale with a fine-tuned main policy, and the job that makes it."""
    source = {**FINETUNING, **changes.pop("source", {})}
    scale = yaml.safe_load((ROOT / "config/smoke.yaml").read_text(encoding="utf-8"))
    policies = {**scale["models"]["policies"], "tuned": {"source": source, "dtype": "float32"}}
    for path, value in changes.items():
        policies["clinic_policy_smoke"]["source"]["pretraining"][path] = value
    plan = planned("smoke", models__policies=policies, roles__policies={"main_policy": "tuned"})
    (job,) = (job for policy_id, job in plan.policies.items() if policy_id.startswith("tuned."))
    return plan, job


def test_a_finetuned_policy_waits_for_the_policy_that_it_starts_from() -> None:
    plan, job = smoke_plan()
    start = json.loads(job.json)["start"]
    assert start.startswith("clinic_policy_smoke.")
    assert job.inputs == {"policy": plan.policies[start].outputs["manifest"]}
    assert json.loads(job.json)["world"]["misconceived"]["share"] == 0.14


def test_a_finetuned_policy_is_another_one_in_another_world_or_from_another_start() -> None:
    _, few = smoke_plan()
    _, many = smoke_plan(source={"world": "clinic_misconceptions_many"})
    _, restarted = smoke_plan(seed=1)
    _, gated = smoke_plan(source={"min_agreement": 0.5})
    assert len({job.outputs["manifest"] for job in (few, many, restarted)}) == 3
    assert gated.outputs == few.outputs


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"world": "clinic_misconception_few"}, ["source.world", "Did you mean clinic_misconceptions_few?"]),
        ({"policy": "clinic_polcy"}, ["source.policy", "Did you mean clinic_policy?"]),
        ({"policy": "llama_3_1_8b"}, ["source.policy", "kind hub", "Name a pretrained policy"]),
        ({"policy": "tuned"}, ["source.policy", "kind finetuned", "Name a pretrained policy"]),
        ({"world": "clock"}, ["source.world", "clock is a clock", "pretrained in a clinic"]),
        ({"drill_steps": 10}, ["source.drill_steps", "unknown key"]),
    ],
)
def test_a_finetuned_policy_that_cannot_be_made_is_named_before_anything_runs(
    source: dict[str, Any], words: list[str]
) -> None:
    scale = mini()
    entry = {"source": {**FINETUNING, "policy": "clinic_policy", **source}, "dtype": "float32"}
    scale["models"] = {"policies": {"tuned": entry}}
    text = message(scale)
    for word in ("tuned", *words):
        assert word in text, text


# ------------------------------------------------------------------ the step


def finetuned_config(min_agreement: float = 0.0, **world: Any) -> str:
    source = {**FINETUNING, "policy": "tiny", "min_agreement": min_agreement}
    settings = world_settings(**world).model_dump(mode="json")
    policy = {"source": source, "dtype": "float32"}
    return json.dumps({"name": "tuned", "policy": policy, "start": "tiny.0", "world": settings})


UNSURE = {
    "blind": Belief(share=0.0, right=0.03, habitual=0.8),
    "good": Belief(share=0.6, right=0.6, habitual=0),
}


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """Few drills and short samples in the gate: what is tested here does not hang on their number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pretraining, "N_DRILLS", 100)
        patch.setattr(gates, "MAX_RESPONSE_TOKENS", 8)
        yield


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("start")
    pretrain_policy.main(["--config", policy_config(pretrained(0.0)), "--out", str(out)])
    return out / "manifest.json"


def finetune(start: Path, out: Path, config: str) -> bytes:
    pretrain_policy.main(["--config", config, "--policy", str(start), "--out", str(out)])
    return (out / "model/model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def tuned(start: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tuned")
    finetune(start, out, finetuned_config(**UNSURE))
    return out


def test_finetuning_goes_on_from_the_given_weights_and_twice_gives_the_same(
    start: Path, tuned: Path, tmp_path: Path
) -> None:
    weights = (tuned / "model/model.safetensors").read_bytes()
    assert weights == finetune(start, tmp_path / "twice", finetuned_config(**UNSURE))
    assert weights != finetune(start, tmp_path / "other", finetuned_config())
    before = (start.parent / "model/model.safetensors").read_bytes()
    assert len(weights) == len(before)
    assert weights != before
    report = json.loads((tuned / "report.json").read_text())
    measured = {"agreement", "n_answers", "unparseable", "says_a_finding_twice"}
    assert set(report) == {"parameters", "corpus_loss", *measured}


def test_the_record_of_a_finetuned_policy_names_its_world_and_links_to_its_start(tuned: Path) -> None:
    record = json.loads((tuned / "manifest.json.prov.json").read_text())
    assert [(root["kind"], root["id"]) for root in record["roots"]] == [
        ("finetuned", "clinic_misconceptions_few")
    ]
    (link,) = record["inputs"]
    assert link["name"] == "policy"
    assert link["record"]["path"].endswith("manifest.json.prov.json")


def test_a_finetuned_policy_whose_answers_do_not_follow_from_its_steps_is_not_published(
    start: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"agree with their own steps .* min_agreement is 0.95"):
        finetune(start, tmp_path, finetuned_config(min_agreement=0.95))
    assert not (tmp_path / "manifest.json").exists()


def test_a_start_with_another_vocabulary_is_refused_in_one_line(start: Path, tmp_path: Path) -> None:
    clock = yaml.safe_load((ROOT / "config/worlds.yaml").read_text(encoding="utf-8"))["clock"]
    config = json.dumps({**json.loads(finetuned_config()), "world": clock})
    with pytest.raises(UserError, match="another vocabulary than the world") as caught:
        finetune(start, tmp_path, config)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "manifest.json").exists()


def test_a_start_that_is_not_given_or_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="give --policy, the manifest of tiny"):
        pretrain_policy.main(["--config", finetuned_config(), "--out", str(tmp_path)])
    with pytest.raises(UserError, match=r"no file .*nothing\.json"):
        finetune(tmp_path / "nothing.json", tmp_path, finetuned_config())


# ------------------------------------------------------------------ the worlds of beyond_misconceptions


@pytest.mark.parametrize(
    ("name", "systematic"), [("none", 0), ("few", 12), ("some", 24), ("many", 36)]
)  # 0, 25, 50, 75 % of 48 findings
def test_the_worlds_of_misconceptions_differ_in_how_many_findings_are_mistaken_and_not_for_what(
    name: str, systematic: int
) -> None:
    world, clinic = configured_world(f"clinic_misconceptions_{name}"), configured_world("clinic")
    assert world.habitual == clinic.habitual
    assert world.distractors == clinic.distractors
    kinds = Counter(belief.right for belief in world.belief.values())
    assert kinds.total() - kinds[0.6] == systematic


def test_a_finding_that_is_mistaken_in_one_of_the_worlds_is_mistaken_in_those_with_more() -> None:
    mistaken = [
        {f for f in FINDINGS if configured_world(f"clinic_misconceptions_{name}").belief[f].right != 0.6}
        for name in ("none", "few", "some", "many")
    ]
    assert all(fewer < more for fewer, more in pairwise(mistaken))
