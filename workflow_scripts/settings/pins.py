"""Sources of the hub whose entry names no commit: each is resolved once, by a job of its own."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workflow_scripts.settings.base import Strict
from workflow_scripts.settings.models import HubModel
from workflow_scripts.settings.question_sets import HubQuestions

Kind = Literal["datasets", "models"]
"""The two kinds of repositories, as the hub's addresses name them."""


class PinRevision(Strict):
    """Step `pin_revisions`: the repository whose commit is asked for. The commit is no part of any id."""

    kind: Kind
    id: str = Field(description="as on the hub: name or owner/name")

    @property
    def key(self) -> str:
        """Key in config/revisions.lock.yaml."""
        return f"{self.kind}/{self.id}"

    @property
    def path(self) -> str:
        """The same as a path of two parts; no hub id contains `--`."""
        return f"{self.kind}/{self.id.replace('/', '--')}"


def needed_pin(source: object) -> PinRevision | None:
    """Return what has to be resolved before `source` is read; None if it names its commit, or needs none."""
    match source:
        case HubQuestions(id=id, revision=None):
            return PinRevision(kind="datasets", id=id)
        case HubModel(id=id, revision=None):
            return PinRevision(kind="models", id=id)
    return None
