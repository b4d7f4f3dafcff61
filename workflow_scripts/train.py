"""Step `train`: one GRPO run without labels, from the base policy to the last step.

`make_reward` turns the method into a reward, `load_judge` loads the process reward model that some rewards need, and
`training.run.train` runs the loop (training/trainer.py reads in the order in which things happen). The state folder
holds resume points; a killed run continues there and ends with the same files.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.command import read_config, run, step_parser
from workflow_scripts.errors import UserError
from workflow_scripts.files import exclusive, write_json
from workflow_scripts.models import weights_directory, write_manifest
from workflow_scripts.provenance.record import start_record
from workflow_scripts.questions.schema import read_questions
from workflow_scripts.settings.question_sets import QuestionSetSpec
from workflow_scripts.settings.steps import Train
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec
from workflow_scripts.state import claim, finish

if TYPE_CHECKING:
    from workflow_scripts.policies.rollouts import Sampler

logger = logging.getLogger(__name__)


def adapt(
    config: Train,
    questions_path: Path,
    policy: Path,
    prm: Path | None,
    validation: Sequence[Path],
    out: Path,
    state: Path,
) -> None:
    """Train, and write the run's files into `out`, the manifest last."""
    if len(validation) != len(config.validation):
        raise UserError(
            f"--validation: {len(validation)} files for {len(config.validation)} question sets of the configuration. "
            "Give one for each, in its order."
        )
    watched_paths = {f"validation_{i}": path for i, path in enumerate(validation)}
    inputs = {"questions": questions_path, "policy": policy, "prm": prm, **watched_paths}
    record = start_record("train", config.model_dump(mode="json"), inputs)
    questions = read_questions(questions_path)
    watched_questions = [read_questions(path) for path in validation]
    claim(state, config, inputs)

    from workflow_scripts.policies.loading import load_model, load_tokenizer, transformers_sampler
    from workflow_scripts.rewards import make_reward
    from workflow_scripts.step_scores.judge import load_judge
    from workflow_scripts.training.run import train
    from workflow_scripts.training.trainer import Task, Watched, final_checkpoint

    reward = make_reward(config.method.reward, {question.id: question.answer for question in questions})
    if "step_scores" in reward.needs and (prm is None or config.prm_spec is None):
        raise UserError(
            f"method {config.method_name} needs a process reward model. Give --prm, its manifest."
        )
    base = weights_directory(policy)
    # Trained weights stay in float32: in bfloat16 most updates of a small learning rate round to nothing.
    model, tokenizer = load_model(base, "float32"), load_tokenizer(base)

    def sampler(asked: QuestionSetSpec, how: GrpoSpec | SamplingSpec) -> Sampler:
        arguments = config.policy_spec.chat_template_arguments
        return transformers_sampler(
            model, tokenizer, asked.prompt, asked.answer, arguments, how.max_rows, how.max_prompt_tokens
        )

    judge = None
    if prm is not None and config.prm_spec is not None:
        judge = load_judge(weights_directory(prm), config.prm_spec, config.question_set.prompt)
    watched = [
        Watched(named.questions, asked, sampler(named.question_set, config.evaluation))
        for named, asked in zip(config.validation, watched_questions, strict=True)
    ]
    task = Task(questions, reward, sampler(config.question_set, config.grpo), judge, config.seed, watched)
    outcome = train(model, tokenizer, task, config.grpo, config.evaluation, config.policy_spec.dtype, state)

    final = out / "final"
    final_checkpoint(final, outcome.trainer)
    outcome.trainer.journal.collect(out)
    write_json(out / "config.json", config.model_dump(mode="json"))
    about = {"name": out.name, "dtype": config.policy_spec.dtype, "step": outcome.steps}
    write_manifest(out / "manifest.json", final, about)
    names = ("metrics.jsonl", "curve.parquet", "rollouts.parquet", "config.json")
    record.finish(
        {"manifest": out / "manifest.json", **{Path(n).stem: out / n for n in names}, "final": final},
        kind="run",
        notes={"step": outcome.steps, "seed": config.seed, "resumed_from": outcome.resumed_from or None},
    )
    finish(state)


def main(argv: list[str] | None = None) -> None:
    """Run the step."""
    parser = step_parser(__doc__)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--policy", required=True, type=Path, help="manifest of the base policy")
    parser.add_argument(
        "--prm", type=Path, help="manifest of the process reward model, if the reward needs one"
    )
    parser.add_argument(
        "--validation", nargs="*", default=[], type=Path, help="question files to evaluate while training"
    )
    parser.add_argument("--out", required=True, type=Path, help="the run's folder")
    parser.add_argument("--state", required=True, type=Path, help="folder for resume points")
    arguments = parser.parse_args(argv)
    config = read_config(Train, arguments.config)
    with exclusive(arguments.state):
        adapt(
            *(config, arguments.questions, arguments.policy, arguments.prm, arguments.validation),
            *(arguments.out, arguments.state),
        )


if __name__ == "__main__":
    run(main)
