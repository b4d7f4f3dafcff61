"""config/examples/medqa_smollm2.yaml: a complete scale with its own model, questions and table."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
import yaml

from workflow_scripts.analysis.recipes import recipe
from workflow_scripts.artefacts.medqa_smollm2 import TABLE
from workflow_scripts.artefacts.method_table import markdown, tabulate
from workflow_scripts.artefacts.names import check_renderable
from workflow_scripts.errors import UserError
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.evidence import Render
from workflow_scripts.settings.load import load_settings
from workflow_scripts.settings.plan import resolve
from workflow_scripts.settings.schema_file import schema

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scale() -> dict[str, Any]:
    text = (ROOT / "config/examples/medqa_smollm2.yaml").read_text(encoding="utf-8")
    return copy.deepcopy(yaml.safe_load(text))


def test_it_follows_the_schema(scale: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema()).validate(scale)


def test_it_asks_for_one_run_and_two_evaluations_without_a_process_reward_model(
    scale: dict[str, Any],
) -> None:
    plan = resolve(load_settings(scale, ROOT))
    assert (len(plan.runs), len(plan.evaluations), len(plan.prms)) == (1, 2, 0)
    check_renderable("medqa_smollm2", plan.settings.artefacts["medqa_smollm2"])
    assert recipe("medqa_smollm2").final


def test_its_table_has_no_columns_for_a_paper_and_marks_the_best_accuracy_alone(
    scale: dict[str, Any],
) -> None:
    config = resolve(load_settings(scale, ROOT)).renderings["medqa_smollm2"].config
    assert isinstance(config, Render)
    place = {"policy_role": "main_policy", "questions_role": "medqa_4op", "low": 0.0, "high": 1.0, "sd": None}
    rows = [
        {
            **place,
            "method": method,
            "seed": seed,
            "metric": metric,
            "value": value,
            "n": 16,
            "k": 4,
            "n_seeds": n,
        }
        for method, seed, value, n in (("base", None, 0.25, None), ("ttrl", "mean", 0.5, 1))
        for metric in TABLE.metrics
    ]
    text = markdown(TABLE, tabulate(TABLE, pd.DataFrame(rows), config, []), config)
    assert "| method | avg@4 | maj@4 | unparseable | distinct responses |" in text
    assert "| TTRL | **0.500** [0.000, 1.000] | **0.500** [0.000, 1.000] | 0.500 [0.000, 1.000] |" in text
    assert "aper" not in text


def test_its_prompt_shows_the_question_and_every_option(scale: dict[str, Any]) -> None:
    prompt = load_settings(scale, ROOT).questions["medqa_4op_first_16"].prompt
    question = UnlabelledQuestion(
        "q", "s", "Which thins blood?", {"A": "Zinc", "B": "Warfarin"}, "choice", {}
    )
    system, message = render_prompt(question, prompt)
    assert system["role"] == "system"
    assert "Which thins blood?\n\nOptions:\n(A) Zinc\n(B) Warfarin\n\n" in message["content"]


def test_another_file_or_the_hub_is_another_question_set_at_another_path(scale: dict[str, Any]) -> None:
    ids = set()
    for source in (
        None,
        {"kind": "local", "path": "elsewhere/test.jsonl", "shape": "medqa"},
        {"kind": "hub", "id": "GBaker/MedQA-USMLE-4-options", "split": "test", "revision": "0" * 40}
        | {"shape": "medqa"},
    ):
        if source:
            scale["questions"]["medqa_4op_first_16"]["source"] = source
        ids |= set(resolve(load_settings(scale, ROOT)).questions)
    assert len(ids) == 3


def test_an_artefact_of_a_registry_cannot_be_replaced(scale: dict[str, Any]) -> None:
    scale["artefacts"]["prose_table3"] = scale["artefacts"]["medqa_smollm2"]
    with pytest.raises(UserError, match=r"artefacts\.prose_table3: exists already"):
        load_settings(scale, ROOT)
