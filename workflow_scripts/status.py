"""Say how far each figure and table is: done, running, failed or missing, and which log to read.

    python -m workflow_scripts.status
    python -m workflow_scripts.status --scale-file config/paper.yaml

It looks at files only; nothing is started, and neither Snakemake nor torch is imported.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.provenance.progress import (
    Logs,
    Progress,
    incomplete_outputs,
    job_progress,
    needed,
)
from workflow_scripts.settings.guard import is_held
from workflow_scripts.settings.load import load_scale_file
from workflow_scripts.settings.plan import Job, Plan, resolve

LEDGER_TARGETS = {"all": "claims", "headline": "headline_claims"}
"""Ledger -> the workflow's target that makes it, in rules/targets.smk. An artefact's target has its own name."""


@dataclass(frozen=True)
class ArtefactStatus:
    """One line of the answer: `artefact` is a target of the workflow.

    `jobs_done` of `jobs` counts the artefact's own job and all it needs.
    """

    artefact: str
    kind: str
    state: str
    jobs_done: int
    jobs: int
    log: str | None
    hint: str


def main(argv: list[str] | None = None) -> None:
    """Print the status of every artefact of a scale."""
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.status",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("artefacts", nargs="*", help="only these, for example prose_fig1 (default: all)")
    parser.add_argument("--scale-file", type=Path, default=Path("config/mini.yaml"))
    parser.add_argument("--seeds", type=int, help="as given to make run SEEDS=...")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    configuration = load_scale_file(arguments.scale_file, Path.cwd(), arguments.seeds)
    command = _command(arguments.scale_file, arguments.seeds)
    statuses = artefact_statuses(resolve(configuration), Path.cwd(), command)
    unknown = set(arguments.artefacts) - {status.artefact for status in statuses}
    if unknown:
        known = ", ".join(status.artefact for status in statuses)
        raise UserError(f"no artefact {min(unknown)} in {arguments.scale_file}. There are: {known}")
    chosen = [
        status for status in statuses if not arguments.artefacts or status.artefact in arguments.artefacts
    ]
    if arguments.json:
        print(json.dumps([asdict(status) for status in chosen], indent=1))
    else:
        print("\n".join(_table(chosen)))


def _command(scale_file: Path, seeds: int | None) -> list[str]:
    """Return the words of a scale's snakemake command, with a gap for the target."""
    profiles = {"config/mini.yaml": "local", "config/paper.yaml": "slurm"}
    file = scale_file.as_posix()
    words = ["snakemake", "--profile", profiles.get(file, "local"), "{}"]
    words += [] if file in profiles else ["--configfile", file]
    return words + ([] if seeds is None else ["--config", f"n_seeds={seeds}"])


def _jobs(plan: Plan) -> Iterator[tuple[tuple[str, ...], str, Job]]:
    """Yield every job of the plan with the rules that may make it and the name of its log."""
    for rules, group in (
        (("pin_revision",), plan.revisions),
        (("prepare_questions",), plan.questions),
        (("pretrain_policy", "fetch_policy"), plan.policies),
        (("train_prm", "fetch_prm"), plan.prms),
        (("train",), plan.runs),
        (("analyse",), plan.analyses),
        (("render",), plan.renderings),
    ):
        for name, job in group.items():
            yield rules, name, job
    for key, job in plan.samples.items():
        yield ("sample",), f"{key.owner}.{key.sid}", job
    for (key, prm), job in plan.step_scores.items():
        yield ("score_steps",), f"{key.owner}.{key.sid}.{prm}", job
    for (owner, evaluation), job in plan.evaluations.items():
        yield ("evaluate",), f"{owner}.{evaluation}", job
    if plan.overlap is not None:
        yield ("check_overlap",), "overlap", plan.overlap
    for name, job in plan.ledgers.items():
        yield ("check_claims",), name, job


def artefact_statuses(plan: Plan, workdir: Path, command: list[str]) -> list[ArtefactStatus]:
    """Return the status of each artefact, and of the ledgers of claims, below `workdir`."""
    results = workdir / plan.settings.settings.results
    incomplete, running, logs = incomplete_outputs(workdir), is_held(results), Logs(results)
    progress: dict[str, Progress] = {}
    maker: dict[str, str] = {}
    inputs: dict[str, list[str]] = {}
    for rules, name, job in _jobs(plan):
        first = next(iter(job.outputs.values()))
        progress[first] = job_progress(rules, name, job.outputs.values(), workdir, incomplete, running, logs)
        maker |= dict.fromkeys(job.outputs.values(), first)
        inputs[first] = list(job.inputs.values())
    needs = {job: [maker[path] for path in paths if path in maker] for job, paths in inputs.items()}
    finals: list[tuple[str, str, str]] = [
        (name, plan.settings.artefacts[name].kind, next(iter(job.outputs.values())))
        for name, job in plan.renderings.items()
    ]
    finals += [
        (LEDGER_TARGETS[name], "ledger", next(iter(job.outputs.values())))
        for name, job in plan.ledgers.items()
    ]
    return [
        _status(name, kind, [progress[job] for job in needed(first, needs)], command, workdir)
        for name, kind, first in finals
    ]


def _status(
    artefact: str, kind: str, jobs: list[Progress], command: list[str], workdir: Path
) -> ArtefactStatus:
    """Judge an artefact by its own job, the first of `jobs`; if that is not done, by those it waits for."""
    own = jobs[0]
    done = sum(job.state == "done" for job in jobs)
    tell = next((job for job in jobs if job.state == "failed"), None)
    tell = next((job for job in jobs if job.state == "running"), tell)
    if own.state == "done" or tell is None:
        tell = own
    next_command = shlex.join(artefact if word == "{}" else word for word in command)
    hint = {
        "done": "",
        "running": f"{tell.rule} {tell.name}",
        "failed": f"{tell.rule} {tell.name}; then: {next_command}",
        "missing": next_command,
    }[tell.state]
    log = tell.log.relative_to(workdir).as_posix() if tell.log else None
    return ArtefactStatus(artefact, kind, tell.state, done, len(jobs), log, hint)


def _table(statuses: list[ArtefactStatus]) -> list[str]:
    width = max((len(status.artefact) for status in statuses), default=0)
    lines = [f"{'artefact':{width}}  state    jobs done  log or next command"]
    for status in statuses:
        told = "  ".join(text for text in (status.log, status.hint) if text)
        jobs = f"{status.jobs_done}/{status.jobs}"
        lines.append(f"{status.artefact:{width}}  {status.state:7}  {jobs:>9}  {told}".rstrip())
    return lines


if __name__ == "__main__":
    run(main)
