"""From settings to jobs: every file of the DAG, who makes it, from what, with which configuration.

The Snakefile looks jobs up in the plan. Nothing is read or written here.
"""

from __future__ import annotations

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
)
from workflow_scripts.settings.job import Job, Plan, with_record
from workflow_scripts.settings.job_maker import JobMaker
from workflow_scripts.settings.load import DEFAULT_PRM, NO_PRM_NEEDED, Configuration
from workflow_scripts.settings.specs import MatchedQuestions
from workflow_scripts.settings.steps import CheckOverlap

__all__ = ["Job", "Plan", "resolve"]


def resolve(configuration: Configuration) -> Plan:
    """Return the plan of everything that the configuration's artefacts and claims need."""
    maker = JobMaker(configuration)
    for artefact, entry in configuration.artefacts.items():
        evidence = find_evidence(maker, entry)
        maker.plan.analyses[artefact] = Job(
            Analyse(artefact=artefact, evidence=evidence, statistics=maker.scale.statistics),
            numbered(evidence_files([evidence])),
            with_record({"table": f"{maker.results}/analysis/{artefact}.csv"}),
        )
        maker.plan.renderings[artefact] = rendering(maker, artefact)
    if configuration.claims:
        maker.plan.claims = ledger(maker)
    maker.plan.overlap = overlap(maker)
    return maker.plan


def find_evidence(maker: JobMaker, needs: Needs) -> Evidence:
    """Add the jobs that `needs` asks for, and return their files; what lacks a role is listed as not run."""
    found = Evidence(base=[], runs=[], not_run=[])
    for policy_role in needs.policies:
        for questions_role in needs.question_sets:
            for method in [*([None] if needs.base else []), *needs.methods]:
                lacking = lacking_roles(maker, needs, policy_role, questions_role, method)
                if lacking:
                    reason = f"the scale {maker.scale.scale} has no {', no '.join(lacking)}"
                    found.not_run.append(
                        NotRun(
                            policy_role=policy_role,
                            questions_role=questions_role,
                            method=method,
                            reason=reason,
                        )
                    )
                elif method is None:
                    found.base.append(base_evidence(maker, needs, policy_role, questions_role))
                else:
                    found.runs.extend(
                        run_evidence(maker, needs, policy_role, questions_role, method, seed)
                        for seed in range(maker.scale.n_seeds if needs.seeds == "all" else 1)
                    )
    return found


def lacking_roles(
    maker: JobMaker, needs: Needs, policy_role: str, questions_role: str, method: str | None
) -> list[str]:
    """Return the roles that one cell needs and the scale does not fill."""
    needed = [policy_role, questions_role]
    if method and maker.loaded.methods[method].reward.kind not in NO_PRM_NEEDED:
        needed.append(needs.prm or DEFAULT_PRM)
    return [role for role in needed if role not in maker.scale.roles.names()]


def base_evidence(maker: JobMaker, needs: Needs, policy_role: str, questions_role: str) -> BaseEvidence:
    """The unadapted policy on one question set."""
    names = maker.scale.roles.names()
    policy, questions = names[policy_role], names[questions_role]
    scored_by = names.get(needs.prm or DEFAULT_PRM) if "base" in needs.score_steps else None
    job, report = maker.evaluate(maker.policy(policy), policy, questions, scored_by)
    return BaseEvidence(
        policy_role=policy_role,
        questions_role=questions_role,
        evaluation=job.outputs["metrics"],
        per_question=job.outputs["per_question"],
        step_scores_report=report,
    )


def run_evidence(
    maker: JobMaker, needs: Needs, policy_role: str, questions_role: str, method: str, seed: int
) -> RunEvidence:
    """One run, and the evaluation of its last checkpoint if asked for."""
    names = maker.scale.roles.names()
    policy, questions = names[policy_role], names[questions_role]
    prm = names.get(needs.prm or DEFAULT_PRM)
    run = maker.run(policy, questions, method, prm, seed)
    evaluation = per_question = report = None
    if needs.evaluate:
        job, report = maker.evaluate(run, policy, questions, prm if method in needs.score_steps else None)
        evaluation, per_question = job.outputs["metrics"], job.outputs["per_question"]
    return RunEvidence(
        policy_role=policy_role,
        questions_role=questions_role,
        method=method,
        seed=seed,
        run_id=run,
        metrics=maker.plan.runs[run].outputs["metrics"],
        curve=maker.plan.runs[run].outputs["curve"],
        rollouts=maker.plan.runs[run].outputs["rollouts"],
        evaluation=evaluation,
        per_question=per_question,
        step_scores_report=report,
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
                role: name for role, name in roles.question_sets.items() if role in entry.question_sets
            },
            confidence=maker.scale.statistics.confidence,
            evaluation_temperature=maker.scale.evaluation.temperature,
            training_temperature=maker.scale.grpo.temperature,
        ),
        {"analysis": maker.plan.analyses[artefact].outputs["table"]},
        with_record({suffix: f"{folder}/{artefact}.{suffix}" for suffix in suffixes}),
    )


def ledger(maker: JobMaker) -> Job:
    """The job that decides every claim."""
    claims = {
        name: ClaimWithEvidence(claim=claim, evidence=find_evidence(maker, claim.needs))
        for name, claim in maker.loaded.claims.items()
    }
    folder = f"{maker.results}/claims"
    return Job(
        CheckClaims(scale=maker.scale.scale, claims=claims, statistics=maker.scale.statistics),
        numbered(evidence_files([claim.evidence for claim in claims.values()])),
        with_record({suffix: f"{folder}/ledger.{suffix}" for suffix in ("csv", "md", "json")}),
    )


def overlap(maker: JobMaker) -> Job | None:
    """The job that counts the questions which the scale's question sets share; None for fewer than two sets.

    Matched questions are those of their base by construction, and would make a page of a report wait for samples.
    """
    sets = maker.loaded.questions
    names = [
        name
        for name in sorted(set(maker.scale.roles.question_sets.values()))
        if not isinstance(sets[name].source, MatchedQuestions)
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
    fields = ("evaluation", "per_question", "step_scores_report", "metrics", "curve", "rollouts")
    items = [item for one in evidence for item in (*one.base, *one.runs)]
    found = [getattr(item, field, None) for item in items for field in fields]
    return list(dict.fromkeys(path for path in found if path))


def numbered(files: list[str]) -> dict[str, str]:
    """Name inputs that have no name of their own."""
    return {f"evidence_{i}": path for i, path in enumerate(files)}
