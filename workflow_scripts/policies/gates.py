"""What a tiny policy must be able to do before it may be adapted, measured on its own samples.

A policy whose answers do not follow from its steps, or that is better at one form of a question than at another, would
make an experiment on answers or answer spaces an experiment on something else.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from workflow_scripts.errors import UserError
from workflow_scripts.policies.loading import transformers_sampler
from workflow_scripts.settings.models import FinetunedPolicy, PretrainedPolicy
from workflow_scripts.settings.question_sets import AnswerRule, ChoiceRule, MathRule
from workflow_scripts.step_scores.split import split_steps
from workflow_scripts.worlds.checking import says_a_finding_twice
from workflow_scripts.worlds.clinic import Clinic
from workflow_scripts.worlds.clock import Clock

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from workflow_scripts.policies.rollouts import Rollout
    from workflow_scripts.questions.schema import Question

N_QUESTIONS, N_SAMPLES = 100, 8
N_PAIRS = 400
MAX_POSITIONS = 512
MAX_RESPONSE_TOKENS = 128
CHOICE = ChoiceRule(kind="choice", named_option="must_agree")
NUMBER = MathRule(kind="number")

Report = dict[str, float | int]


def check_policy(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    world: Clinic | Clock,
    source: PretrainedPolicy | FinetunedPolicy,
) -> Report:
    """Measure the policy at T = 0.6 on corpus questions; raise UserError if it must not be adapted."""
    report = choices(model, tokenizer, world)
    if isinstance(world, Clock):
        report |= forms(model, tokenizer, world)
    agreement = min(report["agreement"], report.get("agreement_free", 1.0))
    if agreement < source.min_agreement:
        raise UserError(
            f"training ended with answers that agree with their own steps in {agreement:.3f} of the samples; "
            f"min_agreement is {source.min_agreement}. Raise the policy's corpus_steps or its drills."
        )
    unparseable = max(report["unparseable"], report.get("unparseable_free", 0.0))
    if source.max_unparseable is not None and unparseable > source.max_unparseable:
        raise UserError(
            f"training ended with {unparseable:.3f} of the samples without an answer that can be read; "
            f"max_unparseable is {source.max_unparseable}. Raise the policy's corpus_steps or its drills."
        )
    if isinstance(world, Clock) and source.max_form_gap is not None:
        gap = abs(report["accuracy_choice"] - report["accuracy_free"])
        if gap > source.max_form_gap:
            raise UserError(
                f"the policy is right in {report['accuracy_free']:.3f} of free-form samples and in "
                f"{report['accuracy_choice']:.3f} of multiple-choice ones; max_form_gap is {source.max_form_gap}. Not "
                "only the answer space would change between the two: change the world's `attraction` or train longer."
            )
    return report


def choices(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, world: Clinic | Clock) -> Report:
    """Of samples of multiple-choice questions: do answers follow from their own steps, and can they be read?

    In the clinic also the share of those that say a finding twice, which the reasoner never does: how well the policy
    fits its corpus.
    """
    rng = random.Random("agreement")
    questions = [world.draw_choice(rng) for _ in range(N_QUESTIONS)]
    groups = _sampled(model, tokenizer, world, questions, CHOICE)
    report = _soundness(world, questions, groups)
    if isinstance(world, Clinic):
        texts = [rollout.text for group in groups for rollout in group]
        report["says_a_finding_twice"] = sum(
            says_a_finding_twice(split_steps(text, "line")) for text in texts
        ) / len(texts)
    return report


def forms(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, world: Clock) -> Report:
    """Accuracy on the same chains asked in the free form and as a choice; of the free form also what `choices` says."""
    rng = random.Random("forms")
    pairs = [world.draw_pair(rng) for _ in range(N_PAIRS)]
    report: Report = {"n_pairs": N_PAIRS}
    for name, rule, questions in (
        ("free", NUMBER, [free for free, _ in pairs]),
        ("choice", CHOICE, [choice for _, choice in pairs]),
    ):
        groups = _sampled(model, tokenizer, world, questions, rule)
        right = [
            rollout.answer == question.answer
            for question, group in zip(questions, groups, strict=True)
            for rollout in group
        ]
        report[f"accuracy_{name}"] = sum(right) / len(right)
        if name == "free":
            report |= {f"{key}_free": value for key, value in _soundness(world, questions, groups).items()}
    return report


def _soundness(world: Clinic | Clock, questions: list[Question], groups: list[list[Rollout]]) -> Report:
    """Share of answers that their own steps support, of how many, and share of samples without a readable answer."""
    verdicts = [
        world.agrees_with_steps(question, split_steps(rollout.text, "line"))
        for question, group in zip(questions, groups, strict=True)
        for rollout in group
    ]
    known = [verdict for verdict in verdicts if verdict is not None]
    unreadable = [rollout.answer is None for group in groups for rollout in group]
    return {
        "agreement": sum(known) / max(1, len(known)),
        "n_answers": len(known),
        "unparseable": sum(unreadable) / len(unreadable),
    }


def _sampled(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    world: Clinic | Clock,
    questions: list[Question],
    rule: AnswerRule,
) -> list[list[Rollout]]:
    sampler = transformers_sampler(
        model, tokenizer, world.settings.prompt, rule, {}, N_QUESTIONS, MAX_POSITIONS
    )
    return sampler.sample(
        questions, N_SAMPLES, temperature=0.6, top_p=0.95, max_new_tokens=MAX_RESPONSE_TOKENS, seed=0
    )
