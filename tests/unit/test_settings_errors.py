"""A mistake in the settings is one line that names the file, the key and what may have been meant."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.settings.load import load_settings

ROOT = Path(__file__).resolve().parents[2]


def mini(text: str = "") -> dict[str, Any]:
    """The mini scale file with the top-level keys of `text` (YAML) laid over it, one level deep."""
    scale = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))
    for key, value in (yaml.safe_load(text) or {}).items():
        scale[key] = {**scale[key], **value} if isinstance(value, dict) and key in scale else value
    return scale


def message(scale: dict[str, Any], root: Path = ROOT) -> str:
    with pytest.raises(UserError) as caught:
        load_settings(scale, root, "config/mine.yaml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_scale_files_are_right_as_they_are() -> None:
    for name in ("mini", "smoke", "paper"):
        path = ROOT / f"config/{name}.yaml"
        load_settings(yaml.safe_load(path.read_text(encoding="utf-8")), ROOT, str(path))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("grpo: {learning_rate: 1e-6}", ["grpo.learning_rate", "a number", "'1e-6'", "1.0e-6"]),
        ("grpo: {learning_rate: .inf}", ["grpo.learning_rate", "finite"]),
        ("track_code: 'false'", ["track_code", "true or false", "--config"]),
        ("n_seeds: '3'", ["n_seeds", "whole number"]),
        ("grpo: {learning_rat: 0.1}", ["grpo.learning_rat", "unknown key", "Did you mean learning_rate?"]),
        ("n_sedes: 3", ["n_sedes", "unknown key", "Did you mean n_seeds?"]),
        ("grpo: {loss: dappo}", ["grpo.loss", "'dappo'", "Did you mean dapo?"]),
        ("grpo: {prompts_per_step: -7}", ["grpo.prompts_per_step", "-7", "greater than or equal to 1"]),
        ("grpo: {n_samples: 1}", ["grpo.n_samples", "got 1", "GRPO needs at least 2"]),
        ("grpo: {n_votes: 8}", ["n_votes must be at least n_samples"]),
        ("grpo: {epochs: 2.0}", ["grpo", "exactly one of epochs and steps"]),
        (
            "grpo: {mini_batches: 2}",
            ["grpo: mini_batches (2) must divide prompts_per_step (7)"],
        ),
        (
            "roles: {policies: {main_policy: clinic_polcy}}",
            ["roles.policies.main_policy", "clinic_polcy", "Did you mean clinic_policy?"],
        ),
        ("roles: {policies: {main_polcy: clinic_policy}}", ["main_polcy", "Did you mean main_policy?"]),
        ("roles: {question_sets: {medqa_5op: clinic}}", ["roles.question_sets.medqa_5op", "Did you mean"]),
        ("headline: [prose_fig11]", ["headline", "prose_fig11", "Did you mean prose_fig1?"]),
        ("headline: []", ["headline", "at least 1"]),
        (
            "methods: {mine: {label: x, reward: {kind: majorty}, paper: x}}",
            ["methods.mine.reward.kind", "majorty", "Did you mean majority?"],
        ),
        (
            "methods: {mine: {label: x, reward: {kind: process, aggregation: max, format_guard: true}, paper: x}}",
            ["methods.mine.reward.aggregation", "'max'", "Known: last, mean, min"],
        ),
        (
            "methods: {mine: {label: x, reward: {kind: majority, guard: true}, paper: x}}",
            ["methods.mine.reward.guard", "unknown key"],
        ),
        (
            "methods: {ttrl: {label: x, reward: {kind: majority}, paper: x}}",
            ["methods.ttrl", "exists already"],
        ),
        (
            "worlds: {hospital: {kind: clinic}}",
            ["worlds.hospital", "is missing"],
        ),
    ],
)
def test_a_wrong_scale_file_names_key_and_remedy(change: str, words: list[str]) -> None:
    text = message(mini(change))
    assert text.startswith("config/mine.yaml: ")
    assert "a mapping" not in text
    for word in words:
        assert word in text, text


def test_a_key_that_is_left_out_is_named() -> None:
    scale = mini()
    del scale["grpo"]["kl_coefficient"]
    assert "grpo.kl_coefficient: is missing" in message(scale)
    scale = mini()
    del scale["roles"]["policies"]
    assert "roles.policies: is missing" in message(scale)


def changed_registry(tmp_path: Path, file: str, old: str, new: str) -> Path:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    path = tmp_path / "config" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "methods.yaml",
            "kind: majority",
            "kind: majoritee",
            ["config/methods.yaml: ttrl.reward.kind", "majority"],
        ),
        (
            "artefacts/prose.yaml",
            "[ttrl, prose]",
            "[ttrll, prose]",
            ["artefact prose_fig1", "Did you mean ttrl?"],
        ),
        ("artefacts/prose.yaml", "[main_policy]", "[main_polic]", ["prose_fig1.policies", "main_policy"]),
        ("artefacts/prose.yaml", "kind: figure", "kind: figur", ["prose_fig1.kind", "Did you mean figure?"]),
        ("models.yaml", "world: clinic", "world: clinc", ["clinic_policy", "Did you mean clinic?"]),
        ("questions.yaml", "n: 100", "n: 0", ["config/questions.yaml: clinic_5op.source.n", "got 0"]),
        (
            "worlds.yaml",
            "filler: 0.03",
            "filler: 3",
            ["config/worlds.yaml: clinic.filler", "less than or equal to 1"],
        ),
        ("methods.yaml", "ttrl:", "ttrl: [", ["config/methods.yaml", "is not YAML"]),
    ],
)
def test_a_wrong_registry_names_file_key_and_remedy(
    tmp_path: Path, file: str, old: str, new: str, words: list[str]
) -> None:
    text = message(mini(), changed_registry(tmp_path, file, old, new))
    for word in words:
        assert word in text, text


def test_a_missing_registry_is_named(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "config/models.yaml").unlink()
    assert "models.yaml: cannot be read" in message(mini(), tmp_path)
