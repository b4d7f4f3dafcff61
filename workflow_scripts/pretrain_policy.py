"""Step `pretrain_policy`: make a policy available as a model directory with a manifest.

A tiny policy is pretrained here, or trained on in another world from one that was; a model of a local folder is checked
and named; one of the hub is downloaded at its pinned revision.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import exclusive
from workflow_scripts.models import fetch_model, publish, weights_directory
from workflow_scripts.provenance.record import start_record
from workflow_scripts.settings.models import FinetunedPolicy, PretrainedPolicy
from workflow_scripts.settings.steps import PreparePolicy

if TYPE_CHECKING:
    from workflow_scripts.settings.worlds import World

logger = logging.getLogger(__name__)


def pretrain_tiny(source: PretrainedPolicy, settings: World, directory: Path) -> dict[str, Any]:
    """Pretrain a tiny policy, check that it may be adapted, and save it."""
    import torch

    from workflow_scripts.policies.gates import MAX_POSITIONS, check_policy
    from workflow_scripts.policies.pretraining import pretrain
    from workflow_scripts.policies.tiny import build_model, build_tokenizer
    from workflow_scripts.worlds import make_world

    world = make_world(settings)
    tokenizer = build_tokenizer(world.vocabulary())
    torch.manual_seed(source.pretraining.seed)
    model = build_model(source.architecture, tokenizer, MAX_POSITIONS)
    report: dict[str, Any] = {"parameters": model.num_parameters()}
    report.update(pretrain(model, tokenizer, world, source.pretraining))
    report.update(check_policy(model, tokenizer, world, source))
    logger.info("on its own samples: %s", report)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return report


def finetune_tiny(source: FinetunedPolicy, settings: World, policy: Path, directory: Path) -> dict[str, Any]:
    """Train the tiny policy in `policy` on in another world, check that it may be adapted, and save it."""
    from workflow_scripts.policies.gates import check_policy
    from workflow_scripts.policies.loading import load_model, load_tokenizer
    from workflow_scripts.policies.pretraining import finetune
    from workflow_scripts.policies.tiny import build_tokenizer
    from workflow_scripts.worlds import make_world

    world = make_world(settings)
    model, tokenizer = load_model(policy, "float32"), load_tokenizer(policy)
    if tokenizer.get_vocab() != build_tokenizer(world.vocabulary()).get_vocab():
        raise UserError(
            f"policy {source.policy} has another vocabulary than the world {source.world}. Name a policy that was "
            "pretrained in a world of the same kind."
        )
    report: dict[str, Any] = {"parameters": model.num_parameters()}
    report.update(finetune(model, tokenizer, world, source))
    report.update(check_policy(model, tokenizer, world, source))
    logger.info("on its own samples: %s", report)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return report


def _world(config: PreparePolicy, source: PretrainedPolicy | FinetunedPolicy) -> World:
    if config.world is None:
        raise UserError(f"policy {config.name}: its world {source.world} is missing from the step's config.")
    return config.world


def main(argv: list[str] | None = None) -> None:
    """Run the step."""
    parser = step_parser(__doc__)
    parser.add_argument(
        "--policy", type=Path, help="manifest of the policy that a fine-tuned one starts from"
    )
    parser.add_argument("--revision", type=Path, help="file of rule pin_revision: a hub model's commit")
    parser.add_argument("--out", required=True, type=Path, help="the model's folder")
    arguments = parser.parse_args(argv)
    config = read_config(PreparePolicy, arguments.config)
    out: Path = arguments.out
    with exclusive(out):
        inputs = {"policy": arguments.policy, "revision": arguments.revision}
        record = start_record("pretrain_policy", config.model_dump(mode="json"), inputs)
        source = config.policy.source
        weights = out / "model"
        report: dict[str, Any] = {}
        notes: dict[str, Any]
        if isinstance(source, PretrainedPolicy):
            report = pretrain_tiny(source, _world(config, source), weights)
            notes = {"seed": source.pretraining.seed}
        elif isinstance(source, FinetunedPolicy):
            if arguments.policy is None:
                raise UserError(f"policy {config.name}: give --policy, the manifest of {source.policy}.")
            start = weights_directory(arguments.policy)
            report = finetune_tiny(source, _world(config, source), start, weights)
            notes = {"seed": source.seed}
        else:
            weights, notes = fetch_model(source, weights, arguments.revision)
        publish(record, out, weights, {"name": config.name, "dtype": config.policy.dtype}, report, notes)


if __name__ == "__main__":
    run(main)
