"""Rows, files and models of a hub, through the real client, from a server on this machine. All rows are invented."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.hub_server import Hub, Repository, commit, serving, with_hub

OLD, NEW = commit(1), commit(2)
SPLIT = "data/test-00000-of-00001.parquet"

READ = """
import json, sys
from workflow_scripts.errors import UserError
from workflow_scripts.questions.hub import hub_rows, hub_side_files
from workflow_scripts.settings.question_sets import HubQuestions
source = {"kind": "hub", "split": "test", "shape": "questions", **json.loads(sys.argv[1])}
source = HubQuestions.model_validate(source)
try:
    rows = hub_rows("mine", source, sys.argv[2])
    files = hub_side_files(source, sys.argv[2])
except UserError as error:
    sys.exit(f"error: {error}")
print(json.dumps([[row.where, row.index, row.values] for row in rows]))
print(json.dumps({name: path.read_text() for name, path in files.items()}))
"""

FETCH = """
import sys
from pathlib import Path
from workflow_scripts.errors import UserError
from workflow_scripts.models import fetch_model
from workflow_scripts.settings.models import HubModel
try:
    folder, notes = fetch_model(HubModel(kind="hub", id=sys.argv[1]), Path(sys.argv[3]), Path(sys.argv[2]))
except UserError as error:
    sys.exit(f"error: {error}")
print(sorted(path.name for path in folder.glob("[a-z]*")), notes)
"""


def parquet(*texts: str) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([{"text": text} for text in texts]), file)
    return file.getvalue()


def safetensors() -> bytes:
    header = json.dumps({"w": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}}).encode()
    return len(header).to_bytes(8, "little") + header + b"ab"


@pytest.fixture
def hub() -> Iterator[Hub]:
    rows = b'{"text": "first"}\n{"text": "second"}\n'
    weights = {"config.json": b"{}", "tokenizer.json": b"{}", "model.safetensors": safetensors()}
    cut = {**weights, "model.safetensors": safetensors()[:-1]}
    repositories = {
        "datasets/org/set": Repository({OLD: {SPLIT: parquet("old", "older")}, NEW: {SPLIT: parquet("new")}}),
        "datasets/org/files": Repository({OLD: {"raw/rows.jsonl": rows, "more/extra.json": b"[1]"}}),
        "datasets/org/gated": Repository({OLD: {SPLIT: parquet("hidden"), "rows.jsonl": rows}}, gated=True),
        "models/org/model": Repository({OLD: weights}),
        "models/org/cut": Repository({OLD: cut}),
        "models/org/gated": Repository({OLD: weights}, gated=True),
    }
    with serving(repositories) as served:
        yield served


def read(hub: Hub, home: Path, revision: str, **source: object) -> list[object]:
    done = with_hub(hub.address, home, "-c", READ, json.dumps(source), revision)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def refused(hub: Hub, home: Path, *arguments: str, code: str = READ, **environment: str) -> str:
    done = with_hub(hub.address, home, "-c", code, *arguments, **environment)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_a_split_is_read_at_its_commit_though_the_hub_has_moved_on(hub: Hub, tmp_path: Path) -> None:
    rows, _ = read(hub, tmp_path, OLD, id="org/set")
    assert rows == [
        ["org/set (test), row 1", 0, {"text": "old"}],
        ["org/set (test), row 2", 1, {"text": "older"}],
    ]
    rows, _ = read(hub, tmp_path, NEW, id="org/set")
    assert rows == [["org/set (test), row 1", 0, {"text": "new"}]]


def test_without_the_hub_a_cached_commit_never_stands_for_another(hub: Hub, tmp_path: Path) -> None:
    """`datasets` itself would return the newest that it has."""
    read(hub, tmp_path, OLD, id="org/set")
    source = json.dumps({"id": "org/set"})
    cached = with_hub(hub.address, tmp_path, "-c", READ, source, OLD, HF_HUB_OFFLINE="1")
    assert [row[2]["text"] for row in json.loads(cached.stdout.splitlines()[0])] == ["old", "older"]
    message = refused(hub, tmp_path, source, NEW, HF_HUB_OFFLINE="1")
    assert message.startswith(
        f"error: question set mine: cannot load org/set at {NEW[:12]}: HF_HUB_OFFLINE is set"
    )


def test_a_file_that_is_no_table_is_read_as_a_local_one_and_side_files_lie_beside_it(
    hub: Hub, tmp_path: Path
) -> None:
    rows, files = read(
        hub, tmp_path, OLD, id="org/files", file="raw/rows.jsonl", side_files={"extra": "more/extra.json"}
    )
    assert rows == [
        ["org/files/raw/rows.jsonl, line 1", 0, {"text": "first"}],
        ["org/files/raw/rows.jsonl, line 2", 1, {"text": "second"}],
    ]
    assert files == {"extra": "[1]"}


@pytest.mark.parametrize(
    ("source", "revision", "words"),
    [
        ({"id": "org/gated"}, OLD, ["org/gated", "it is gated", "/datasets/org/gated", "hf auth login"]),
        (
            {"id": "org/gated", "file": "rows.jsonl"},
            OLD,
            ["org/gated/rows.jsonl", "it is gated", "hf auth login"],
        ),
        ({"id": "org/nothing"}, OLD, ["org/nothing", "no such repository", "Check `id`"]),
        ({"id": "org/set", "split": "tests"}, OLD, ["Unknown split", "tests", "/datasets/org/set"]),
        ({"id": "org/files", "file": "x.jsonl"}, OLD, ["org/files/x.jsonl", "no such file"]),
        ({"id": "org/files", "file": "raw/rows.jsonl"}, commit(9), ["does not have this revision"]),
    ],
    ids=["gated split", "gated file", "no repository", "no split", "no file", "no revision"],
)
def test_a_data_set_that_cannot_be_had_is_one_line_with_the_remedy(
    hub: Hub, tmp_path: Path, source: dict[str, str], revision: str, words: list[str]
) -> None:
    message = refused(hub, tmp_path, json.dumps(source), revision)
    for word in ["error: ", *words]:
        assert word in message


def pin_file(folder: Path, source_id: str, revision: str = OLD) -> str:
    path = folder / "pin.json"
    path.write_text(json.dumps({"id": source_id, "kind": "models", "revision": revision}))
    return str(path)


def test_a_model_is_downloaded_at_the_commit_of_its_pin(hub: Hub, tmp_path: Path) -> None:
    place = str(tmp_path / "model")
    done = with_hub(hub.address, tmp_path, "-c", FETCH, "org/model", pin_file(tmp_path, "org/model"), place)
    names = ["config.json", "model.safetensors", "tokenizer.json"]
    assert done.stdout.strip() == f"{names} {{'revision': '{OLD}'}}", done.stderr


@pytest.mark.parametrize(
    ("asked", "pinned", "revision", "words"),
    [
        ("org/gated", "org/gated", OLD, ["model org/gated", "it is gated", "hf auth login"]),
        ("org/nothing", "org/nothing", OLD, ["model org/nothing", "no such repository"]),
        ("org/cut", "org/cut", OLD, ["model.safetensors is broken or cut off"]),
        ("org/model", "org/other", OLD, ["--revision", "no commit of org/model", "org/other"]),
        ("org/model", "org/model", "main", ["--revision", "no commit of org/model", "'main'"]),
    ],
    ids=["gated", "no repository", "cut off", "pin of another", "pin without commit"],
)
def test_a_model_that_cannot_be_had_is_one_line(
    hub: Hub, tmp_path: Path, asked: str, pinned: str, revision: str, words: list[str]
) -> None:
    arguments = (asked, pin_file(tmp_path, pinned, revision), str(tmp_path / "model"))
    message = refused(hub, tmp_path, *arguments, code=FETCH)
    for word in ["error: ", *words]:
        assert word in message
