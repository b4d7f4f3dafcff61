"""Making a model directory from a package's GGUF file: what is refused, and that nothing half-written is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflow_scripts import convert_gguf
from workflow_scripts.errors import UserError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an importable package without any model in it."""
    folder = tmp_path / "site" / "invented_package"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('the package is not imported')\n")
    monkeypatch.syspath_prepend(folder.parent)
    return folder


def convert(out: Path, package: str = "invented_package") -> None:
    convert_gguf.main(["--package", package, "--out", str(out)])


def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no_such_package is not installed.*real_input\.lock"):
        convert(tmp_path / "model", "no_such_package")


@pytest.mark.parametrize("files", [[], ["a.gguf", "b.gguf"]])
def test_a_package_needs_exactly_one_gguf_file(tmp_path: Path, package: Path, files: list[str]) -> None:
    for name in files:
        (package / name).write_bytes(b"")
    with pytest.raises(UserError, match=f"{len(files)} files"):
        convert(tmp_path / "model")


def test_an_existing_folder_is_not_touched(tmp_path: Path, package: Path) -> None:
    (package / "a.gguf").write_bytes(b"GGUF")
    (tmp_path / "model").mkdir()
    with pytest.raises(UserError, match="exists already"):
        convert(tmp_path / "model")
    assert not list((tmp_path / "model").iterdir())


@pytest.mark.slow
def test_a_broken_file_is_named_and_leaves_nothing(tmp_path: Path, package: Path) -> None:
    (package / "a.gguf").write_bytes(b"not a model")
    with pytest.raises(UserError, match=r"a\.gguf cannot be read as a model"):
        convert(tmp_path / "models" / "model")
    assert not list((tmp_path / "models").iterdir())


def test_a_missing_reader_is_named(tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "a.gguf").write_bytes(b"GGUF")
    find = convert_gguf.importlib.util.find_spec
    monkeypatch.setattr(
        convert_gguf.importlib.util, "find_spec", lambda name: None if name == "gguf" else find(name)
    )
    with pytest.raises(UserError, match="gguf is not installed"):
        convert(tmp_path / "models" / "model")
    assert not list((tmp_path / "models").iterdir())
