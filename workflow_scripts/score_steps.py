"""Step `score_steps`: let a process reward model score every step of sampled responses.

Where the question's world knows the truth of a step, it is written beside the score, and the report gives the model's
step AUC on these very responses: on an adapted policy's responses, that is where reward hacking shows.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.files import atomic_path, write_json
from workflow_scripts.models import weights_directory
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.schema import read_questions
from workflow_scripts.settings.steps import ScoreSteps

logger = logging.getLogger(__name__)


def main(argv: list[str] | None = None) -> None:
    """Run the step."""
    parser = step_parser(__doc__)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--samples", required=True, type=Path, help="rollouts.parquet")
    parser.add_argument("--prm", required=True, type=Path, help="manifest of the process reward model")
    parser.add_argument("--out", required=True, type=Path, help="step_scores.parquet")
    arguments = parser.parse_args(argv)
    config = read_config(ScoreSteps, arguments.config)
    inputs = {"questions": arguments.questions, "samples": arguments.samples, "prm": arguments.prm}
    record = start_record("score_steps", config.model_dump(mode="json"), inputs)

    import pyarrow as pa
    import pyarrow.parquet as pq

    from workflow_scripts.step_scores.judge import load_judge
    from workflow_scripts.step_scores.report import step_report
    from workflow_scripts.worlds.checking import check_steps

    questions = {question.id: question.unlabelled() for question in read_questions(arguments.questions)}
    samples = pq.read_table(arguments.samples, columns=["question_id", "sample", "text"]).to_pylist()
    judge = load_judge(weights_directory(arguments.prm), config.prm_spec, config.question_set.prompt)
    texts: dict[str, list[str]] = {}
    for row in samples:
        texts.setdefault(row["question_id"], []).append(row["text"])
    groups = judge.score([questions[identifier] for identifier in texts], list(texts.values()))
    scores = {identifier: iter(group) for identifier, group in zip(texts, groups, strict=True)}
    rows: list[dict[str, Any]] = []
    for row in samples:
        question, values = questions[row["question_id"]], next(scores[row["question_id"]])
        steps = judge.steps(row["text"])[: len(values)]
        truth = check_steps(question, steps) if config.world else [None] * len(steps)
        rows.extend(
            {"question_id": row["question_id"], "sample": row["sample"], "step": i, "p": p, "truth": t}
            for i, (p, t) in enumerate(zip(values, truth, strict=True))
        )
    schema = pa.schema(
        [
            ("question_id", pa.string()),
            ("sample", pa.int32()),
            ("step", pa.int32()),
            ("p", pa.float64()),
            ("truth", pa.bool_()),
        ]
    )
    with atomic_path(arguments.out) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), temporary)
    report: dict[str, Any] = {"n_responses": len(samples), "n_steps": len(rows)}
    if config.world:
        report.update(step_report([row["p"] for row in rows], [row["truth"] for row in rows]))
        logger.info("step AUC on these responses: %s", report["auc"])
    report_path = arguments.out.with_name("report.json")
    write_json(report_path, report)
    record.finish({"step_scores": arguments.out, "report": report_path}, kind="step_scores", notes=report)


if __name__ == "__main__":
    run(main)
