"""Step `prepare_questions`: one question set in the common schema, with its card.

Writes questions.parquet (`--out`), card.json beside it, and the record of both.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.provenance.record import start_record
from workflow_scripts.provenance.revisions import read_revision
from workflow_scripts.questions.card import question_card
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import write_questions
from workflow_scripts.questions.sources import load_questions
from workflow_scripts.settings.question_sets import HubQuestions, LocalQuestions, QuestionSetSpec
from workflow_scripts.settings.steps import PrepareQuestions

log = logging.getLogger(__name__)


def main(argv: list[str] | None = None) -> None:
    """Prepare the question set of `--config`; on an error nothing is left at `--out` or beside it."""
    parser = step_parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="questions.parquet")
    parser.add_argument("--revision", type=Path, help="json file with the commit of a hub source")
    parser.add_argument("--base", type=Path, help="questions.parquet that matched questions are made of")
    parser.add_argument(
        "--base-samples", type=Path, help="rollouts.parquet with a base policy's wrong answers"
    )
    arguments = parser.parse_args(argv)
    config = read_config(PrepareQuestions, arguments.config)
    spec = config.question_set
    revision = _revision(spec, arguments.revision)
    loaded = load_questions(
        config.name,
        spec,
        config.world,
        revision=revision,
        base=arguments.base,
        base_samples=arguments.base_samples,
    )
    render_prompt(loaded.questions[0], spec.prompt)

    inputs: dict[str, Any] = {
        "revision": arguments.revision,
        "base": arguments.base,
        "base_samples": arguments.base_samples,
    }
    if isinstance(spec.source, LocalQuestions):
        inputs = {"source": spec.source.path, **spec.source.side_files, **inputs}
    record = start_record(step="prepare_questions", config=config.model_dump(mode="json"), inputs=inputs)
    card = question_card(config.name, spec, loaded)
    notes = {"rows": card["rows"], "sha256": card["sha256"], "dropped": loaded.dropped.total()}
    if loaded.revision is not None:
        notes["revision"] = loaded.revision
    card_path = arguments.out.with_name("card.json")
    try:
        write_json(card_path, card)
        write_questions(arguments.out, loaded.questions)
        record.finish(outputs={"questions": arguments.out, "card": card_path}, kind="questions", notes=notes)
    except BaseException:
        for path in (card_path, arguments.out):
            with suppress(OSError):
                path.unlink()
        raise
    log.info("%s: %d questions, %d rows dropped", config.name, card["rows"], loaded.dropped.total())


def _revision(spec: QuestionSetSpec, path: Path | None) -> str | None:
    """Return the commit in the file `path`, which must belong to the entry's data set."""
    if path is None:
        return None
    if not isinstance(spec.source, HubQuestions):
        raise UserError(f"--revision {path}: the source of the question set is not on the hub. Leave it out.")
    revision = read_revision(path, spec.source.id)
    if spec.source.revision not in (None, revision):
        raise UserError(
            f"--revision: {path} holds {revision}, but the entry's `revision` is {spec.source.revision}."
        )
    return revision


if __name__ == "__main__":
    run(main)
