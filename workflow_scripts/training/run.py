"""One run from start, or from its last resume point, to its last step."""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl import GRPOConfig

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec
from workflow_scripts.training.curve import evaluate_policy
from workflow_scripts.training.journal import Journal
from workflow_scripts.training.trainer import MAX_NONFINITE, GroupTrainer, Task

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

COMPLETE = "complete.json"
"""Written into a resume point last: one without it was cut off by a kill."""


@dataclass(frozen=True)
class Outcome:
    """A finished run."""

    trainer: GroupTrainer
    steps: int
    resumed_from: int


def grpo_config(grpo: GrpoSpec, dtype: str, seed: int, state: Path, n_questions: int) -> GRPOConfig:
    """Every GRPO setting, written out: TRL's defaults change between versions."""
    if n_questions < grpo.prompts_per_step:
        raise UserError(
            f"grpo.prompts_per_step is {grpo.prompts_per_step}, but there are {n_questions} questions. Lower it."
        )
    gpu = torch.cuda.is_available()
    return GRPOConfig(
        output_dir=str(state),
        use_cpu=not gpu,
        bf16=gpu and dtype == "bfloat16",
        tf32=False if gpu else None,
        seed=seed,
        data_seed=seed,
        max_steps=grpo.steps * grpo.updates_per_step if grpo.steps is not None else -1,
        num_train_epochs=grpo.epochs if grpo.epochs is not None else 1.0,
        per_device_train_batch_size=grpo.rollouts_per_pass,
        gradient_accumulation_steps=grpo.rollouts_per_update // grpo.rollouts_per_pass,
        steps_per_generation=grpo.prompts_per_step * grpo.n_samples // grpo.rollouts_per_pass,
        num_iterations=grpo.updates_per_batch,
        num_generations=grpo.n_samples,
        learning_rate=grpo.learning_rate,
        lr_scheduler_type=grpo.schedule,
        warmup_steps=grpo.warmup_share,
        weight_decay=grpo.weight_decay,
        adam_beta1=grpo.adam_beta1,
        adam_beta2=grpo.adam_beta2,
        adam_epsilon=grpo.adam_epsilon,
        optim="adamw_torch_fused",
        max_grad_norm=grpo.max_grad_norm,
        beta=grpo.kl_coefficient,
        use_bias_correction_kl=False,
        epsilon=grpo.clip_low,
        epsilon_high=grpo.clip_high,
        delta=grpo.dual_clip,
        loss_type=grpo.loss,
        scale_rewards=grpo.scale_rewards,
        importance_sampling_level="token",
        mask_truncated_completions=grpo.mask_truncated,
        temperature=grpo.temperature,
        top_p=grpo.top_p,
        top_k=0,
        max_completion_length=grpo.max_new_tokens,
        gradient_checkpointing=grpo.gradient_checkpointing,
        disable_dropout=True,
        shuffle_dataset=True,
        use_vllm=False,
        vllm_importance_sampling_correction=False,
        sync_ref_model=False,
        entropy_coef=0.0,
        use_adaptive_entropy=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        multi_objective_aggregation="sum_then_normalize",
        repetition_penalty=1.0,
        min_p=None,
        cast_lm_head_to_fp32=False,
        log_completions=False,
        remove_unused_columns=False,
        dataloader_num_workers=0,
        dataloader_pin_memory=False,
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
        eval_strategy="no",
        save_strategy="steps",
        save_steps=grpo.save_every * grpo.updates_per_step,
        save_total_limit=2,
        save_only_model=False,
    )


class Observer(TrainerCallback):
    """Evaluates at step 0, every `evaluate_every` steps and at the last; guards gradients; seals resume points."""

    def __init__(self, trainer: GroupTrainer, evaluation: SamplingSpec) -> None:
        self.trainer = trainer
        self.evaluation = evaluation
        self._in_a_row = 0

    def _evaluate(self, step: int) -> None:
        for watched in self.trainer.task.watched:
            self.trainer.journal.write_curve(evaluate_policy(watched, self.evaluation, step))

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Evaluate the base policy, unless the run resumes."""
        if state.global_step == 0:
            self._evaluate(0)

    def on_pre_optimizer_step(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Skip an update whose gradient is not finite, count it, and stop after several in a row."""
        gradients = [p.grad for p in self.trainer.model.parameters() if p.grad is not None]
        if all(bool(gradient.isfinite().all()) for gradient in gradients):
            self._in_a_row = 0
            return
        self.trainer.journal.nonfinite_gradients += 1
        self._in_a_row += 1
        for parameter in self.trainer.model.parameters():
            parameter.grad = None
        if self._in_a_row >= MAX_NONFINITE:
            step = self.trainer.steps_done(state) + 1
            raise UserError(
                f"training: {MAX_NONFINITE} gradients in a row were not finite, at step {step}. "
                "Lower learning_rate or max_grad_norm."
            )

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Evaluate where it is due."""
        step, rest = divmod(state.global_step, self.trainer.grpo.updates_per_step)
        due = step % self.trainer.grpo.evaluate_every == 0 or state.global_step == state.max_steps
        if due and not rest:
            self._evaluate(step)

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Seal the resume point."""
        checkpoint = Path(str(args.output_dir)) / f"checkpoint-{state.global_step}"
        write_json(checkpoint / COMPLETE, {"step": self.trainer.steps_done(state)})


def last_resume_point(state: Path) -> tuple[Path | None, int]:
    """The newest complete resume point, and its step; incomplete ones are removed."""
    best: tuple[Path | None, int] = (None, 0)
    for checkpoint in state.glob("checkpoint-*"):
        seal = checkpoint / COMPLETE
        if not seal.exists():
            shutil.rmtree(checkpoint)
        elif (step := json.loads(seal.read_text())["step"]) > best[1]:
            best = (checkpoint, step)
    return best


def train(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    task: Task,
    grpo: GrpoSpec,
    evaluation: SamplingSpec,
    dtype: str,
    state: Path,
) -> Outcome:
    """Train `model` in place. A killed run continues from its last resume point and gives the same results."""
    arguments = grpo_config(grpo, dtype, task.seed, state, len(task.questions))
    checkpoint, step = last_resume_point(state)
    journal = Journal(state)
    journal.cut_back(step)
    if step:
        logger.info("resuming from step %d", step)
    trainer = GroupTrainer(
        task,
        grpo,
        journal,
        resumed_from=step,
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": "", "index": i} for i in range(len(task.questions))]),
        processing_class=tokenizer,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Observer(trainer, evaluation))
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    return Outcome(trainer, trainer.steps_done(trainer.state), step)
