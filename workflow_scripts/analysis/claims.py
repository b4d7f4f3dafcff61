"""Checks every claim against the evidence: each part's quantity, its interval, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workflow_scripts.analysis.quantities import Estimate, estimate
from workflow_scripts.analysis.terms import NoEvidence, NotComparable
from workflow_scripts.analysis.verdicts import NOT_RUN, UNDECIDED, Verdict, combine, judge
from workflow_scripts.settings.claims import Part
from workflow_scripts.settings.evidence import ClaimSpec, ClaimWithEvidence
from workflow_scripts.settings.training import StatisticsSpec


@dataclass(frozen=True)
class CheckedPart:
    """One condition of a claim in its cell or cells; `estimate` is None where `reason` says why."""

    part: Part
    policy_roles: Sequence[str]
    question_roles: Sequence[str]
    estimate: Estimate | None
    verdict: Verdict
    reason: str

    @property
    def policy_role(self) -> str:
        """The policy role, or all of them."""
        return ", ".join(self.policy_roles)

    @property
    def questions_role(self) -> str:
        """The question set role, or all of them."""
        return ", ".join(self.question_roles)


@dataclass(frozen=True)
class CheckedClaim:
    """A claim, its parts, and the verdict of those that decide."""

    id: str
    claim: ClaimSpec
    parts: Sequence[CheckedPart]
    verdict: Verdict


def check_claim(claim_id: str, item: ClaimWithEvidence, statistics: StatisticsSpec) -> CheckedClaim:
    """Check every part of one claim in its cells."""
    parts = [
        _check_part(part, item, policy_roles, question_roles, statistics)
        for part in item.claim.parts
        for policy_roles, question_roles in part_cells(part, item.claim)
    ]
    deciding = [checked.verdict for checked in parts if checked.part.decides]
    return CheckedClaim(claim_id, item.claim, parts, combine(deciding))


def part_cells(part: Part, claim: ClaimSpec) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the policy roles and question set roles of each test: one of each, or those that it goes across."""
    policies = part.policies or claim.needs.policies
    question_sets = part.question_sets or claim.needs.question_sets
    match part.across:
        case "count":
            yield policies, question_sets
        case "mean":
            yield from (([policy], question_sets) for policy in policies)
        case _:
            yield from (([policy], [questions]) for policy in policies for questions in question_sets)


def _check_part(
    part: Part,
    item: ClaimWithEvidence,
    policy_roles: list[str],
    question_roles: list[str],
    statistics: StatisticsSpec,
) -> CheckedPart:
    try:
        found = estimate(
            part.quantity, item.evidence, policy_roles, question_roles, statistics, across=part.across
        )
    except NoEvidence as error:
        return CheckedPart(part, policy_roles, question_roles, None, NOT_RUN, str(error))
    except NotComparable as error:
        return CheckedPart(part, policy_roles, question_roles, None, UNDECIDED, str(error))
    verdict = judge(
        part.test, part.threshold, found.value, found.low, found.high, list(found.by_seed.values())
    )
    return CheckedPart(part, policy_roles, question_roles, found, verdict, _reason(part, found, verdict))


def _reason(part: Part, found: Estimate, verdict: Verdict) -> str:
    if verdict != UNDECIDED:
        return ""
    if judge(part.test, part.threshold, found.value, found.low, found.high, []) != UNDECIDED:
        return "the seeds do not agree"
    return "the interval covers the threshold"
