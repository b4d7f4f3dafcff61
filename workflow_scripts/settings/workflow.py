"""What the Snakefile and its rules call: settings to plan, and small pieces of rule text."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.settings.identity import canonical_json
from workflow_scripts.settings.job import Job, Plan
from workflow_scripts.settings.load import load_settings
from workflow_scripts.settings.models import LocalModel, PolicySpec, PrmSpec
from workflow_scripts.settings.pages import ReportPage
from workflow_scripts.settings.plan import resolve
from workflow_scripts.settings.question_sets import LocalQuestions, QuestionSetSpec
from workflow_scripts.settings.sources import stage_sources
from workflow_scripts.settings.steps import PreparePolicy, PrepareQuestions, TrainPrm
from workflow_scripts.yaml_file import read_yaml


def plan_or_exit(config: Mapping[str, Any], configfiles: Sequence[str | Path], root: Path) -> Plan:
    """Return the plan; a mistake in the settings ends Snakemake with one line and status 2, before the DAG."""
    # The command line's or profile's file comes before the Snakefile's own.
    source = _shown(configfiles[0], root) if configfiles else "the configuration"
    try:
        for path in map(Path, configfiles):
            if path.suffix in (".yaml", ".yml") and path.is_file():
                read_yaml(path)  # Snakemake read it, and takes the last of two equal keys
        loaded = load_settings(config, root, source)
        for key in ("results", "figures"):
            check_writable(Path(getattr(loaded.settings, key)), f"{source}: {key}")
        plan = resolve(loaded)
        check_local_sources(plan)
        return plan
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def check_writable(folder: Path, where: str) -> None:
    """Raise UserError if `folder` neither is nor can become a folder that this user may write."""
    odd = sorted({sign for sign in str(folder) if sign in "{}*?[]" or not sign.isprintable()})
    if odd:
        raise UserError(
            f"{where}: {str(folder)!r} has the sign {odd[0]!r}, which Snakemake or a shell reads as a pattern. "
            "Name another folder."
        )
    if folder.absolute() == Path(folder.absolute().anchor):
        raise UserError(f"{where}: {folder} is the root of all files. Name another folder.")
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{where}: {folder} cannot be written, because of {there}. Name another folder.")


def check_local_sources(plan: Plan) -> None:
    """Raise UserError if a local file or model folder that the plan uses does not exist."""
    for job in (*plan.questions.values(), *plan.policies.values(), *plan.prms.values()):
        match job.config:
            case PrepareQuestions(name=name, question_set=QuestionSetSpec(source=LocalQuestions() as source)):
                for path in local_files(source):
                    if not Path(path).is_file():
                        raise UserError(
                            f"question set {name}: no file {path}. Put it there, or change its path."
                        )
            case (
                PreparePolicy(name=name, policy=PolicySpec(source=LocalModel(path=path)))
                | TrainPrm(name=name, prm=PrmSpec(source=LocalModel(path=path)))
            ):
                if not Path(path).is_dir():
                    raise UserError(
                        f"model {name}: no folder {path}. Put the model there, or change its path."
                    )


def _shown(path: str | Path, root: Path) -> str:
    place = Path(path).resolve()
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else str(path)


def prefer_this_environment(root: Path) -> None:
    """Let jobs run the Python that Snakemake runs in, find the package from anywhere, and waste no time."""
    folder = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if path[0] != folder:
        os.environ["PATH"] = os.pathsep.join([folder, *path])
    # Threads that wait by spinning would take the core that another job needs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Memory of one step of training is kept for the next: the kernel would clear its pages each time.
    for setting in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        os.environ.setdefault(setting, str(1 << 30))
    known = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if str(root) not in known:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(root), *known])


def one_of(ids: Iterable[str]) -> str:
    """Return a wildcard constraint that accepts exactly `ids`."""
    return "|".join(re.escape(word) for word in sorted(ids)) or "none_at_this_scale"


def option(flag: str, *values: str | None) -> list[str]:
    """Return the words of an optional command-line argument: it and its values, or none."""
    given = [value for value in values if value]
    return [flag, *given] if given else []


def validation_files(job: Job) -> list[str]:
    """Return the question files that a training is evaluated on, in order."""
    return [path for name, path in job.inputs.items() if name.startswith("validation_")]


def code(step: str, plan: Plan, root: Path) -> list[str]:
    """Return the step's source files where the scale tracks code, else nothing."""
    return stage_sources(step, root) if plan.settings.settings.track_code else []


def settings_of(job: Callable[[Any], Job]) -> dict[str, Callable[..., str]]:
    """Return the parameters `tracked` and `config` of a rule; `job` finds its job by the wildcards.

    Snakemake runs a job again when a parameter changes that is a function of wildcards alone. So the command gets
    the whole configuration as a function of more, and the part of it that changes numbers is tracked beside it.
    """
    return {
        "tracked": lambda wildcards: job(wildcards).identity,
        "config": lambda wildcards, threads: job(wildcards).json,
    }


def claims_settings(plan: Plan) -> dict[str, Callable[..., str]]:
    """Return the parameters `tracked` and `config` of the rule that checks the claims.

    Its configuration names all evidence, and Linux takes no command longer than 128 KiB: `config` is `@` and the file
    that `write_claims_config` writes before any job. So it is no input, and the hash of its content is tracked.
    """
    return {
        "tracked": lambda wildcards: hashlib.sha256(plan.ledgers[wildcards.ledger].json.encode()).hexdigest(),
        "config": lambda wildcards, threads: f"@{_ledger_config(plan, wildcards.ledger)}",
    }


def write_claims_config(plan: Plan) -> None:
    """Write the configuration of each ledger of claims."""
    for name, job in plan.ledgers.items():
        write_text(_ledger_config(plan, name), job.json + "\n")


def _ledger_config(plan: Plan, name: str) -> Path:
    return Path(plan.settings.settings.results) / "claims" / f"{name}.config.json"


LOADED = (".bin", ".jinja", ".json", ".model", ".safetensors", ".txt")
"""Endings of what is loaded from a model's folder: weights, settings, tokenizer, chat template."""


def local_files(source: object) -> list[str]:
    """Return the files of a local question set or model, so that Snakemake sees them change; else nothing."""
    match source:
        case LocalQuestions(path=path, side_files=side_files):
            return [path, *(side_files[name] for name in sorted(side_files))]
        case LocalModel(path=path):
            return sorted(file.as_posix() for file in Path(path).iterdir() if file.suffix in LOADED)
    return []


# ------------------------------------------------------------------ pages of the report


def page_source(page: str, plan: Plan) -> list[str]:
    """Return the file that a page of the report shows, if it shows one."""
    settings = plan.settings.settings
    if page in plan.settings.artefacts:
        return [plan.renderings[page].outputs["md"]]
    files = {
        "claims": f"{settings.results}/claims/all.md",
        "headline_claims": f"{settings.results}/claims/headline.md",
        "overlap": f"{settings.results}/questions/overlap.md",
        "audit": f"{settings.results}/audit/figures.csv",
        "headline_audit": f"{settings.results}/audit/headline.csv",
        "software": "envs/cpu.lock",
    }
    return [files[page]] if page in files else []


def page_config(page: str, plan: Plan) -> str:
    """Return the configuration of a page as canonical JSON."""
    titles = {
        "claims": "Claims and verdicts",
        "headline_claims": "Claims and verdicts: the headline",
        "overlap": "Question sets: shared questions",
        "audit": "Where each figure and table comes from",
        "headline_audit": "Where each figure and table comes from",
        "software": "Software: locked and installed versions",
        "configuration": "Configuration: the scale file as it was resolved",
    }
    text = None
    if page == "configuration":
        text = yaml.safe_dump(plan.settings.settings.model_dump(mode="json"), sort_keys=False, width=100)
    entry = plan.settings.artefacts.get(page)
    title = entry.title if entry else titles[page]
    return canonical_json(ReportPage(page=page, title=title, text=text).model_dump(mode="json"))


def headline_pages(plan: Plan) -> list[str]:
    """Return the pages of the headline's report: its tables, claims and audit, and the two that every report has."""
    claims = ["headline_claims"] if "headline" in plan.ledgers else []
    return [*_tables(plan.settings.settings.headline, plan), *claims, "headline_audit", *_ALWAYS]


def all_pages(plan: Plan) -> list[str]:
    """Return the pages of a report on everything: also the one that needs every question set, gated ones too."""
    claims = ["claims"] if "all" in plan.ledgers else []
    overlap = ["overlap"] if plan.overlap else []
    return [*_tables(plan.settings.artefacts, plan), *claims, *overlap, "audit", *_ALWAYS]


_ALWAYS = ("configuration", "software")


def _tables(artefacts: Iterable[str], plan: Plan) -> list[str]:
    return [name for name in artefacts if plan.settings.artefacts[name].kind == "table"]
