"""Check the claims of config/claims.yaml against the results of a scale, and write the ledger.

Example:
    python -m workflow_scripts.check_claims --config @claims.json --out results/mini/claims/all.csv
"""

from __future__ import annotations

import logging
from pathlib import Path

from workflow_scripts.analyse import evidence_inputs
from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.files import atomic_path, write_json, write_text
from workflow_scripts.settings.evidence import CheckClaims

READ = ("per_question", "curve", "rollouts")
"""The files of an evidence that this step reads."""


def claim_inputs(config: CheckClaims) -> dict[str, Path]:
    """Return the files behind all claims by name, each once; a name that stands for two files gets its claim's id."""
    inputs: dict[str, Path] = {}
    for claim_id, item in config.claims.items():
        for name, path in evidence_inputs(item.evidence, READ).items():
            if path not in inputs.values():
                inputs[f"{claim_id}.{name}" if name in inputs else name] = path
    return inputs


def main(argv: list[str] | None = None) -> None:
    parser = step_parser(__doc__)
    parser.add_argument(
        "--paper-numbers", type=Path, default=Path("config/paper_numbers.csv"), help="published numbers (csv)"
    )
    parser.add_argument(
        "--out", required=True, type=Path, help="ledger.csv; .md and .json are written beside it"
    )
    arguments = parser.parse_args(argv)
    config = read_config(CheckClaims, arguments.config)

    from workflow_scripts.analysis.claims import check_claim
    from workflow_scripts.artefacts.ledger import ledger_markdown, ledger_rows, ledger_table
    from workflow_scripts.artefacts.paper_numbers import read_paper_numbers
    from workflow_scripts.provenance.record import start_record

    inputs = {"paper_numbers": arguments.paper_numbers, **claim_inputs(config)}
    numbers = read_paper_numbers(arguments.paper_numbers)
    record = start_record(step="check_claims", config=config.model_dump(mode="json"), inputs=inputs)

    checked = [check_claim(claim_id, item, config.statistics) for claim_id, item in config.claims.items()]
    rows = ledger_rows(checked, numbers)
    outputs = {
        "ledger": arguments.out,
        "text": arguments.out.with_suffix(".md"),
        "json": arguments.out.with_suffix(".json"),
    }
    write_json(outputs["json"], {"scale": config.scale, "parts": rows})
    write_text(outputs["text"], ledger_markdown(checked, rows, config.scale, config.statistics.confidence))
    with atomic_path(outputs["ledger"]) as temporary:
        ledger_table(rows).to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")
    record.finish(outputs=outputs, kind="claims")
    for claim in checked:
        logging.info("%s: %s", claim.id, claim.verdict)


if __name__ == "__main__":
    run(main)
