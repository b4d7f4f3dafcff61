"""GRPO without labels: TRL's trainer with sampling, rewards and advantages replaced and its loss path untouched.

One optimisation step, in the order in which things happen (PROSE, Algorithm 1):

1. TRL hands over the questions of the step;
2. the sampler draws K rollouts per question (`n_votes`, of which the first `n_samples` are trained on);
3. the reward scores each group, without knowing the gold answer (PROSE's: rewards/process.py, TTRL's:
   rewards/majority.py);
4. advantages are normalised within the group;
5. diagnostics compare rewards with the truth, for the record only;
6. TRL computes the clipped loss with its KL term and updates the policy.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from trl import GRPOTrainer
from trl.trainer.utils import pad

from workflow_scripts.policies.rollouts import Rollout, Sampler, answer_tokens
from workflow_scripts.policies.token_statistics import statistics_by_forward
from workflow_scripts.questions.schema import Question, UnlabelledQuestion
from workflow_scripts.rewards.group import Reward, RolloutGroup, Tokens
from workflow_scripts.settings.training import GrpoSpec
from workflow_scripts.step_scores.split import split_steps
from workflow_scripts.training.advantages import estimate
from workflow_scripts.training.diagnostics import GroupRecord, batch_metrics
from workflow_scripts.training.journal import Journal

if TYPE_CHECKING:
    from transformers import TrainerState

    from workflow_scripts.step_scores.judge import StepJudge

MAX_NONFINITE = 5
"""Updates in a row that may be skipped for a gradient that is not finite, before the run stops."""

OF_UPDATES = {
    "entropy": "entropy",
    "loss": "loss",
    "learning_rate": "learning_rate",
    "grad_norm": "grad_norm",
    "clip_ratio": "clip_ratio/region_mean",
}
"""Names of metrics that TRL logs at each optimiser step -> its names."""

ROWS_PER_PASS = 32
"""Rollouts of similar length that the reference model reads together."""


@dataclass(frozen=True)
class Watched:
    """Questions that the policy is evaluated on while it trains; `name`: their id, None for the training's own."""

    name: str | None
    questions: Sequence[Question]
    sampler: Sampler


@dataclass(frozen=True)
class Task:
    """What a run learns: the questions (golds for diagnostics only), the reward, and what serves it.

    `validation`: the questions that are evaluated in place of its own.
    """

    questions: Sequence[Question]
    reward: Reward
    sampler: Sampler
    judge: StepJudge | None
    seed: int
    validation: Sequence[Watched] = ()

    @property
    def watched(self) -> Sequence[Watched]:
        """What is evaluated while training."""
        return self.validation or (Watched(None, self.questions, self.sampler),)


def _unused_reward(**_: Any) -> list[float]:
    raise AssertionError("rewards are computed in _generate_and_score_completions")


class GroupTrainer(GRPOTrainer):
    """TRL's GRPOTrainer, fed by a `Task`."""

    def __init__(
        self, task: Task, grpo: GrpoSpec, journal: Journal, resumed_from: int, **arguments: Any
    ) -> None:
        self.task = task
        self.grpo = grpo
        self.journal = journal
        self.resumed_from = resumed_from
        super().__init__(reward_funcs=[_unused_reward], **arguments)
        # TRL holds a reference model of its own only where the KL is in the loss.
        self._start = (
            copy.deepcopy(self.model).eval() if grpo.measure_drift and self.ref_model is None else None
        )
        self._pending: dict[str, Any] = {}
        self._updates: list[dict[str, float]] = []

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Write no model card: the run's record says more."""

    def _get_train_sampler(self, dataset: torch.utils.data.Dataset | None = None) -> torch.utils.data.Sampler:
        """TRL's sampler, moved past the finished epochs: it draws each epoch's order from one generator."""
        sampler = super()._get_train_sampler(dataset)
        for _ in range(self.resumed_from // (len(self.task.questions) // self.grpo.prompts_per_step)):
            next(iter(sampler))
        return sampler

    def steps_done(self, state: TrainerState) -> int:
        """Return the finished steps: a step is a batch of rollouts with all its updates, of which TRL counts each."""
        return int(state.global_step) // self.grpo.updates_per_step

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        step = self.steps_done(self.state)
        questions = [self.task.questions[row["index"]] for row in inputs[:: self.grpo.n_samples]]
        unlabelled = [question.unlabelled() for question in questions]
        groups = self.task.sampler.sample(
            unlabelled,
            self.grpo.n_votes,
            temperature=self.grpo.temperature,
            top_p=self.grpo.top_p,
            max_new_tokens=self.grpo.max_new_tokens,
            seed=self.task.seed,
            step=step,
            statistics="tokens" in self.task.reward.needs,
        )
        records = self._score(questions, unlabelled, groups, step)
        rewards = torch.tensor([record.rewards[: self.grpo.n_samples] for record in records])
        trained = [rollout for group in groups for rollout in group[: self.grpo.n_samples]]
        lengths = torch.tensor([len(rollout.generated.token_ids) for rollout in trained])
        advantages = estimate(self.grpo.estimator, rewards, self.grpo.scale_rewards, lengths.view_as(rewards))
        batch = self._tensors(questions, trained)
        batch["advantages"] = advantages.flatten().to(self.accelerator.device)
        self._pending = batch_metrics(records, rewards, self.task.reward.continuous)
        self._pending.update(self._drift(batch, trained))
        self.journal.write_rollouts(step + 1, records, advantages, self.grpo.n_samples)
        return batch

    def _score(
        self,
        questions: list[Question],
        unlabelled: list[UnlabelledQuestion],
        groups: list[list[Rollout]],
        step: int,
    ) -> list[GroupRecord]:
        """Reward every group; the golds join only afterwards, in the records."""
        scores: list[list[list[float]]] | None = None
        if "step_scores" in self.task.reward.needs:
            assert self.task.judge is not None
            scores = self.task.judge.score(unlabelled, [[r.text for r in group] for group in groups])
        records = []
        for i, (question, group) in enumerate(zip(questions, groups, strict=True)):
            seen = RolloutGroup(
                question=unlabelled[i],
                texts=tuple(rollout.text for rollout in group),
                answers=tuple(rollout.answer for rollout in group),
                step_scores=None if scores is None else tuple(tuple(s) for s in scores[i]),
                tokens=self._tokens(unlabelled[i], group),
                stream=f"{self.task.seed}/{step}/{question.id}",
            )
            n_steps = (
                [len(split_steps(text, "line")) for text in seen.texts]
                if scores is None
                else [len(s) for s in scores[i]]
            )
            records.append(
                GroupRecord(
                    question, group, self.task.reward.score(seen), self.task.reward.label(seen), n_steps
                )
            )
        return records

    def _tokens(self, question: UnlabelledQuestion, group: list[Rollout]) -> tuple[Tokens, ...] | None:
        """What the policy thought of the tokens as it drew them, if the reward needs it."""
        if "tokens" not in self.task.reward.needs:
            return None
        statistics = [rollout.generated.statistics for rollout in group]
        if None in statistics:  # a backend that samples without them
            prompt = self.task.sampler.prompt_ids(question)
            ids = [rollout.generated.token_ids for rollout in group]
            statistics = [*statistics_by_forward(self.model, prompt, ids, self.grpo.temperature)]
        found = []
        for rollout, of_rollout in zip(group, statistics, strict=True):
            assert of_rollout is not None
            span = answer_tokens(self.task.sampler.tokenizer, rollout)
            found.append(Tokens(rollout.generated.logprobs, **vars(of_rollout), answer_span=span))
        return tuple(found)

    def _tensors(self, questions: list[Question], trained: list[Rollout]) -> dict[str, Any]:
        """Padded token tensors in the form that TRL's loss reads, with log-probabilities where it needs them."""
        device = self.accelerator.device
        prompts = [
            torch.tensor(self.task.sampler.prompt_ids(question))
            for question in questions
            for _ in range(self.grpo.n_samples)
        ]
        completions = [torch.tensor(rollout.generated.token_ids) for rollout in trained]
        padding = self.processing_class.pad_token_id
        batch: dict[str, Any] = {
            "prompt_ids": pad(prompts, padding_value=padding, padding_side="left").to(device),
            "prompt_mask": pad(
                [torch.ones_like(p) for p in prompts], padding_value=0, padding_side="left"
            ).to(device),
            "completion_ids": pad(completions, padding_value=padding, padding_side="right").to(device),
        }
        kept = [
            torch.ones_like(c)
            if rollout.generated.finish_reason == "stop" or not self.grpo.mask_truncated
            else torch.zeros_like(c)
            for c, rollout in zip(completions, trained, strict=True)
        ]
        batch["completion_mask"] = pad(kept, padding_value=0, padding_side="right").to(device)
        batch["num_items_in_batch"] = self.accelerator.gather(batch["completion_mask"].sum()).sum()
        lengths = torch.tensor([len(c) for c in completions], device=device)
        with torch.no_grad():
            if self.args.gradient_accumulation_steps % (self.args.steps_per_generation * self.num_iterations):
                batch["old_per_token_logps"] = self._logprobs(self.model, batch, lengths)
            if self.ref_model is not None:
                batch["ref_per_token_logps"] = self._logprobs(self.ref_model, batch, lengths)
        return batch

    def _logprobs(self, model: torch.nn.Module, batch: dict[str, Any], lengths: torch.Tensor) -> torch.Tensor:
        """Log-probabilities of the completions, (rollouts, tokens); those of similar length share a pass."""
        completions, mask = batch["completion_ids"], batch["completion_mask"]
        logprobs = torch.zeros(completions.shape, device=completions.device)
        for rows in lengths.argsort(stable=True).split(min(self.grpo.micro_batch, ROWS_PER_PASS)):
            width = int(lengths[rows].max())
            ids = torch.cat([batch["prompt_ids"][rows], completions[rows, :width]], dim=1)
            attention = torch.cat([batch["prompt_mask"][rows], mask[rows, :width]], dim=1)
            values, _, _ = self._get_per_token_logps_and_entropies(model, ids, attention, width)
            logprobs[rows, :width] = values
        return logprobs

    def _drift(self, batch: dict[str, Any], trained: list[Rollout]) -> dict[str, float | None]:
        """k3 estimate of KL(policy || base) from the sampled tokens, per token and per rollout."""
        reference = batch.get("ref_per_token_logps")
        if self._start is not None:
            lengths = torch.tensor([len(r.generated.token_ids) for r in trained])
            with torch.no_grad():
                reference = self._logprobs(self._start, batch, lengths.to(self.accelerator.device))
        if reference is None:
            return {"kl_token": None, "kl_sequence": None}
        sampled = pad(
            [torch.tensor(r.generated.logprobs) for r in trained], padding_value=0.0, padding_side="right"
        ).to(self.accelerator.device)
        log_ratio = reference - sampled
        mask = batch["completion_mask"]
        k3 = (log_ratio.exp() - log_ratio - 1) * mask
        return {
            "kl_token": (k3.sum() / mask.sum().clamp(min=1)).item(),
            "kl_sequence": k3.sum(1).mean().item(),
        }

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Write the diagnostics of a step, with the means of TRL's log lines of its updates, to the journal."""
        super().log(logs, start_time)
        if "loss" not in logs:
            return
        self._updates.append(logs)
        if len(self._updates) < self.grpo.updates_per_step:
            return
        means = {
            name: sum(line[logged] for line in self._updates) / len(self._updates)
            for name, logged in OF_UPDATES.items()
        }
        values = {"step": self.steps_done(self.state), "epoch": logs["epoch"], **self._pending, **means}
        self.journal.write_metrics(values, self.state.max_steps // self.grpo.updates_per_step)
        self._updates = []


def final_checkpoint(directory: Path, trainer: GroupTrainer) -> None:
    """Save the policy of the last step with its tokenizer; no step is ever selected by accuracy."""
    trainer.model.save_pretrained(directory)
    trainer.processing_class.save_pretrained(directory)
