"""Step `pretrain_policy`: make a policy available as a model directory with a manifest.

A tiny policy is pretrained here; a model of a local folder is checked and named; one of the hub is downloaded at its
pinned revision.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import exclusive
from workflow_scripts.models import fetch_model, publish
from workflow_scripts.provenance.record import start_record
from workflow_scripts.settings.specs import PretrainedPolicy
from workflow_scripts.settings.steps import PreparePolicy

if TYPE_CHECKING:
    from workflow_scripts.settings.worlds import World

logger = logging.getLogger(__name__)

AGREEMENT_QUESTIONS, AGREEMENT_SAMPLES = 100, 8
MAX_POSITIONS = 512
MAX_RESPONSE_TOKENS = 128


def pretrain_tiny(source: PretrainedPolicy, settings: World, directory: Path) -> dict[str, Any]:
    """Pretrain a tiny policy, check that its answers follow from its steps, and save it."""
    import torch

    from workflow_scripts.policies.pretraining import pretrain
    from workflow_scripts.policies.tiny import build_model, build_tokenizer
    from workflow_scripts.worlds.clinic import Clinic

    world = Clinic(settings)
    tokenizer = build_tokenizer(world.vocabulary())
    torch.manual_seed(source.pretraining.seed)
    model = build_model(source.architecture, tokenizer, MAX_POSITIONS)
    report: dict[str, Any] = {"parameters": model.num_parameters()}
    report.update(pretrain(model, tokenizer, world, source.pretraining))
    report.update(agreement(model, tokenizer, world))
    logger.info(
        "answers that agree with their own steps: %.3f of %d", report["agreement"], report["n_answers"]
    )
    if report["agreement"] < source.min_agreement:
        raise UserError(
            f"pretraining ended with answers that agree with their own steps in {report['agreement']:.3f} of the "
            f"samples; min_agreement is {source.min_agreement}. Raise drill_steps or corpus_steps of the policy."
        )
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return report


def agreement(model: Any, tokenizer: Any, world: Any) -> dict[str, float | int]:
    """Share of samples (T = 0.6) on corpus patients whose answer is one that their own steps support most."""
    import random

    from workflow_scripts.policies.loading import transformers_sampler
    from workflow_scripts.settings.specs import ChoiceRule
    from workflow_scripts.step_scores.split import split_steps
    from workflow_scripts.worlds.checking import answer_agrees_with_steps

    rng = random.Random("agreement")
    questions = [world.draw_question(rng) for _ in range(AGREEMENT_QUESTIONS)]
    rule = ChoiceRule(kind="choice", named_option="must_agree")
    sampler = transformers_sampler(
        model, tokenizer, world.settings.prompt, rule, {}, AGREEMENT_QUESTIONS, MAX_POSITIONS
    )
    groups = sampler.sample(
        questions,
        AGREEMENT_SAMPLES,
        temperature=0.6,
        top_p=0.95,
        max_new_tokens=MAX_RESPONSE_TOKENS,
        seed=0,
    )
    verdicts = [
        answer_agrees_with_steps(question, split_steps(rollout.text, "line"))
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


def main(argv: list[str] | None = None) -> None:
    """Run the step."""
    parser = step_parser(__doc__)
    parser.add_argument("--revision", type=Path, help="file of rule pin_revision: a hub model's commit")
    parser.add_argument("--out", required=True, type=Path, help="the model's folder")
    arguments = parser.parse_args(argv)
    config = read_config(PreparePolicy, arguments.config)
    out: Path = arguments.out
    with exclusive(out):
        inputs = {"revision": arguments.revision}
        record = start_record("pretrain_policy", config.model_dump(mode="json"), inputs)
        source = config.policy.source
        if isinstance(source, PretrainedPolicy):
            if config.world is None:
                raise UserError(
                    f"policy {config.name}: its world {source.world} is missing from the step's config."
                )
            weights = out / "model"
            report = pretrain_tiny(source, config.world, weights)
            notes: dict[str, Any] = {"seed": source.pretraining.seed}
        else:
            weights, notes = fetch_model(source, out / "model", arguments.revision)
            report = {}
        publish(record, out, weights, {"name": config.name, "dtype": config.policy.dtype}, report, notes)


if __name__ == "__main__":
    run(main)
