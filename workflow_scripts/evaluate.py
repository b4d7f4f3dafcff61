"""Metrics of sampled responses, with intervals over questions: avg@k, maj@k, pass@k, best-of-N, score-weighted vote.

As a step of the workflow it reads the samples of `--config`, `--questions` and `--samples` and writes metrics.json
(`--out`), per_question.parquet beside it, and the record of both; with step scores it also evaluates selection.

For responses that you already have, give the FILE and what its columns mean:

    python -m workflow_scripts.evaluate samples.jsonl --text responses --gold answer --kind latex --score rewards

The file is jsonl, json, parquet or csv. COLUMN is a column's name, or a path into one (`model.solution`). A row with
a list of responses is one question; otherwise --group names what rows of one question share.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.command import read_config, run
from workflow_scripts.errors import UserError
from workflow_scripts.evaluation.metrics import Metric, evaluation_metrics
from workflow_scripts.evaluation.own_samples import OwnQuestion, add_flags, own_file, read_own_samples
from workflow_scripts.evaluation.per_question import SCHEMA, QuestionResult, question_result
from workflow_scripts.evaluation.samples import add_scores, read_samples
from workflow_scripts.files import atomic_path, write_json
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.schema import read_questions
from workflow_scripts.settings.steps import Evaluate

log = logging.getLogger(__name__)

STEP_FLAGS = ("config", "questions", "samples", "step_scores")


def main(argv: list[str] | None = None) -> None:
    """Evaluate the samples of the command line; on an error nothing is left at `--out` or beside it."""
    arguments = _parser().parse_args(argv)
    own_flags = set(vars(arguments)) - {"file", "out", *STEP_FLAGS}
    foreign = [
        name for name in (own_flags if arguments.file is None else STEP_FLAGS) if given(arguments, name)
    ]
    if foreign:
        flag = "--" + sorted(foreign)[0].replace("_", "-")
        form = "needs a FILE" if arguments.file is None else "does not go with a FILE"
        raise UserError(f"{flag} {form}: give a FILE and its columns, or a step's --config. See --help.")
    if arguments.file is not None:
        evaluate_file(arguments)
        return
    missing = [name for name in ("config", "questions", "samples", "out") if not given(arguments, name)]
    if missing:
        raise UserError(
            f"--{missing[0]} is missing: give a step's --config, or a FILE and its columns. See --help."
        )
    evaluate_step(arguments)


def given(arguments: argparse.Namespace, name: str) -> bool:
    """Tell whether the command line has a flag; no flag has a default but None."""
    return getattr(arguments, name) is not None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.evaluate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, help="metrics.json")
    step = parser.add_argument_group("a step of the workflow")
    step.add_argument("--config", help="the step's settings: JSON text, or @file")
    step.add_argument("--questions", type=Path, help="questions.parquet")
    step.add_argument("--samples", type=Path, help="rollouts.parquet")
    step.add_argument("--step-scores", type=Path, help="step_scores.parquet: adds bon@k and sc_rm@k")
    own = parser.add_argument_group("responses that you already have")
    own.add_argument("file", metavar="FILE", nargs="?", type=Path)
    add_flags(own)
    own.add_argument("--score", metavar="COLUMN", help="a score per response: adds bon@k and sc_rm@k")
    own.add_argument("--first", metavar="N", type=int, help="look at the first N responses to each question")
    own.add_argument("--bootstrap", metavar="N", type=int, help="resamples of the intervals (default: 10000)")
    own.add_argument("--confidence", type=float, help="of the intervals (default: 0.95)")
    own.add_argument("--seed", type=int, help="of the resampling (default: 0)")
    return parser


def evaluate_step(arguments: argparse.Namespace) -> None:
    """Evaluate one step of the workflow, with its record."""
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
    for line in metric_lines(metrics):
        log.info("%s", line)


def evaluate_file(arguments: argparse.Namespace) -> None:
    """Evaluate a file of responses; print the metrics, and write them if `--out` is given."""
    samples = 10_000 if arguments.bootstrap is None else arguments.bootstrap
    confidence = 0.95 if arguments.confidence is None else arguments.confidence
    seed = arguments.seed or 0
    if samples < 1:
        raise UserError(f"--bootstrap {samples}: need at least 1.")
    if not 0 < confidence < 1:
        raise UserError(f"--confidence {confidence}: need a number between 0 and 1, such as 0.95.")
    if seed < 0:
        raise UserError(f"--seed {seed}: need 0 or more.")
    questions = read_own_samples(own_file(arguments))
    readable = [question for question in questions if question.gold is not None]
    results = own_results(readable, arguments.first)
    metrics = evaluation_metrics(results, samples, confidence, seed)
    unreadable = len(questions) - len(readable)
    if arguments.out is not None:
        write_json(
            arguments.out,
            {
                "file": str(arguments.file),
                "questions": len(readable),
                "gold_unreadable": unreadable,
                "bootstrap_samples": samples,
                "confidence": confidence,
                "seed": seed,
                "metrics": metrics,
            },
        )
    print(f"{len(readable)} questions, {results[0].n} responses each, {unreadable} left out: gold unreadable")
    print("\n".join(metric_lines(metrics)))


def own_results(questions: Sequence[OwnQuestion], first: int | None) -> list[QuestionResult]:
    """Sum up each question over its first `first` responses, or over all where every question has equally many.

    Raises
    ------
    UserError
        Naming a question that has fewer responses than others, or than `first`.
    """
    if first is not None and first < 1:
        raise UserError(f"--first {first}: need at least 1.")
    fewest = min(questions, key=lambda question: len(question.responses))
    most = max(len(question.responses) for question in questions)
    if len(fewest.responses) < (most if first is None else first):
        wanted = f"others {most}" if first is None else f"--first asks for {first}"
        raise UserError(
            f"group {fewest.id!r} has {len(fewest.responses)} responses, {wanted}. Every question needs equally many: "
            f"give --first {len(fewest.responses)} or less, or leave the group out."
        )
    results = []
    for question in questions:
        kept = question.responses[:first]
        scores = [response.score for response in kept if response.score is not None]
        results.append(
            question_result(
                question.id,
                question.gold or "",
                [response.reading.answer for response in kept],
                [response.text for response in kept],
                scores or None,
            )
        )
    return results


def metric_lines(metrics: dict[str, Metric]) -> list[str]:
    """Return each metric with its interval as a line."""
    return [
        f"{name:<20} {metric['value']:.4f}  [{metric['low']:.4f}, {metric['high']:.4f}]"
        for name, metric in metrics.items()
    ]


def write_results(path: Path, results: list[QuestionResult]) -> None:
    """Write per_question.parquet, atomically."""
    table = pa.Table.from_pylist([asdict(result) for result in results], schema=SCHEMA)
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


if __name__ == "__main__":
    run(main)
