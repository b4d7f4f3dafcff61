"""config/schema.json says what the models say, and every committed settings file follows them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from workflow_scripts.settings.deviations import DeviationsFile
from workflow_scripts.settings.schema_file import schema

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "worlds.yaml": "WorldsFile",
    "questions.yaml": "QuestionsFile",
    "models.yaml": "ModelRegistry",
    "methods.yaml": "MethodsFile",
    "artefacts/beyond.yaml": "ArtefactsFile",
    "artefacts/prose.yaml": "ArtefactsFile",
    "claims.yaml": "ClaimsFile",
    "deviations.yaml": "DeviationsFile",
}


def test_the_committed_schema_is_the_generated_one() -> None:
    committed = json.loads((ROOT / "config/schema.json").read_text(encoding="utf-8"))
    assert committed == schema(), "run `make schema`"


@pytest.mark.parametrize("name", ["mini", "smoke", "paper"])
def test_scale_files_follow_the_schema(name: str) -> None:
    scale = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema()).validate(scale)


@pytest.mark.parametrize("file", FILES)
def test_registries_follow_the_schema(file: str) -> None:
    whole = schema()
    part = {"$ref": f"#/$defs/{FILES[file]}", "$defs": whole["$defs"]}
    data = yaml.safe_load((ROOT / "config" / file).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(part).validate(data)


def test_deviations_name_artefacts_that_exist() -> None:
    text = (ROOT / "config/deviations.yaml").read_text(encoding="utf-8")
    deviations = DeviationsFile.model_validate(yaml.safe_load(text)).root
    artefacts = set()
    for path in (ROOT / "config/artefacts").glob("*.yaml"):
        artefacts |= set(yaml.safe_load(path.read_text(encoding="utf-8")))
    assert deviations
    for deviation in deviations.values():
        assert set(deviation.artefacts) <= artefacts
