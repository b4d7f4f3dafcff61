"""One job, and the plan that holds all of them by id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from workflow_scripts.settings.base import Strict
from workflow_scripts.settings.configuration import Configuration
from workflow_scripts.settings.identity import canonical_json, identity


class Samples(NamedTuple):
    """Key of a job on samples: who wrote them (policy id or run id), and which ones."""

    owner: str
    sid: str


@dataclass(frozen=True)
class Job:
    """One job: the configuration it gets, and named paths relative to the repository."""

    config: Strict
    inputs: dict[str, str]
    outputs: dict[str, str]

    @property
    def json(self) -> str:
        """The configuration as the job's one canonical argument."""
        return canonical_json(self.config.model_dump(mode="json"))

    @property
    def identity(self) -> str:
        """The part of it that changes numbers, as JSON."""
        return canonical_json(identity(self.config))


@dataclass
class Plan:
    """All jobs that the artefacts and claims of a configuration can ask for, by id."""

    settings: Configuration
    revisions: dict[str, Job] = field(
        default_factory=dict
    )  # by `datasets/<id>` or `models/<id>`, "/" in it as "--"
    questions: dict[str, Job] = field(default_factory=dict)
    policies: dict[str, Job] = field(default_factory=dict)
    prms: dict[str, Job] = field(default_factory=dict)
    samples: dict[Samples, Job] = field(default_factory=dict)
    step_scores: dict[tuple[Samples, str], Job] = field(default_factory=dict)
    runs: dict[str, Job] = field(default_factory=dict)
    evaluations: dict[tuple[str, str], Job] = field(default_factory=dict)  # by owner and evaluation id
    analyses: dict[str, Job] = field(default_factory=dict)
    renderings: dict[str, Job] = field(default_factory=dict)
    ledgers: dict[str, Job] = field(default_factory=dict)  # of claims: `all`, and those of `headline`
    overlap: Job | None = None

    def jobs(self) -> Iterator[Job]:
        """All of them, most producers before their consumers."""
        yield from self.revisions.values()
        for group in (self.questions, self.policies, self.prms, self.runs, self.samples, self.step_scores):
            yield from group.values()
        yield from self.evaluations.values()
        yield from self.analyses.values()
        yield from self.renderings.values()
        yield from self.ledgers.values()
        if self.overlap is not None:
            yield self.overlap


def with_record(outputs: dict[str, str]) -> dict[str, str]:
    """Add the provenance record, which stands beside the first output."""
    first = next(iter(outputs.values()))
    return {**outputs, "record": f"{first}.prov.json"}
