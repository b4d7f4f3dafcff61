"""What a step of training costs with each intrinsic reward, against one with the majority vote.

    PYTHONPATH=. python benchmarks/reward_cost.py --train-config CONFIG.json --questions Q --policy MANIFEST

All rewards train the same policy on the same questions with the same settings but the reward, without evaluations; they
take turns, so that a noisy machine slows all. `config.json` in a run's folder is a fitting CONFIG. Printed are the best
seconds of each, and per token sampled, since some rewards lengthen responses.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from workflow_scripts.models import weights_directory
from workflow_scripts.policies.generation import Backend, Generated
from workflow_scripts.policies.loading import load_model, load_tokenizer, transformers_sampler
from workflow_scripts.questions.schema import Question, read_questions
from workflow_scripts.rewards import make_reward
from workflow_scripts.settings.methods import CertaintyReward, EmpoReward, MajorityReward, RewardSpec
from workflow_scripts.settings.steps import Train
from workflow_scripts.training.run import train
from workflow_scripts.training.trainer import Task

REWARDS: dict[str, RewardSpec] = {
    "majority": MajorityReward(kind="majority"),
    "empo": EmpoReward(kind="empo"),
    "self_certainty": CertaintyReward(kind="certainty", formula="self_certainty"),
    "token_entropy": CertaintyReward(kind="certainty", formula="token_entropy"),
    "trajectory_entropy": CertaintyReward(kind="certainty", formula="trajectory_entropy"),
    "probability": CertaintyReward(kind="certainty", formula="probability"),
    "probability_disparity": CertaintyReward(kind="certainty", formula="probability_disparity"),
}
FORWARD = "self_certainty, by one more forward pass"


class WithoutStatistics:
    """A backend that gives no statistics of its tokens."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def generate(self, *requests: Any, **settings: Any) -> list[list[Generated]]:
        """Sample without them."""
        return self.backend.generate(*requests, **{**settings, "statistics": False})


def run(
    config: Train, questions: list[Question], base: Path, reward: RewardSpec, forward: bool = False
) -> tuple[float, float]:
    """Return the seconds of the steps alone, and the tokens sampled in them."""
    model, tokenizer = load_model(base, "float32"), load_tokenizer(base)
    asked, grpo = config.question_set, config.grpo
    sampler = transformers_sampler(
        model, tokenizer, asked.prompt, asked.answer, {}, grpo.max_rows, grpo.max_prompt_tokens
    )
    if forward:
        sampler.backend = WithoutStatistics(sampler.backend)
    task = Task(questions, make_reward(reward, {}), sampler, None, config.seed)
    with tempfile.TemporaryDirectory() as state:
        started = time.perf_counter()
        train(model, tokenizer, task, grpo, config.evaluation, "float32", Path(state))
        seconds = time.perf_counter() - started
        rows = [json.loads(line) for line in (Path(state) / "metrics.jsonl").read_text().splitlines()]
    return seconds, sum(row["tokens"] * row["n_rollouts"] for row in rows)


def main() -> None:
    """Run all in turns and print seconds and ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train-config", required=True, type=Path)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--policy", required=True, type=Path)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    config = Train.model_validate_json(arguments.train_config.read_text())
    steps = {"steps": arguments.steps, "epochs": None, "evaluate_every": 10**6, "save_every": 10**6}
    # One sample of each question at the start and at the end is all that is evaluated.
    evaluation = config.evaluation.model_copy(update={"n_samples": 1, "max_new_tokens": 1})
    grpo = config.grpo.model_copy(update=steps)
    config = config.model_copy(update={"grpo": grpo, "evaluation": evaluation})
    questions, base = read_questions(arguments.questions), weights_directory(arguments.policy)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in (*REWARDS, FORWARD)}
    for _ in range(arguments.rounds):
        for name, reward in REWARDS.items():
            found[name].append(run(config, questions, base, reward))
        found[FORWARD].append(run(config, questions, base, REWARDS["self_certainty"], forward=True))
    majority = min(seconds for seconds, _ in found["majority"])
    per_token = min(seconds / tokens for seconds, tokens in found["majority"])
    for name, pairs in found.items():
        best, best_per_token = min(s for s, _ in pairs), min(s / t for s, t in pairs)
        ratios = f"{best / majority:.3f} of majority, per token {best_per_token / per_token:.3f}"
        print(f"{name:42} {best:6.2f} s  {ratios}")


if __name__ == "__main__":
    main()
