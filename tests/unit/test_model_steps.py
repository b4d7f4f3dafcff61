"""The commands that make and use models: their outputs, and one readable line for each mistake."""

import json
import os
import shutil

import pytest

from tests.unit.clinic_samples import PROMPT, questions, save_untrained_policy, world_settings
from tests.unit.test_step_scores import FORMAT
from workflow_scripts import pretrain_policy, sample, score_steps, train_prm
from workflow_scripts.errors import UserError
from workflow_scripts.models import weights_directory, write_manifest
from workflow_scripts.questions.schema import write_questions

ARCHITECTURE = {"hidden_size": 16, "layers": 1, "heads": 2, "intermediate_size": 16}
PRETRAINING = {
    "drill_steps": 2,
    "drill_learning_rate": 1e-3,
    "corpus_steps": 2,
    "corpus_learning_rate": 1e-3,
    "drill_share": 0.25,
    "batch_size": 8,
    "corpus_size": 50,
    "weight_decay": 0.01,
    "seed": 0,
}
LABELS = {
    "responses": 50,
    "corrupted_share": 0.5,
    "foreign": 0.45,
    "repeated": 0.35,
    "systematic_noise": 0.05,
    "random_noise": 0.06,
}


def policy_config(source, world=True):
    return json.dumps(
        {
            "name": "tiny",
            "policy": {"source": source, "dtype": "float32"},
            "world": world_settings().model_dump(mode="json") if world else None,
        }
    )


def pretrained(min_agreement):
    return {
        "kind": "pretrained",
        "world": "clinic",
        "architecture": ARCHITECTURE,
        "pretraining": PRETRAINING,
        "min_agreement": min_agreement,
    }


def prm_spec():
    return {
        "source": {
            "kind": "trained",
            "world": "clinic",
            "policy": "tiny",
            "labels": LABELS,
            "steps": 2,
            "learning_rate": 1e-3,
            "batch_size": 8,
            "weight_decay": 0.01,
            "seed": 0,
            "held_out_responses": 20,
        },
        "dtype": "float32",
        "format": FORMAT.model_dump(mode="json"),
        "split": "line",
        "score_answer": True,
    }


def prm_config(spec):
    world = world_settings().model_dump(mode="json")
    return json.dumps({"name": "prm", "prm": spec, "policy": None, "world": world})


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    out = tmp_path_factory.mktemp("policy")
    pretrain_policy.main(["--config", policy_config(pretrained(0.0)), "--out", str(out)])
    return out


@pytest.fixture(scope="module")
def prm(policy, tmp_path_factory):
    out = tmp_path_factory.mktemp("prm")
    train_prm.main(
        ["--config", prm_config(prm_spec()), "--policy", str(policy / "manifest.json"), "--out", str(out)]
    )
    return out


def test_pretraining_the_same_twice_gives_the_same_weights(policy, tmp_path):
    pretrain_policy.main(["--config", policy_config(pretrained(0.0)), "--out", str(tmp_path)])
    for name in ("model/model.safetensors", "report.json", "manifest.json"):
        assert (tmp_path / name).read_bytes() == (policy / name).read_bytes()


def test_a_policy_whose_answers_do_not_follow_from_its_steps_fails_and_is_not_published(tmp_path):
    with pytest.raises(UserError, match=r"agree with their own steps .* min_agreement is 0.95"):
        pretrain_policy.main(["--config", policy_config(pretrained(0.95)), "--out", str(tmp_path)])
    assert not (tmp_path / "manifest.json").exists()


def test_process_reward_model_reports_on_unseen_patients_and_on_corrupted_responses(prm):
    report = json.loads((prm / "report.json").read_text())
    for kind in ("reasoner", "corrupted"):
        assert 0 <= report[kind]["auc"] <= 1
        assert report[kind]["n_right"] > 0 and report[kind]["n_wrong"] > 0


def test_sampling_scoring_and_truth_of_each_step(policy, prm, tmp_path):
    import pyarrow.parquet as pq

    asked = questions(n=3)
    write_questions(tmp_path / "questions.parquet", asked)
    question_set = {
        "source": {
            "kind": "generated",
            "world": "clinic",
            "split": "adapt",
            "n": 3,
            "n_options": 5,
            "seed": 0,
        },
        "prompt": PROMPT.model_dump(),
        "answer": {"kind": "choice", "named_option": "must_agree"},
        "licence": "none",
    }
    sampling = {
        "n_samples": 2,
        "temperature": 1.0,
        "top_p": 1.0,
        "max_new_tokens": 10,
        "seed": 0,
        "backend": "transformers",
        "max_rows": 512,
        "max_prompt_tokens": 64,
    }
    config = {
        "policy": "p",
        "questions": "q",
        "question_set": question_set,
        "dtype": "float32",
        "chat_template_arguments": {},
        "sampling": sampling,
    }
    sample.main(
        [
            *("--config", json.dumps(config), "--questions", str(tmp_path / "questions.parquet")),
            *("--policy", str(policy / "manifest.json"), "--out", str(tmp_path / "rollouts.parquet")),
            *("--state", str(tmp_path / "state")),
        ]
    )
    config = {
        "samples": "s",
        "question_set": question_set,
        "prm": "prm",
        "prm_spec": prm_spec(),
        "world": world_settings().model_dump(mode="json"),
    }
    score_steps.main(
        [
            *("--config", json.dumps(config), "--questions", str(tmp_path / "questions.parquet")),
            *("--samples", str(tmp_path / "rollouts.parquet"), "--prm", str(prm / "manifest.json")),
            *("--out", str(tmp_path / "step_scores.parquet")),
        ]
    )
    rollouts = pq.read_table(tmp_path / "rollouts.parquet").to_pandas()
    scores = pq.read_table(tmp_path / "step_scores.parquet").to_pandas()
    assert rollouts[["question_id", "sample"]].values.tolist() == [[q.id, i] for q in asked for i in range(2)]
    assert scores["p"].between(0, 1).all() and scores["truth"].notna().all()
    lines = [len([line for line in text.split("\n") if line.strip()]) for text in rollouts["text"]]
    assert len(scores) == sum(lines)


def test_a_local_model_is_named_where_it_lies(tmp_path):
    save_untrained_policy(tmp_path / "given")
    source = {"kind": "local", "path": str(tmp_path / "given")}
    pretrain_policy.main(["--config", policy_config(source, world=False), "--out", str(tmp_path / "out")])
    assert weights_directory(tmp_path / "out" / "manifest.json") == tmp_path / "given"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (
            lambda folder: [(folder / n).unlink() for n in ("tokenizer.json", "tokenizer_config.json")],
            "no tokenizer",
        ),
        (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
        (
            lambda folder: os.truncate(folder / "model.safetensors", 5000),
            "model.safetensors is broken or cut",
        ),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "tokenizer.json is broken or cut"),
    ],
    ids=["no config", "no tokenizer", "no weights", "cut weights", "broken tokenizer"],
)
def test_an_incomplete_local_model_is_named(tmp_path, spoil, message):
    spoil(save_untrained_policy(tmp_path / "given"))
    source = {"kind": "local", "path": str(tmp_path / "given")}
    with pytest.raises(UserError, match=message):
        pretrain_policy.main(["--config", policy_config(source, world=False), "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize("text", ["{", "{}", "[]"])
def test_a_broken_manifest_is_named(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UserError, match="is not a model's manifest"):
        weights_directory(tmp_path / "manifest.json")


def test_a_hub_model_without_a_pinned_revision_is_refused(tmp_path):
    source = {"kind": "hub", "id": "someone/something"}
    with pytest.raises(UserError, match="Pin a commit"):
        pretrain_policy.main(["--config", policy_config(source, world=False), "--out", str(tmp_path)])


def test_a_manifest_whose_weights_are_gone_is_named(tmp_path):
    save_untrained_policy(tmp_path / "model")
    write_manifest(tmp_path / "manifest.json", tmp_path / "model", {})
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(UserError, match="do not exist"):
        weights_directory(tmp_path / "manifest.json")
    with pytest.raises(UserError, match="no model manifest"):
        weights_directory(tmp_path / "other.json")


def test_a_manifest_changes_with_the_weights(tmp_path):
    for seed in (0, 1):
        save_untrained_policy(tmp_path / "model", seed=seed)
        write_manifest(tmp_path / f"{seed}.json", tmp_path / "model", {"name": "same"})
    assert (tmp_path / "0.json").read_bytes() != (tmp_path / "1.json").read_bytes()
