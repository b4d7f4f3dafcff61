"""A clinic world, its question and its tiny, untrained policy: what tests of the core start from."""

from __future__ import annotations

from pathlib import Path

from workflow_scripts.policies.rollouts import Sampler
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.models import Architecture
from workflow_scripts.settings.prompts import PromptSpec
from workflow_scripts.settings.question_sets import ChoiceRule, GeneratedQuestions
from workflow_scripts.settings.worlds import Belief, ClinicWorld, Families
from workflow_scripts.worlds.clinic import Clinic

PROMPT = PromptSpec(user="{text}\nOptions:{options}", option=" ({letter}): {text}", option_separator="")
ANSWER_RULE = ChoiceRule(kind="choice", named_option="must_agree")


def world_settings(**changes: object) -> ClinicWorld:
    """The miniature's world; `changes` replace single settings."""
    settings: dict[str, object] = {
        "kind": "clinic",
        "seed": 3,
        "blind": Belief(share=0.3, right=0.03, habitual=0.8),
        "misconceived": Belief(share=0.4, right=0.3, habitual=0.52),
        "good": Belief(share=0.3, right=0.85, habitual=0.08),
        "twin_share": 0.9,
        "filler": 0.03,
        "rambler": 0.03,
        "rambler_filler": 0.7,
        "skip": 0.12,
        "no_answer": 0.03,
        "families": Families(four_options=0.1, many_findings=0.15, single_finding=0.15),
        "max_steps": 12,
        "prompt": PROMPT,
    }
    return ClinicWorld(**{**settings, **changes})  # type: ignore[arg-type]


def questions(split: str = "adapt", n: int = 100, n_options: int = 5) -> list[Question]:
    """Questions of the world."""
    spec = GeneratedQuestions(kind="generated", world="clinic", split=split, n=n, n_options=n_options, seed=0)
    return Clinic(world_settings()).questions(spec)


def angina_question() -> Question:
    """A patient written by hand."""
    return Question(
        id="hand-1",
        source="clinic",
        text="Findings: relief by nitrate, chest pressure on exertion, jaw pain on walking, fine tremor",
        options={
            "A": "asthma",
            "B": "angina",
            "C": "hyperthyroidism",
            "D": "migraine",
            "E": "diabetes",
        },
        answer="B",
        answer_kind="choice",
        meta={
            "findings": [
                "relief by nitrate",
                "chest pressure on exertion",
                "jaw pain on walking",
                "fine tremor",
            ]
        },
    )


def save_untrained_policy(directory: Path, seed: int = 0) -> Path:
    """Save a random tiny policy as `save_pretrained` does."""
    import torch

    from workflow_scripts.policies.tiny import build_model, build_tokenizer

    tokenizer = build_tokenizer(Clinic(world_settings()).vocabulary())
    torch.manual_seed(seed)
    architecture = Architecture(hidden_size=32, layers=2, heads=2, intermediate_size=48)
    build_model(architecture, tokenizer, 256).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def load(directory: Path, max_rows: int = 512, max_prompt_tokens: int = 64) -> Sampler:
    """Load a saved policy as a sampler."""
    from workflow_scripts.policies.loading import load_model, load_tokenizer, transformers_sampler

    model, tokenizer = load_model(directory, "float32"), load_tokenizer(directory)
    return transformers_sampler(model, tokenizer, PROMPT, ANSWER_RULE, {}, max_rows, max_prompt_tokens)
