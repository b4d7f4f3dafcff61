"""Collect what one artefact shows into one tidy table.

Example:
    python -m workflow_scripts.analyse --config @analyse.json --out results/mini/analysis/prose_fig1.csv
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.files import atomic_path
from workflow_scripts.settings.evidence import (
    Analyse,
    BaseEvidence,
    Evidence,
    RunEvidence,
    TransferEvidence,
)

READ = ("per_question", "metrics", "curve", "step_scores_report")
"""The files of an evidence that this step always reads."""


def evidence_inputs(evidence: Evidence, read: Sequence[str]) -> dict[str, Path]:
    """Return the files `read` of each base, run and transfer that has them, by a name that says whose they are."""
    places: dict[str, BaseEvidence | RunEvidence | TransferEvidence] = {}
    for base in evidence.base:
        places[f"base.{base.policy_role}.{base.questions_role}"] = base
    for item in evidence.runs:
        places[f"{item.policy_role}.{item.questions_role}.{item.method}.s{item.seed}"] = item
    for moved in evidence.transfers:
        who = f"{moved.method}.s{moved.seed}" if moved.method else "base"
        places[f"{moved.policy_role}.{moved.adapted_on}.{who}.on.{moved.questions_role}"] = moved
    found = {f"{place}.{name}": getattr(item, name, None) for place, item in places.items() for name in read}
    return {name: Path(path) for name, path in found.items() if path is not None}


def main(argv: list[str] | None = None) -> None:
    parser = step_parser(__doc__)
    parser.add_argument("--out", required=True, type=Path, help="the table to write (csv)")
    arguments = parser.parse_args(argv)
    config = read_config(Analyse, arguments.config)

    from workflow_scripts.analysis.collect import collect
    from workflow_scripts.analysis.recipes import recipe
    from workflow_scripts.provenance.record import start_record

    wanted = recipe(config.like or config.artefact)
    of_rollouts = bool(wanted.agreement) or wanted.letters
    optional = (("prm_report", wanted.prm_auc), ("samples", of_rollouts), ("rollouts", of_rollouts))
    more = [name for name, read in optional if read]
    inputs = evidence_inputs(config.evidence, (*READ, *more))
    record = start_record(step="analyse", config=config.model_dump(mode="json"), inputs=inputs)
    table = collect(config, wanted)
    with atomic_path(arguments.out) as temporary:
        table.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")
    record.finish(outputs={"analysis": arguments.out}, kind="analysis")
    logging.info("%s: %d rows -> %s", config.artefact, len(table), arguments.out)


if __name__ == "__main__":
    run(main)
