"""Checks every claim against the evidence: each part's quantity, its interval, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workflow_scripts.analysis.quantities import Estimate, NoEvidence, NotComparable, estimate
from workflow_scripts.analysis.verdicts import NOT_RUN, UNDECIDED, Verdict, combine, judge
from workflow_scripts.settings.claims import Part
from workflow_scripts.settings.evidence import ClaimSpec, ClaimWithEvidence
from workflow_scripts.settings.training import StatisticsSpec


@dataclass(frozen=True)
class CheckedPart:
    """One condition of a claim on one policy and question set; `estimate` is None where `reason` says why."""

    part: Part
    policy_role: str
    questions_role: str
    estimate: Estimate | None
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class CheckedClaim:
    """A claim, its parts, and the verdict of them all."""

    id: str
    claim: ClaimSpec
    parts: Sequence[CheckedPart]
    verdict: Verdict


def check_claim(claim_id: str, item: ClaimWithEvidence, statistics: StatisticsSpec) -> CheckedClaim:
    """Check one claim on every policy role and question set role that it needs."""
    parts = [
        _check_part(part, item, policy_role, questions_role, statistics)
        for policy_role in item.claim.needs.policies
        for questions_role in item.claim.needs.question_sets
        for part in item.claim.parts
    ]
    return CheckedClaim(claim_id, item.claim, parts, combine([part.verdict for part in parts]))


def _check_part(
    part: Part, item: ClaimWithEvidence, policy_role: str, questions_role: str, statistics: StatisticsSpec
) -> CheckedPart:
    try:
        found = estimate(part.quantity.terms(), item.evidence, policy_role, questions_role, statistics)
    except NoEvidence as error:
        return CheckedPart(part, policy_role, questions_role, None, NOT_RUN, str(error))
    except NotComparable as error:
        return CheckedPart(part, policy_role, questions_role, None, UNDECIDED, str(error))
    verdict = judge(part.test, part.threshold, found.low, found.high, list(found.by_seed.values()))
    return CheckedPart(part, policy_role, questions_role, found, verdict, _reason(part, found, verdict))


def _reason(part: Part, found: Estimate, verdict: Verdict) -> str:
    if verdict != UNDECIDED:
        return ""
    if judge(part.test, part.threshold, found.low, found.high, []) != UNDECIDED:
        return "the seeds do not agree"
    return "the interval covers the threshold"
