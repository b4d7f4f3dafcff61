"""One clinic GRPO run, ours against stock TRL's `generate` path, on the same work in the same process.

    python benchmarks/grpo_against_trl.py --train-config CONFIG.json --questions Q --policy MANIFEST --prm MANIFEST

Both train the same policy on the same questions with the same GRPOConfig and the same reward (PROSE, min), and
evaluate all questions at the same steps. Stock TRL samples with `model.generate` and keeps no diagnostics. The two take
turns, so that a noisy machine slows both. `config.json` in a run's folder is a fitting CONFIG.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOTrainer

from workflow_scripts.models import weights_directory
from workflow_scripts.policies.loading import load_model, load_tokenizer, transformers_sampler
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import Question, read_questions
from workflow_scripts.rewards import make_reward
from workflow_scripts.settings.steps import Train
from workflow_scripts.step_scores.aggregate import aggregate
from workflow_scripts.step_scores.judge import StepJudge, load_judge
from workflow_scripts.training import run as ours
from workflow_scripts.training.trainer import Task


class GenerateEvaluation(TrainerCallback):
    """Evaluates with `model.generate`, as a script on stock TRL would."""

    def __init__(self, config: Train, questions: list[Question], tokenizer: Any) -> None:
        self.sampling = config.evaluation
        self.every = config.grpo.evaluate_every
        self.tokenizer = tokenizer
        self.prompts = [
            tokenizer.apply_chat_template(
                render_prompt(q, config.question_set.prompt), tokenize=False, add_generation_prompt=True
            )
            for q in questions
        ]

    def evaluate(self, model: Any) -> None:
        """Sample every question."""
        for start in range(0, len(self.prompts), 32):
            batch = self.tokenizer(
                self.prompts[start : start + 32], return_tensors="pt", padding=True, add_special_tokens=False
            )
            model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                do_sample=True,
                num_return_sequences=self.sampling.n_samples,
                temperature=self.sampling.temperature,
                top_p=self.sampling.top_p,
                top_k=0,
                max_new_tokens=self.sampling.max_new_tokens,
                pad_token_id=self.tokenizer.pad_token_id,
            )

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate the base policy."""
        self.evaluate(kwargs["model"])

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate where it is due."""
        if state.global_step % self.every == 0 or state.global_step == state.max_steps:
            self.evaluate(kwargs["model"])


def run_ours(config: Train, questions: list[Question], base: Path, judge: StepJudge, state: Path) -> None:
    """Our run."""
    model, tokenizer = load_model(base, "float32"), load_tokenizer(base)
    sampler = transformers_sampler(
        model,
        tokenizer,
        config.question_set.prompt,
        config.question_set.answer,
        {},
        config.grpo.max_rows,
        config.grpo.max_prompt_tokens,
    )
    task = Task(questions, make_reward(config.method.reward, {}), sampler, judge, config.seed)
    ours.train(model, tokenizer, task, config.grpo, config.evaluation, "float32", state)


def run_stock(config: Train, questions: list[Question], base: Path, judge: StepJudge, state: Path) -> None:
    """The same work on stock TRL."""
    model, tokenizer = load_model(base, "float32"), load_tokenizer(base)

    def reward(completions: list[Any], index: list[int], **_: Any) -> list[float]:
        texts = [[c[0]["content"]] for c in completions]
        scores = judge.score([questions[i].unlabelled() for i in index], texts)
        return [aggregate(group[0], "min") for group in scores]

    rows = [
        {"prompt": render_prompt(q, config.question_set.prompt), "index": i} for i, q in enumerate(questions)
    ]
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[reward],
        args=ours.grpo_config(config.grpo, "float32", config.seed, state, len(questions)),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(GenerateEvaluation(config, questions, tokenizer))
    trainer.train()


def main() -> None:
    """Run both in turns and print seconds and their ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train-config", required=True, type=Path)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--policy", required=True, type=Path)
    parser.add_argument("--prm", required=True, type=Path)
    parser.add_argument("--steps", type=int, default=140)
    parser.add_argument("--evaluate-every", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    config = Train.model_validate_json(arguments.train_config.read_text())
    grpo = config.grpo.model_copy(
        update={"steps": arguments.steps, "epochs": None, "evaluate_every": arguments.evaluate_every}
    )
    config = config.model_copy(update={"grpo": grpo})
    questions, base = read_questions(arguments.questions), weights_directory(arguments.policy)
    assert config.prm_spec is not None
    judge = load_judge(weights_directory(arguments.prm), config.prm_spec, config.question_set.prompt)
    seconds: dict[str, list[float]] = {"ours": [], "stock": []}
    for _ in range(arguments.rounds):
        for name, run in (("ours", run_ours), ("stock", run_stock)):
            with tempfile.TemporaryDirectory() as state:
                started = time.perf_counter()
                run(config, questions, base, judge, Path(state))
                seconds[name].append(time.perf_counter() - started)
    best = {name: min(values) for name, values in seconds.items()}
    print(json.dumps({**seconds, "ratio": best["ours"] / best["stock"]}))


if __name__ == "__main__":
    main()
