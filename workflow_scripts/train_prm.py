"""Step `train_prm`: make a process reward model available as a model directory with a manifest.

A tiny one is trained here on labelled steps, starting from a tiny policy; a model of a local folder or of the hub is
checked or downloaded.
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
from workflow_scripts.settings.models import PrmSpec, TrainedPrm
from workflow_scripts.settings.steps import TrainPrm

if TYPE_CHECKING:
    from workflow_scripts.settings.worlds import World

logger = logging.getLogger(__name__)


def train_tiny(
    prm: PrmSpec, source: TrainedPrm, settings: World, policy: Path, directory: Path
) -> dict[str, Any]:
    """Train a tiny process reward model from the weights in `policy`, report its step AUC, and save it."""
    import torch

    from workflow_scripts.policies.loading import load_model, load_tokenizer
    from workflow_scripts.settings.worlds import ClinicWorld
    from workflow_scripts.step_scores.scorer import StepFormatter, StepScorer
    from workflow_scripts.step_scores.training import held_out_report, train_step_scorer
    from workflow_scripts.worlds.clinic import Clinic

    if not isinstance(settings, ClinicWorld):
        raise UserError(
            f"a process reward model is trained in the clinic only, not in a world of kind {settings.kind}."
        )
    world = Clinic(settings)
    torch.manual_seed(source.seed)
    model, tokenizer = load_model(policy, prm.dtype), load_tokenizer(policy)
    formatter = StepFormatter(tokenizer, prm.format)
    loss = train_step_scorer(model, formatter, world, source)
    held_out = held_out_report(StepScorer(model.eval(), formatter), world, source)
    for name, report in held_out.items():
        logger.info("step AUC on unseen patients, %s responses: %s", name, report["auc"])
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return {"loss": loss, **held_out}


def main(argv: list[str] | None = None) -> None:
    """Run the step."""
    parser = step_parser(__doc__)
    parser.add_argument("--policy", type=Path, help="manifest of the policy that a tiny one starts from")
    parser.add_argument("--revision", type=Path, help="file of rule pin_revision: a hub model's commit")
    parser.add_argument("--out", required=True, type=Path, help="the model's folder")
    arguments = parser.parse_args(argv)
    config = read_config(TrainPrm, arguments.config)
    out: Path = arguments.out
    with exclusive(out):
        inputs = {"policy": arguments.policy, "revision": arguments.revision}
        record = start_record("train_prm", config.model_dump(mode="json"), inputs)
        source = config.prm.source
        if isinstance(source, TrainedPrm):
            if config.world is None or arguments.policy is None:
                raise UserError(
                    f"process reward model {config.name}: give its world in --config, and --policy, the manifest of "
                    f"{source.policy}."
                )
            weights = out / "model"
            policy = weights_directory(arguments.policy)
            report = train_tiny(config.prm, source, config.world, policy, weights)
            notes: dict[str, Any] = {"seed": source.seed}
        else:
            weights, notes = fetch_model(source, out / "model", arguments.revision)
            report = {}
        publish(record, out, weights, {"name": config.name, "dtype": config.prm.dtype}, report, notes)


if __name__ == "__main__":
    run(main)
