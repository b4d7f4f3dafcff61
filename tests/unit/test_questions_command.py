"""The command `prepare_questions`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.prepare_questions import main
from workflow_scripts.questions.schema import Question, read_questions, write_questions
from workflow_scripts.questions.tables import Row

ROW = {"question": "Which?", "options": {"A": "Zinc", "B": "Iron"}, "answer_idx": "B", "answer": "Iron"}


def config(path: Path, user: str = "{text}\n{options}") -> str:
    question_set = {
        "source": {"kind": "local", "path": str(path), "shape": "medqa"},
        "prompt": {"user": user},
        "answer": {"kind": "choice"},
        "licence": "invented",
    }
    return json.dumps({"name": "tiny", "question_set": question_set, "world": None})


def write(path: Path, row: dict) -> Path:
    path.write_text(json.dumps(row), encoding="utf-8")
    return path


def test_it_writes_questions_a_card_and_a_record(tmp_path: Path) -> None:
    out = tmp_path / "out" / "questions.parquet"
    main(["--config", config(write(tmp_path / "rows.jsonl", ROW)), "--out", str(out)])
    assert read_questions(out)[0].answer == "B"
    card = json.loads(out.with_name("card.json").read_text(encoding="utf-8"))
    assert (card["name"], card["rows"], card["licence"]) == ("tiny", 1, "invented")
    assert out.with_name("questions.parquet.prov.json").is_file()


@pytest.mark.parametrize(
    ("row", "user"),
    [
        ({**ROW, "answer_idx": "E"}, "{text}{options}"),
        ({**ROW, "options": {}}, "{text}{options}"),
        (ROW, "{text}"),
    ],
)
def test_an_error_leaves_nothing_behind(tmp_path: Path, row: dict, user: str) -> None:
    out = tmp_path / "out" / "questions.parquet"
    with pytest.raises(UserError):
        main(["--config", config(write(tmp_path / "rows.jsonl", row), user), "--out", str(out)])
    assert not list(tmp_path.glob("out/*"))


def test_a_failure_after_the_first_file_removes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: object) -> None:
        raise UserError("disk full")

    monkeypatch.setattr("workflow_scripts.prepare_questions.write_questions", full_disk)
    with pytest.raises(UserError, match="disk full"):
        main(
            [
                "--config",
                config(write(tmp_path / "rows.jsonl", ROW)),
                "--out",
                str(tmp_path / "out" / "questions.parquet"),
            ]
        )
    assert not list(tmp_path.glob("out/*"))


def test_from_a_shell_a_mistake_is_one_line_and_status_2(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "workflow_scripts.prepare_questions",
        "--config",
        config(tmp_path / "absent.jsonl"),
        "--out",
        str(tmp_path / "questions.parquet"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no data file ")
    assert "absent.jsonl" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_in_the_place_of_the_results_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("not a folder", encoding="utf-8")
    out = tmp_path / "results" / "questions.parquet"
    with pytest.raises(UserError, match=f"cannot write .*{os.sep}results"):
        main(["--config", config(write(tmp_path / "rows.jsonl", ROW)), "--out", str(out)])


# ------------------------------------------------------------------ revisions, side files, bases


def run_on(out: Path, source: dict[str, Any], *more: str, **changes: Any) -> dict[str, Any]:
    """Run the command on `source` and return its record."""
    entry = {"source": source, "prompt": {"user": "{text}{options}"}, "answer": {"kind": "choice"}}
    config = {"name": "tiny", "question_set": {**entry, "licence": "invented", **changes}, "world": None}
    main(["--config", json.dumps(config), "--out", str(out), *more])
    record: dict[str, Any] = json.loads(
        out.with_name("questions.parquet.prov.json").read_text(encoding="utf-8")
    )
    return record


HUB = {"kind": "hub", "id": "some/set", "split": "test", "shape": "medqa"}
COMMIT = "c0ffee" + "0" * 34
PIN = {"id": "some/set", "kind": "datasets", "revision": COMMIT}


def pin(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_commit_that_was_used_is_on_the_card_and_in_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workflow_scripts.questions.hub.hub_rows", lambda *_: [Row("some/set (test), row 1", 0, ROW)]
    )
    out = tmp_path / "questions.parquet"
    record = run_on(out, HUB, "--revision", str(pin(tmp_path / "pin.json", PIN)))
    assert [(root["id"], root["revision"]) for root in record["roots"]] == [("some/set", COMMIT)]
    assert [item["name"] for item in record["inputs"]] == ["revision"]
    card = json.loads(out.with_name("card.json").read_text(encoding="utf-8"))
    assert card["source"]["revision"] == COMMIT


@pytest.mark.parametrize(
    ("source", "content", "message"),
    [
        (HUB, {**PIN, "id": "other/set"}, "names no commit of some/set, but 'other/set'"),
        ({**HUB, "revision": "f00d"}, PIN, f"holds {COMMIT}, but the entry's `revision` is f00d"),
        (HUB, "{", "is no file of the rule pin_revision"),
        (HUB, [], "is no file of the rule pin_revision"),
        (HUB, {"id": "some/set"}, "is no file of the rule pin_revision"),
        ({"kind": "local", "path": "x.jsonl", "shape": "medqa"}, PIN, "is not on the hub"),
    ],
)
def test_a_revision_file_that_does_not_fit_is_refused(
    tmp_path: Path, source: dict[str, Any], content: Any, message: str
) -> None:
    with pytest.raises(UserError, match=message) as error:
        run_on(tmp_path / "out" / "q.parquet", source, "--revision", str(pin(tmp_path / "pin.json", content)))
    assert "\n" not in str(error.value)
    assert not list(tmp_path.glob("out/*"))


def test_a_hub_set_without_a_revision_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no revision for some/set") as error:
        run_on(tmp_path / "out" / "q.parquet", HUB)
    assert "\n" not in str(error.value)
    with pytest.raises(UserError, match=r"cannot read .*absent\.json"):
        run_on(tmp_path / "out" / "q.parquet", HUB, "--revision", str(tmp_path / "absent.json"))


def test_the_base_of_matched_questions_is_an_input(tmp_path: Path) -> None:
    base = tmp_path / "base.parquet"
    write_questions(base, [Question("a", "amc", "What is 6 * 7?", None, "number", {}, "42")])
    out = tmp_path / "questions.parquet"
    record = run_on(out, {"kind": "matched", "of": "amc"}, "--base", str(base), options={"n": 4, "seed": 0})
    assert [item["name"] for item in record["inputs"]] == ["base"]
    question = read_questions(out)[0]
    assert (question.id, len(question.options or {})) == ("a", 4)


def test_side_files_are_inputs(tmp_path: Path) -> None:
    side = pin(tmp_path / "evidences.json", {})
    source = {
        "kind": "local",
        "path": str(write(tmp_path / "rows.jsonl", ROW)),
        "shape": "medqa",
        "side_files": {"evidences": str(side)},
    }
    record = run_on(tmp_path / "questions.parquet", source)
    assert [item["name"] for item in record["inputs"]] == ["source", "evidences"]
