"""Training a tiny process reward model on steps whose truth the world knows.

It starts from the policy's weights and learns +/- at the step tags, on corpus responses and on corrupted ones, with
label noise. One trained on the corpus alone is hacked within a hundred GRPO steps, whatever its held-out AUC.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from workflow_scripts.policies.pretraining import fit
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.settings.models import StepLabels, TrainedPrm
from workflow_scripts.step_scores.report import step_report
from workflow_scripts.step_scores.scorer import StepFormatter, StepScorer, verdict_logits
from workflow_scripts.worlds.checking import FINDING_STEP, check_steps, corrupt
from workflow_scripts.worlds.clinic import Clinic
from workflow_scripts.worlds.knowledge import FILLER

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True)
class Labelled:
    """A trajectory with the true label of each step, and the noisy one that the model is taught."""

    question: str
    steps: list[str]
    truth: list[bool]
    taught: list[bool]
    corrupted: bool


def label_noise(
    steps: Sequence[str], truth: Sequence[bool], labels: StepLabels, world_seed: int, rng: random.Random
) -> list[bool]:
    """Flip labels: always for a fixed share of (finding, condition) pairs, and at random; never on fillers."""
    noisy = []
    for step, label in zip(steps, truth, strict=True):
        if step != FILLER:
            pair = FINDING_STEP.match(step)
            if pair and random.Random(f"{world_seed}/noise/{step}").random() < labels.systematic_noise:
                label = not label
            if rng.random() < labels.random_noise:
                label = not label
        noisy.append(label)
    return noisy


def labelled_responses(world: Clinic, labels: StepLabels, n: int, seed: str, split: str) -> list[Labelled]:
    """Draw `n` responses to questions of a split, corrupt a share of them, and label their steps."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        question = world.draw_question(rng, split)
        steps = world.respond(question, rng)
        corrupted = rng.random() < labels.corrupted_share
        if corrupted:
            steps = corrupt(world, question, steps, labels, rng)
        truth = check_steps(question, steps)
        taught = label_noise(steps, truth, labels, world.settings.seed, rng)
        text = render_prompt(question, world.settings.prompt)[-1]["content"]
        rows.append(Labelled(text, steps, truth, taught, corrupted))
    return rows


def train_step_scorer(
    model: PreTrainedModel, formatter: StepFormatter, world: Clinic, settings: TrainedPrm
) -> float:
    """Train `model` in place with cross-entropy over {plus, minus} at the step tags; return the final loss."""
    rows = [
        row
        for row in labelled_responses(
            world, settings.labels, settings.labels.responses, f"{settings.seed}/train", "corpus"
        )
        if row.steps
    ]
    marked = formatter.mark([row.question for row in rows], [row.steps for row in rows])
    draw = np.random.default_rng(settings.seed)

    def loss(_: int) -> torch.Tensor:
        chosen = draw.integers(0, len(rows), settings.batch_size)
        logits, _counts = verdict_logits(model, [marked[i] for i in chosen], formatter.verdict_ids)
        target = torch.tensor([0 if label else 1 for i in chosen for label in rows[i].taught])
        return functional.cross_entropy(logits, target)

    return fit(
        model,
        loss,
        steps=settings.steps,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        name="step labels",
    )


def held_out_report(
    scorer: StepScorer, world: Clinic, settings: TrainedPrm
) -> dict[str, dict[str, float | int | None]]:
    """Step reports on patients never trained on, responses as they are and corrupted, against the true labels."""
    rows = labelled_responses(
        world, settings.labels, settings.held_out_responses, f"{settings.seed}/held-out", "unseen"
    )
    scores = scorer.score([row.question for row in rows], [row.steps for row in rows])
    report = {}
    for name, wanted in (("reasoner", False), ("corrupted", True)):
        chosen = [i for i, row in enumerate(rows) if row.corrupted == wanted]
        report[name] = step_report(
            [s for i in chosen for s in scores[i]], [t for i in chosen for t in rows[i].truth]
        )
    return report
