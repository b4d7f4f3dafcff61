"""SIGKILL in the middle of a step, then the same command again: the outputs are those of an uninterrupted run."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.clinic_samples import ANSWER_RULE, PROMPT, questions, save_untrained_policy, world_settings
from tests.unit.test_finetuned_policies import FINETUNING
from tests.unit.test_model_steps import PRETRAINING, policy_config, pretrained, prm_config, prm_spec
from tests.unit.test_trainer import GRPO
from workflow_scripts.models import write_manifest
from workflow_scripts.questions.schema import write_questions

ROOT = Path(__file__).parents[2]
QUESTION_SET = {
    "source": {"kind": "local", "path": "unused", "shape": "questions"},
    "prompt": PROMPT.model_dump(),
    "answer": ANSWER_RULE.model_dump(),
    "licence": "none",
}
SAMPLING = {
    "n_samples": 4,
    "temperature": 0.6,
    "top_p": 0.95,
    "max_new_tokens": 24,
    "seed": 0,
    "backend": "transformers",
    "max_rows": 512,
    "max_prompt_tokens": 64,
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_questions(folder / "questions.parquet", questions(n=100))
    write_questions(folder / "few.parquet", questions(n=10))
    save_untrained_policy(folder / "model")
    write_manifest(folder / "manifest.json", folder / "model", {})
    return folder


def sample_command(inputs, folder):
    config = {
        "policy": "p",
        "questions": "q",
        "question_set": QUESTION_SET,
        "dtype": "float32",
        "chat_template_arguments": {},
        "sampling": SAMPLING,
    }
    return command("sample", config, inputs, folder / "out" / "rollouts.parquet", folder / "state")


def train_command(inputs, folder):
    config = {
        "policy": "p",
        "policy_spec": {"source": {"kind": "local", "path": "unused"}, "dtype": "float32"},
        "questions": "q",
        "question_set": QUESTION_SET,
        "method_name": "format_only",
        "method": {"label": "format", "reward": {"kind": "format"}, "paper": "none"},
        "prm": None,
        "prm_spec": None,
        "grpo": {**GRPO, "steps": 30, "save_every": 5, "evaluate_every": 10, "learning_rate": 1e-2},
        "evaluation": {**SAMPLING, "n_samples": 2},
        "seed": 0,
    }
    # Ten questions, two a step: five steps are an epoch, so every resume point below lies beyond the first.
    return command("train", config, inputs, folder / "out" / "run", folder / "state", "few.parquet")


def command(step, config, inputs, out, state, asked="questions.parquet"):
    return [
        *(sys.executable, "-m", f"workflow_scripts.{step}", "--config", json.dumps(config)),
        *("--questions", str(inputs / asked), "--policy", str(inputs / "manifest.json")),
        *("--out", str(out), "--state", str(state)),
    ]


def start(arguments):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(arguments, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)


def finish(arguments):
    process = start(arguments)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return errors


def kill_when(arguments, reached):
    process = start(arguments)
    deadline = time.monotonic() + 300
    while not reached() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    assert process.poll() is None, "the step ended before it could be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


def contents(folder):
    """Hashes of all outputs but the records, which say when and how a job ran."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".prov.json")
    }


def test_sampling_killed_after_a_shard_ends_with_the_same_file(inputs, tmp_path):
    finish(sample_command(inputs, tmp_path / "whole"))
    arguments = sample_command(inputs, tmp_path / "killed")
    kill_when(arguments, lambda: (tmp_path / "killed/state/00000.parquet").exists())
    assert not (tmp_path / "killed/out/rollouts.parquet").exists()
    assert "resuming" in finish(arguments)
    assert contents(tmp_path / "killed/out") == contents(tmp_path / "whole/out")
    assert not (tmp_path / "killed/state").exists()


def test_training_killed_after_a_resume_point_ends_with_the_same_files(inputs, tmp_path):
    finish(train_command(inputs, tmp_path / "whole"))
    arguments = train_command(inputs, tmp_path / "killed")
    kill_when(arguments, lambda: (tmp_path / "killed/state/checkpoint-10/complete.json").exists())
    assert not (tmp_path / "killed/out/run/manifest.json").exists()
    assert "resuming from step 1" in finish(arguments)  # 10 or 15
    whole, killed = contents(tmp_path / "whole/out"), contents(tmp_path / "killed/out")
    assert killed == whole
    assert {"run/manifest.json", "run/metrics.jsonl", "run/final/model.safetensors"} <= set(whole)


def test_a_second_process_of_the_same_job_waits_for_the_first(inputs, tmp_path):
    arguments = train_command(inputs, tmp_path)
    first = start(arguments)
    while not (tmp_path / "state/owner.json").exists():
        time.sleep(0.01)
    errors = finish(arguments)
    assert "waiting for another process" in errors
    first.communicate(timeout=300)
    assert first.returncode == 0


def test_state_of_other_settings_is_refused(inputs, tmp_path):
    arguments = train_command(inputs, tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "state/owner.json").write_text('{"settings": {}, "inputs": {}, "finished": false}')
    process = start(arguments)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 2
    assert errors.strip().splitlines()[-1].startswith("error: ") and "other settings" in errors
    assert "Traceback" not in errors


def run_commands(folder, inputs):
    """The commands of the steps without resume points, by step."""
    longer = {**PRETRAINING, "drill_steps": 40, "corpus_steps": 40}
    policy = policy_config({**pretrained(0.0), "pretraining": longer})
    finetuned = policy_config({**FINETUNING, "corpus_steps": 60})
    prm = prm_config({**prm_spec(), "source": {**prm_spec()["source"], "steps": 60}})
    score = {
        "samples": "s",
        "question_set": QUESTION_SET,
        "prm": "prm",
        "prm_spec": prm_spec(),
        "world": world_settings().model_dump(mode="json"),
    }
    tool = (sys.executable, "-m")
    return {
        "pretrain_policy": [
            *(*tool, "workflow_scripts.pretrain_policy", "--config", policy),
            *("--out", str(folder / "policy")),
        ],
        "finetune_policy": [
            *(*tool, "workflow_scripts.pretrain_policy", "--config", finetuned),
            *("--policy", str(inputs / "manifest.json"), "--out", str(folder / "policy")),
        ],
        "train_prm": [
            *(*tool, "workflow_scripts.train_prm", "--config", prm),
            *("--policy", str(inputs / "manifest.json"), "--out", str(folder / "prm")),
        ],
        "score_steps": [
            *(*tool, "workflow_scripts.score_steps", "--config", json.dumps(score)),
            *(
                "--questions",
                str(inputs / "questions.parquet"),
                "--samples",
                str(inputs / "rollouts.parquet"),
            ),
            *(
                "--prm",
                str(inputs / "manifest.json"),
                "--out",
                str(folder / "scores" / "step_scores.parquet"),
            ),
        ],
    }


@pytest.mark.verify
@pytest.mark.parametrize("step", ["pretrain_policy", "finetune_policy", "train_prm", "score_steps"])
def test_a_step_without_resume_points_may_be_killed_at_any_moment(inputs, tmp_path, step):
    if not (inputs / "rollouts.parquet").exists():
        finish(sample_command(inputs, inputs / "sampled"))
        shutil.copy(inputs / "sampled/out/rollouts.parquet", inputs / "rollouts.parquet")
    started = time.monotonic()
    finish(run_commands(tmp_path / "whole", inputs)[step])
    duration = time.monotonic() - started
    arguments = run_commands(tmp_path / "killed", inputs)[step]
    for share in (0.2, 0.5, 0.7, 0.8, 0.9, 0.95):
        process = start(arguments)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=share * duration)
        process.kill()
        process.wait()
    finish(arguments)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
