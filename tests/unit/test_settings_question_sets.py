"""A mistake in an entry of a question set or a model is one line that names the entry and the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.settings.load import load_settings

ROOT = Path(__file__).resolve().parents[2]
LOCAL = {"kind": "local", "path": "rows.json", "shape": "problem"}
FREE = {"source": LOCAL, "prompt": {"user": "{text}"}, "answer": {"kind": "number"}, "licence": "none"}
MATCHED = {
    **FREE,
    "source": {"kind": "matched", "of": "free"},
    "answer": {"kind": "choice"},
    "options": {"n": 4, "seed": 0},
}
PATIENTS = {
    **FREE,
    "source": {**LOCAL, "shape": "ddxplus", "side_files": {"evidences": "e.json", "conditions": "c.json"}},
    "answer": {"kind": "choice"},
    "options": {"n": 5, "seed": 0},
}
HUB = {"kind": "hub", "id": "org/set", "split": "test", "shape": "problem"}


def load(**questions: Any) -> None:
    scale = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))
    load_settings({**scale, "questions": {"free": FREE, **questions}}, ROOT, "config/mine.yaml")


def changed(entry: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """`entry` with other values; those of `source` are laid over the entry's own."""
    source = {**entry["source"], **changes.pop("source", {})}
    return {**entry, **changes, "source": source}


def test_right_entries_are_taken() -> None:
    load(
        mine=MATCHED,
        policy=changed(MATCHED, source={"wrong_answers_of": "llama_3_1_8b"}),
        patients=PATIENTS,
        hub={**FREE, "source": HUB},
        short={**FREE, "source": {**HUB, "id": "gsm8k"}},
    )


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (changed(MATCHED, source={"of": "fre"}), "source.of: unknown question set 'fre'. Did you mean free?"),
        (changed(MATCHED, source={"of": "mine"}), "source.of: mine is made of mine itself"),
        (changed(MATCHED, source={"of": "medqa_5op"}), "source.of: the answers of medqa_5op are of kind choice"),
        (changed(MATCHED, answer={"kind": "number"}), "answer.kind: number is not allowed"),
        (changed(MATCHED, options=None), "options: is missing: matched questions need the number"),
        (changed(MATCHED, options={"seed": 0}), "options.n: is missing: matched questions need the number"),
        (
            changed(MATCHED, source={"wrong_answers_of": "clinic_polcy"}),
            "source.wrong_answers_of: unknown policy 'clinic_polcy'. Did you mean clinic_policy?",
        ),
        (changed(PATIENTS, options=None), "options: is missing: ddxplus questions need the number"),
        (changed(PATIENTS, options={"seed": 0}), "options.n: is missing: ddxplus questions need the number"),
        (changed(PATIENTS, source={"shape": "gpqa", "side_files": {}}), "options.n: is not allowed: gpqa questions"),
        ({**FREE, "options": {"seed": 0}}, "options: is not allowed: problem questions keep theirs"),
        (changed(PATIENTS, source={"shape": "gpqa", "side_files": {}}, options=None), "the shape gpqa needs a seed"),
        (changed(PATIENTS, source={"side_files": {"evidences": "e.json"}}), "source.side_files.conditions: is missing"),
        (
            changed(PATIENTS, source={"side_files": {"evidences": "e", "conditions": "c", "condition": "c"}}),
            "source.side_files.condition: the shape ddxplus has no such file. Did you mean conditions?",
        ),
        (changed(FREE, source={"side_files": {"more": "x.json"}}), "source.side_files.more: the shape problem has no"),
        ({**FREE, "source": {**HUB, "id": "data/a/b"}}, "source.id: 'data/a/b' is no id of the hub"),
        ({**FREE, "source": {**HUB, "id": "../set"}}, "source.id: '../set' is no id of the hub"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_one_line(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as caught:
        load(mine=entry)
    message = str(caught.value)
    assert message.startswith("question set mine: ")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"subset": {"n": 5, "skp": 3}}, "questions.mine.subset.skp: unknown key. Did you mean skip?"),
        ({"subset": {"skip": 3}}, "questions.mine.subset.n: is missing"),
        ({"subset": 0}, "questions.mine.subset: should be greater than or equal to 1, got 0"),
        ({"answer": {"kind": "number", "acept": "boxed"}}, "questions.mine.answer.acept: unknown key. Did you mean"),
        ({"source": {**HUB, "shpae": "problem"}}, "questions.mine.source.shpae: unknown key. Did you mean shape?"),
    ],
)  # fmt: skip
def test_a_wrong_key_in_one_of_several_forms_is_named(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as caught:
        load(mine={**FREE, **change})
    assert str(caught.value).startswith(f"config/mine.yaml: {problem}")


def test_a_model_that_is_no_id_of_the_hub_is_named() -> None:
    scale = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))
    model = {"source": {"kind": "hub", "id": "models/a/b"}, "dtype": "float32"}
    with pytest.raises(UserError, match=r"policy mine: source\.id: 'models/a/b' is no id of the hub"):
        load_settings({**scale, "models": {"policies": {"mine": model}}}, ROOT)
