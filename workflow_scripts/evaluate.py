"""Step `evaluate`: metrics of sampled responses, with intervals over questions.

Writes metrics.json (`--out`), per_question.parquet beside it, and the record of both. With step scores it
also evaluates best-of-N and the score-weighted vote.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.evaluation.metrics import evaluation_metrics
from workflow_scripts.evaluation.per_question import SCHEMA, QuestionResult, question_result
from workflow_scripts.evaluation.samples import add_scores, read_samples
from workflow_scripts.files import atomic_path, write_json
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.schema import read_questions
from workflow_scripts.settings.steps import Evaluate

log = logging.getLogger(__name__)


def main(argv: list[str] | None = None) -> None:
    """Evaluate the samples of the command line; on an error nothing is left at `--out` or beside it."""
    parser = step_parser(__doc__)
    parser.add_argument("--questions", type=Path, required=True, help="questions.parquet")
    parser.add_argument("--samples", type=Path, required=True, help="rollouts.parquet")
    parser.add_argument("--step-scores", type=Path, help="step_scores.parquet: adds bon@k and sc_rm@k")
    parser.add_argument("--out", type=Path, required=True, help="metrics.json")
    arguments = parser.parse_args(argv)
    config = read_config(Evaluate, arguments.config)

    inputs = {"questions": arguments.questions, "samples": arguments.samples}
    sampled = read_samples(arguments.samples, read_questions(arguments.questions))
    notes: dict[str, object] = {
        "bootstrap_samples": config.bootstrap_samples,
        "confidence": config.confidence,
    }
    if arguments.step_scores is not None:
        inputs["step_scores"] = arguments.step_scores
        sampled, without_steps = add_scores(sampled, arguments.step_scores, config.aggregation)
        notes |= {"aggregation": config.aggregation, "answered_without_steps": without_steps}
    record = start_record(step="evaluate", config=config.model_dump(mode="json"), inputs=inputs)

    results = [
        question_result(s.question.id, s.question.answer, s.answers, s.texts, s.scores) for s in sampled
    ]
    metrics = evaluation_metrics(results, config.bootstrap_samples, config.confidence, config.seed)
    per_question = arguments.out.with_name("per_question.parquet")
    try:
        write_results(per_question, results)
        write_json(arguments.out, metrics)
        record.finish(
            outputs={"metrics": arguments.out, "per_question": per_question}, kind="evaluation", notes=notes
        )
    except BaseException:
        for path in (arguments.out, per_question):
            with suppress(OSError):
                path.unlink()
        raise
    for name, metric in metrics.items():
        log.info("%-20s %.4f  [%.4f, %.4f]", name, metric["value"], metric["low"], metric["high"])


def write_results(path: Path, results: list[QuestionResult]) -> None:
    """Write per_question.parquet, atomically."""
    table = pa.Table.from_pylist([asdict(result) for result in results], schema=SCHEMA)
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


if __name__ == "__main__":
    run(main)
