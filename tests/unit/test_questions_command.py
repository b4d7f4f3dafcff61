"""The command `prepare_questions`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.prepare_questions import main
from workflow_scripts.questions.schema import read_questions

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
