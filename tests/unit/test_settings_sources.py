"""A stage's source files: everything it imports, nothing that only other stages use."""

from __future__ import annotations

from pathlib import Path

from workflow_scripts.settings.sources import stage_sources

ROOT = Path(__file__).resolve().parents[2]


def package(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / "workflow_scripts" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_imports_are_followed_through_functions_packages_and_names(tmp_path: Path) -> None:
    root = package(
        tmp_path,
        step="def main():\n    from workflow_scripts.deep.one import f\n    from workflow_scripts import plain\n",
        plain="import json\nLATE = 'workflow_scripts.late'\n",
        late="",
        unused="",
        deep__one="import workflow_scripts.deep.two\n",
        deep__two="",
        deep__three="",
    )
    (root / "workflow_scripts/deep/__init__.py").touch()
    assert stage_sources("step", root) == [
        "workflow_scripts/deep/__init__.py",
        "workflow_scripts/deep/one.py",
        "workflow_scripts/deep/two.py",
        "workflow_scripts/late.py",
        "workflow_scripts/plain.py",
        "workflow_scripts/step.py",
    ]


def test_training_depends_on_rewards_and_not_on_the_plan() -> None:
    files = stage_sources("train", ROOT)
    assert any(file.startswith("workflow_scripts/rewards/") for file in files)
    assert "workflow_scripts/settings/steps.py" in files
    assert "workflow_scripts/settings/plan.py" not in files
    assert not any(file.startswith("workflow_scripts/artefacts/") for file in files)
