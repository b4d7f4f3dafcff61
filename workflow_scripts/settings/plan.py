"""From settings to jobs: every file of the DAG, who makes it, from what, with which configuration.

The Snakefile looks jobs up in the plan. Nothing is read or written here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product, starmap

from workflow_scripts.settings.configuration import DEFAULT_PRM, PRM_NEEDED, Configuration
from workflow_scripts.settings.evidence import (
    Analyse,
    BaseEvidence,
    CheckClaims,
    ClaimWithEvidence,
    Evidence,
    Needs,
    NotRun,
    Render,
    RunEvidence,
    TransferEvidence,
    merged,
)
from workflow_scripts.settings.job import Job, Plan, with_record
from workflow_scripts.settings.job_maker import JobMaker
from workflow_scripts.settings.question_sets import MatchedQuestions, OutvotedQuestions
from workflow_scripts.settings.steps import CheckOverlap, Train

__all__ = ["Job", "Plan", "resolve"]


def resolve(configuration: Configuration) -> Plan:
    """Return the plan of everything that the configuration's artefacts and claims need."""
    maker = JobMaker(configuration)
    for artefact, entry in configuration.artefacts.items():
        evidence = find_evidence(maker, entry)
        maker.plan.analyses[artefact] = Job(
            Analyse(artefact=artefact, like=entry.like, evidence=evidence, statistics=maker.scale.statistics),
            numbered(evidence_files([evidence])),
            with_record({"table": f"{maker.results}/analysis/{artefact}.csv"}),
        )
        maker.plan.renderings[artefact] = rendering(maker, artefact)
    if configuration.settings.headline_claims:
        maker.plan.ledgers["headline"] = ledger(maker, "headline", configuration.settings.headline_claims)
    if configuration.claims:
        maker.plan.ledgers["all"] = ledger(maker, "all", list(configuration.claims))
    maker.plan.overlap = overlap(maker)
    return maker.plan


@dataclass(frozen=True)
class Cell:
    """One policy role on one question set role, with a method's role (None: unadapted)."""

    policy_role: str
    questions_role: str
    method: str | None


def find_evidence(maker: JobMaker, needs: Needs) -> Evidence:
    """Add the jobs that `needs` asks for, and return their files; what lacks a role is listed as not run."""
    found = Evidence(base=[], runs=[], not_run=[])
    methods = [*([None] if needs.base and not needs.base_on else []), *needs.methods]
    for cell in (Cell(*at, None) for at in product(needs.policies, needs.base_on)):
        add_cell(maker, needs, cell, found)
    for cell in starmap(Cell, product(needs.policies, needs.question_sets, methods)):
        add_cell(maker, needs, cell, found)
    return found


def add_cell(maker: JobMaker, needs: Needs, cell: Cell, found: Evidence) -> None:
    """Add the jobs of one cell and their files to `found`."""
    lacking = lacking_roles(maker, needs, cell)
    if lacking:
        found.not_run.append(not_run(maker, cell, lacking))
    elif cell.method is None:
        found.base.append(base_evidence(maker, needs, cell))
        add_transfers(maker, needs, cell, None, found)
    else:
        for seed in range(maker.scale.n_seeds if needs.seeds == "all" else 1):
            run = run_evidence(maker, needs, cell, cell.method, seed)
            found.runs.append(run)
            add_transfers(maker, needs, cell, run, found)


def add_transfers(
    maker: JobMaker, needs: Needs, cell: Cell, run: RunEvidence | None, found: Evidence
) -> None:
    """Add the adapted policy (`run` None: the base) on the question sets that it was not adapted on."""
    names = maker.scale.roles.names()
    for role in (role for role in needs.transfer if role != cell.questions_role):
        if role not in names:
            absent = not_run(maker, replace(cell, questions_role=role), [role])
            found.not_run.extend([] if absent in found.not_run else [absent])
            continue
        owner = run.run_id if run else maker.policy(names[cell.policy_role])
        setup = needs.setup_of(cell.method)
        job, _ = maker.evaluate(owner, names[cell.policy_role], names[role], None, setup)
        found.transfers.append(
            TransferEvidence(
                policy_role=cell.policy_role,
                adapted_on=cell.questions_role,
                questions_role=role,
                method=cell.method,
                seed=run.seed if run else None,
                evaluation=job.outputs["metrics"],
                per_question=job.outputs["per_question"],
            )
        )


def not_run(maker: JobMaker, cell: Cell, lacking: list[str]) -> NotRun:
    """A cell whose roles the scale does not fill."""
    reason = f"the scale {maker.scale.scale} has no {', no '.join(lacking)}"
    return NotRun(**vars(cell), reason=reason)


def lacking_roles(maker: JobMaker, needs: Needs, cell: Cell) -> list[str]:
    """Return the roles that one cell needs and the scale does not fill."""
    needed = [cell.policy_role, cell.questions_role]
    if cell.method and maker.loaded.methods[cell.method].reward.kind in PRM_NEEDED:
        needed.append(maker.loaded.prm_role(needs, cell.method))
    if cell.method and needs.validation and not set(needs.validation) & set(maker.scale.roles.names()):
        needed += needs.validation  # else the training would be followed on its own questions instead
    setup = needs.setup_of(cell.method)
    absent = [f"setup {setup}"] if setup and setup not in maker.loaded.setups else []
    return [role for role in needed if role not in maker.scale.roles.names()] + absent


def base_evidence(maker: JobMaker, needs: Needs, cell: Cell) -> BaseEvidence:
    """The unadapted policy on one question set."""
    names = maker.scale.roles.names()
    policy, questions = names[cell.policy_role], names[cell.questions_role]
    scored_by = names.get(needs.prm or DEFAULT_PRM) if "base" in needs.score_steps else None
    setup = needs.setup_of(None)
    job, report = maker.evaluate(maker.policy(policy), policy, questions, scored_by, setup)
    return BaseEvidence(
        policy_role=cell.policy_role,
        questions_role=cell.questions_role,
        evaluation=job.outputs["metrics"],
        per_question=job.outputs["per_question"],
        samples=job.inputs["samples"],
        step_scores_report=report,
    )


def run_evidence(maker: JobMaker, needs: Needs, cell: Cell, method: str, seed: int) -> RunEvidence:
    """One run, and the evaluation of its last checkpoint if asked for."""
    names = maker.scale.roles.names()
    policy, questions = names[cell.policy_role], names[cell.questions_role]
    prm = names.get(maker.loaded.prm_role(needs, method))
    watched = {role: names[role] for role in needs.validation if role in names}
    run = maker.run(policy, questions, method, prm, seed, needs.setup, list(watched.values()))
    config = maker.plan.runs[run].config
    prm_id = config.prm if isinstance(config, Train) else None
    evaluation = per_question = report = None
    if needs.evaluate:
        scored_by = prm if method in needs.score_steps else None
        job, report = maker.evaluate(run, policy, questions, scored_by, needs.setup)
        evaluation, per_question = job.outputs["metrics"], job.outputs["per_question"]
    return RunEvidence(
        policy_role=cell.policy_role,
        questions_role=cell.questions_role,
        method=method,
        seed=seed,
        run_id=run,
        metrics=maker.plan.runs[run].outputs["metrics"],
        curve=maker.plan.runs[run].outputs["curve"],
        rollouts=maker.plan.runs[run].outputs["rollouts"],
        evaluation=evaluation,
        per_question=per_question,
        step_scores_report=report,
        prm_report=maker.plan.prms[prm_id].outputs["report"] if prm_id else None,
        validation={role: maker.question_set(name) for role, name in watched.items()},
    )


def rendering(maker: JobMaker, artefact: str) -> Job:
    """The job that draws a figure or prints a table from its analysis table alone."""
    entry = maker.loaded.artefacts[artefact]
    roles = maker.scale.roles
    if entry.kind == "figure":
        folder, suffixes = maker.scale.figures.rstrip("/"), ["pdf", "png", "csv"]
    else:
        folder, suffixes = f"{maker.results}/tables", ["csv", "md"]
    return Job(
        Render(
            artefact=artefact,
            entry=entry,
            scale=maker.scale.scale,
            method_labels={name: maker.loaded.methods[name].label for name in entry.methods},
            policy_labels={role: name for role, name in roles.policies.items() if role in entry.policies},
            question_set_labels={
                role: name
                for role, name in roles.question_sets.items()
                if role in (*entry.question_sets, *entry.transfer, *entry.validation, *entry.base_on)
            },
            confidence=maker.scale.statistics.confidence,
            collapse_threshold=maker.scale.statistics.collapse_threshold,
            evaluation_temperature=maker.loaded.evaluation(entry.setup).temperature,
            training_temperature=maker.loaded.grpo(entry.setup, None).temperature,
        ),
        {"analysis": maker.plan.analyses[artefact].outputs["table"]},
        with_record({suffix: f"{folder}/{artefact}.{suffix}" for suffix in suffixes}),
    )


def ledger(maker: JobMaker, name: str, claim_ids: list[str]) -> Job:
    """The job that decides the claims of one ledger."""
    claims = {}
    for claim_id in claim_ids:
        claim = maker.loaded.claims[claim_id]
        evidence = merged([find_evidence(maker, needs) for needs in claim.all_needs()])
        claims[claim_id] = ClaimWithEvidence(claim=claim, evidence=evidence)
    return Job(
        CheckClaims(scale=maker.scale.scale, claims=claims, statistics=maker.scale.statistics),
        numbered(evidence_files([claim.evidence for claim in claims.values()])),
        with_record({suffix: f"{maker.results}/claims/{name}.{suffix}" for suffix in ("csv", "md", "json")}),
    )


def overlap(maker: JobMaker) -> Job | None:
    """The job that counts the questions which the scale's question sets share; None for fewer than two sets.

    Matched and outvoted questions are those of their base by construction, and would make a page of a report wait for
    samples.
    """
    sets = maker.loaded.questions
    names = [
        name
        for name in sorted(set(maker.scale.roles.question_sets.values()))
        if not isinstance(sets[name].source, MatchedQuestions | OutvotedQuestions)
    ]
    if len(names) < 2:
        return None
    jobs = [maker.plan.questions[maker.question_set(name)] for name in names]
    inputs = {f"questions_{i}": job.outputs["questions"] for i, job in enumerate(jobs)}
    folder = f"{maker.results}/questions"
    outputs = {suffix: f"{folder}/overlap.{suffix}" for suffix in ("csv", "md")}
    return Job(CheckOverlap(question_sets=names), inputs, with_record(outputs))


def evidence_files(evidence: list[Evidence]) -> list[str]:
    """Return all files that `evidence` names, each once, in order."""
    fields = (
        *("evaluation", "per_question", "samples", "step_scores_report"),
        *("metrics", "curve", "rollouts", "prm_report"),
    )
    items = [item for one in evidence for item in (*one.base, *one.runs, *one.transfers)]
    found = [getattr(item, field, None) for item in items for field in fields]
    return list(dict.fromkeys(path for path in found if path))


def numbered(files: list[str]) -> dict[str, str]:
    """Name inputs that have no name of their own."""
    return {f"evidence_{i}": path for i, path in enumerate(files)}
