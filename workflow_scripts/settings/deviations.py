"""Where a paper, its public code and this repository differ or where a paper says nothing (config/deviations.yaml)."""

from __future__ import annotations

from typing import Literal

from pydantic import RootModel

from workflow_scripts.settings.base import Name, Strict


class Deviation(Strict):
    """One decision: what the sources say, what is done here, how to do it the other way, and why."""

    paper: Literal["prose", "urlvr", "covo"]
    artefacts: list[Name]
    topic: str
    paper_says: str
    public_code: str | None = None
    here: str
    switch: str | None = None
    why: str


class DeviationsFile(RootModel[dict[Name, Deviation]]):
    """config/deviations.yaml."""
