"""Step `sample`: draw n responses per question from a policy.

Finished questions are kept in a state folder: a killed job continues there and ends with the same file.
"""

from __future__ import annotations

import logging
import shutil
import time
from pathlib import Path

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.files import exclusive
from workflow_scripts.models import weights_directory
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.schema import Question, read_questions
from workflow_scripts.settings.steps import Sample
from workflow_scripts.state import claim

logger = logging.getLogger(__name__)

QUESTIONS_PER_SHARD = 32


def sample_all(config: Sample, questions: list[Question], weights: Path, state: Path) -> list[Path]:
    """Sample shard by shard into `state`; shards that exist are kept. Return their paths in order."""
    shards = [questions[i : i + QUESTIONS_PER_SHARD] for i in range(0, len(questions), QUESTIONS_PER_SHARD)]
    paths = [state / f"{index:05d}.parquet" for index in range(len(shards))]
    missing = [index for index, path in enumerate(paths) if not path.exists()]
    if len(missing) < len(shards):
        logger.info("resuming: %d of %d shards are there", len(shards) - len(missing), len(shards))
    if not missing:
        return paths
    from workflow_scripts.policies.loading import load_model, load_tokenizer, transformers_sampler
    from workflow_scripts.policies.rollouts import write_rollouts

    sampler = transformers_sampler(
        load_model(weights, config.dtype),
        load_tokenizer(weights),
        config.question_set.prompt,
        config.question_set.answer,
        config.chat_template_arguments,
        config.sampling.max_rows,
        config.sampling.max_prompt_tokens,
    )
    started = time.monotonic()
    for done, index in enumerate(missing, start=1):
        groups = sampler.sample(
            [question.unlabelled() for question in shards[index]],
            config.sampling.n_samples,
            temperature=config.sampling.temperature,
            top_p=config.sampling.top_p,
            max_new_tokens=config.sampling.max_new_tokens,
            seed=config.sampling.seed,
        )
        rows = [
            rollout.row(question.answer)
            for question, group in zip(shards[index], groups, strict=True)
            for rollout in group
        ]
        write_rollouts(paths[index], rows)
        eta = (time.monotonic() - started) / done * (len(missing) - done)
        accuracy = sum(bool(row["correct"]) for row in rows) / len(rows)
        logger.info("shard %d/%d accuracy %.3f ETA %.0f s", index + 1, len(shards), accuracy, eta)
    return paths


def main(argv: list[str] | None = None) -> None:
    """Run the step."""
    parser = step_parser(__doc__)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--policy", required=True, type=Path, help="manifest of a model or of a run")
    parser.add_argument("--out", required=True, type=Path, help="rollouts.parquet")
    parser.add_argument("--state", required=True, type=Path, help="folder for finished shards")
    arguments = parser.parse_args(argv)
    config = read_config(Sample, arguments.config)
    inputs = {"questions": arguments.questions, "policy": arguments.policy}
    with exclusive(arguments.state):
        claim(arguments.state, config, inputs)
        record = start_record("sample", config.model_dump(mode="json"), inputs)
        questions = read_questions(arguments.questions)
        shards = sample_all(config, questions, weights_directory(arguments.policy), arguments.state)

        from workflow_scripts.policies.rollouts import join_rollouts

        join_rollouts(shards, arguments.out)
        notes = {"sampling": config.sampling.model_dump()}
        record.finish({"rollouts": arguments.out}, kind="samples", notes=notes)
        shutil.rmtree(arguments.state)


if __name__ == "__main__":
    run(main)
