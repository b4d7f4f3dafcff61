"""Write config/schema.json, the JSON schema of everything that people and jobs write as settings.

The root describes a scale file. `$defs` holds the registries' files (`WorldsFile`, ...) and each step's `--config`.
`python -m workflow_scripts.settings.schema_file` writes it again; a test keeps it in sync.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import RootModel
from pydantic.json_schema import models_json_schema

from workflow_scripts.files import write_json
from workflow_scripts.settings.base import Name
from workflow_scripts.settings.deviations import DeviationsFile
from workflow_scripts.settings.evidence import Analyse, ArtefactEntry, CheckClaims, ClaimSpec, Render
from workflow_scripts.settings.methods import MethodSpec
from workflow_scripts.settings.pages import ReportPage
from workflow_scripts.settings.question_sets import QuestionSetSpec
from workflow_scripts.settings.scale import ModelRegistry, Settings
from workflow_scripts.settings.steps import (
    CheckOverlap,
    Evaluate,
    PreparePolicy,
    PrepareQuestions,
    Sample,
    ScoreSteps,
    Train,
    TrainPrm,
)
from workflow_scripts.settings.worlds import World

PATH = Path("config/schema.json")


class WorldsFile(RootModel[dict[Name, World]]):
    """config/worlds.yaml."""


class QuestionsFile(RootModel[dict[Name, QuestionSetSpec]]):
    """config/questions.yaml."""


class MethodsFile(RootModel[dict[Name, MethodSpec]]):
    """config/methods.yaml."""


class ArtefactsFile(RootModel[dict[Name, ArtefactEntry]]):
    """config/artefacts/*.yaml."""


class ClaimsFile(RootModel[dict[Name, ClaimSpec]]):
    """config/claims.yaml."""


FILES = (WorldsFile, QuestionsFile, ModelRegistry, MethodsFile, ArtefactsFile, ClaimsFile, DeviationsFile)
STEPS = (
    PrepareQuestions,
    PreparePolicy,
    TrainPrm,
    Sample,
    ScoreSteps,
    Train,
    Evaluate,
    Analyse,
    Render,
    CheckClaims,
    CheckOverlap,
    ReportPage,
)


def schema() -> dict[str, Any]:
    """Return the whole schema."""
    _, shared = models_json_schema([(model, "validation") for model in (Settings, *FILES, *STEPS)])
    definitions = shared["$defs"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions.pop("Settings"),
        "$defs": definitions,
    }


if __name__ == "__main__":
    write_json(PATH, schema())
