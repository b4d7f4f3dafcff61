"""Step `prepare_questions`: one question set in the common schema, with its card.

Writes questions.parquet (`--out`), card.json beside it, and the record of both.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.card import question_card
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import write_questions
from workflow_scripts.questions.sources import load_questions
from workflow_scripts.settings.specs import LocalQuestions
from workflow_scripts.settings.steps import PrepareQuestions

log = logging.getLogger(__name__)


def main(argv: list[str] | None = None) -> None:
    """Prepare the question set of `--config`; on an error nothing is left at `--out` or beside it."""
    parser = step_parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="questions.parquet")
    arguments = parser.parse_args(argv)
    config = read_config(PrepareQuestions, arguments.config)
    spec = config.question_set
    loaded = load_questions(config.name, spec, config.world)
    for question in loaded.questions:
        if question.options is None and spec.answer.kind == "choice":
            raise UserError(f"question {question.id} has no options, but `answer.kind` is choice.")
    render_prompt(loaded.questions[0], spec.prompt)

    inputs = {"source": Path(spec.source.path)} if isinstance(spec.source, LocalQuestions) else {}
    record = start_record(step="prepare_questions", config=config.model_dump(mode="json"), inputs=inputs)
    card = question_card(config.name, spec, loaded)
    card_path = arguments.out.with_name("card.json")
    try:
        write_json(card_path, card)
        write_questions(arguments.out, loaded.questions)
        record.finish(
            outputs={"questions": arguments.out, "card": card_path},
            kind="questions",
            notes={"rows": card["rows"], "sha256": card["sha256"], "dropped": len(card["dropped"])},
        )
    except BaseException:
        for path in (card_path, arguments.out):
            with suppress(OSError):
                path.unlink()
        raise
    log.info("%s: %d questions, %d rows dropped", config.name, card["rows"], len(card["dropped"]))


if __name__ == "__main__":
    run(main)
