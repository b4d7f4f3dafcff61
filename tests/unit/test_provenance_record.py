"""Records: what they hold, how they are found, and that a changed byte in one is noticed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.provenance.code import git_state
from workflow_scripts.provenance.document import BrokenRecord, ProvenanceRecord, read_record
from workflow_scripts.provenance.hashing import merkle_digest
from workflow_scripts.provenance.lookup import find_by_sha256, find_record
from workflow_scripts.provenance.record import start_record


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, content: str) -> Path:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content, encoding="utf-8")
    return place


def questions(content: str = "abc") -> ProvenanceRecord:
    record = start_record("prepare_questions", {"name": "q"}, {})
    return read_record(record.finish({"questions": write("q/questions.parquet", content)}, kind="questions"))


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_record_lies_beside_the_first_output_and_holds_its_hash(workdir: Path) -> None:
    record = questions("abc")
    assert Path("q/questions.parquet.prov.json").is_file()
    # The SHA-256 of "abc" as printed in FIPS 180-2, appendix B.1.
    assert record.outputs[0].sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert (record.outputs[0].path, record.outputs[0].bytes) == ("q/questions.parquet", 3)


def test_the_schema_of_a_record_on_disk_is_one_and_its_top_fields_are_fixed(workdir: Path) -> None:
    questions()
    content = json.loads(Path("q/questions.parquet.prov.json").read_text())
    assert content["schema"] == 1
    assert set(content) == {
        "schema", "path", "step", "kind", "outputs", "inputs", "roots", "config", "config_sha256",
        "lineage_sha256", "code", "environment", "notes", "started", "ended", "seconds", "gpu_seconds",
        "attempt", "resumed_from", "record_sha256",
    }  # fmt: skip
    assert set(content["environment"]["packages"]) >= {
        "torch",
        "transformers",
        "trl",
        "datasets",
        "vllm",
        "snakemake",
    }
    assert (
        content["code"]["sources"]["workflow_scripts/provenance/record.py"]
        == hashlib.sha256(
            Path(sys.modules["workflow_scripts.provenance.record"].__file__ or "").read_bytes()
        ).hexdigest()
    )


def test_the_config_hash_is_of_the_canonical_json(workdir: Path) -> None:
    record = start_record("train", {"b": 1e-06, "a": [True, None]}, {})
    written = read_record(record.finish({"out": write("r/out.json", "{}")}, kind="run"))
    assert written.config_sha256 == sha('{"a":[true,null],"b":1e-06}')


def test_a_directory_has_the_merkle_digest_of_its_files_without_training_state(workdir: Path) -> None:
    write("m/final/b/w.bin", "2")
    write("m/final/a.json", "1")
    write("m/final/optimizer.pt", "state")
    record = start_record("train", {}, {})
    written = read_record(
        record.finish({"manifest": write("m/manifest.json", "{}"), "weights": "m/final"}, kind="run")
    )
    expected = sha(f'[["a.json","{sha("1")}"],["b/w.bin","{sha("2")}"]]')
    assert written.outputs[1].sha256 == expected == merkle_digest({"b/w.bin": sha("2"), "a.json": sha("1")})
    assert set(written.outputs[1].files or {}) == {"a.json", "b/w.bin"}


def test_an_untouched_input_is_taken_from_its_own_record_without_reading_it(workdir: Path) -> None:
    made = questions("abc")
    place = Path("q/questions.parquet")
    times = place.stat()
    place.write_text("xyz")
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
    record = start_record("sample", {}, {"questions": place})
    # Same size and time, so the record is believed although the bytes differ: that is what --verify is for.
    assert record.inputs[0].sha256 == made.outputs[0].sha256
    assert record.inputs[0].record is not None
    assert record.inputs[0].record.record_sha256 == made.record_sha256


def test_a_touched_input_is_hashed_again(workdir: Path, caplog: pytest.LogCaptureFixture) -> None:
    questions("abc")
    Path("q/questions.parquet").write_text("abcd")
    record = start_record("sample", {}, {"questions": "q/questions.parquet"})
    assert record.inputs[0].sha256 == sha("abcd")
    assert "changed after it was made" in caplog.text


def test_an_input_without_a_record_is_an_external_root(workdir: Path) -> None:
    record = start_record("prepare_questions", {}, {"file": write("data.jsonl", "{}"), "nothing": None})
    assert [(item.name, item.record) for item in record.inputs] == [("file", None)]


def test_several_paths_under_one_name_are_numbered(workdir: Path) -> None:
    paths = [write("a.json", "1"), write("b.json", "2")]
    record = start_record("analyse", {}, {"evaluations": paths})
    assert [item.name for item in record.inputs] == ["evaluations.0", "evaluations.1"]


def test_a_missing_input_or_output_is_named(workdir: Path) -> None:
    with pytest.raises(UserError, match=r"questions: no file q/none\.parquet"):
        start_record("sample", {}, {"questions": "q/none.parquet"})
    with pytest.raises(UserError, match=r"rollouts: no file s/none\.parquet"):
        start_record("sample", {}, {}).finish({"rollouts": "s/none.parquet"}, kind="samples")
    assert not Path("s").exists()


def test_notes_may_hold_numpy_numbers_paths_and_nan(workdir: Path) -> None:
    numpy = pytest.importorskip("numpy")
    notes = {"x": numpy.float64(0.5), "p": Path("a"), "bad": float("nan"), "attempt": 2, "resumed_from": 50}
    written = read_record(
        start_record("train", {}, {}).finish({"o": write("o.json", "1")}, kind="run", notes=notes)
    )
    assert written.notes == {"x": 0.5, "p": "a", "bad": "NaN"}
    assert (written.attempt, written.resumed_from) == (2, 50)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"kind": "hub", "id": "org/set", "revision": "1234"}, ("hub", "org/set", "1234", None)),
        ({"kind": "local", "path": "data.jsonl"}, ("local", "data.jsonl", None, sha("{}"))),
        ({"kind": "generated", "world": "clinic"}, ("generated", "clinic", None, None)),
    ],
)
def test_what_enters_from_outside_is_recorded(
    workdir: Path, source: dict[str, str], expected: tuple[str, str, str | None, str | None]
) -> None:
    write("data.jsonl", "{}")
    record = start_record("prepare_questions", {"question_set": {"source": source}}, {})
    (root,) = read_record(record.finish({"q": write("q/questions.parquet", "1")}, kind="questions")).roots
    assert (root.kind, root.id, root.revision, root.sha256) == expected


def test_a_revision_found_while_running_completes_the_hub_reference(workdir: Path) -> None:
    config = {"policy": {"source": {"kind": "hub", "id": "org/model", "revision": None}}}
    record = start_record("pretrain_policy", config, {})
    sidecar = record.finish({"m": write("m/manifest.json", "1")}, kind="model", notes={"revision": "beef"})
    assert read_record(sidecar).roots[0].revision == "beef"


def test_the_record_of_any_output_is_found(workdir: Path) -> None:
    write("m/final/w.bin", "2")
    outputs = {
        "manifest": write("m/manifest.json", "{}"),
        "csv": write("m/x.csv", "1"),
        "weights": Path("m/final"),
    }
    sidecar = start_record("train", {}, {}).finish(outputs, kind="run").absolute()
    for path in ("m/manifest.json", "m/x.csv", "m/final", "m/final/w.bin", "m/manifest.json.prov.json"):
        found = find_record(Path(path))
        assert found is not None and found.path == sidecar, path
    assert find_record(write("m/other.csv", "1")) is None


def test_a_copy_is_found_by_its_content(workdir: Path) -> None:
    questions("abc")
    found = find_by_sha256(sha("abc"), Path("q"))
    assert found is not None and found.record.step == "prepare_questions"
    assert find_by_sha256(sha("other"), Path("q"), Path("no such folder")) is None


def test_any_changed_byte_of_a_record_is_noticed(workdir: Path) -> None:
    questions()
    sidecar = Path("q/questions.parquet.prov.json")
    good = sidecar.read_bytes()
    for position in range(0, len(good), 23):
        sidecar.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
        with pytest.raises(BrokenRecord):
            read_record(sidecar)
    sidecar.write_bytes(good + b"\n")
    with pytest.raises(BrokenRecord):
        read_record(sidecar)
    sidecar.write_bytes(good)
    read_record(sidecar)


def test_a_record_moves_with_its_tree(workdir: Path) -> None:
    questions("abc")
    Path("elsewhere").mkdir()
    Path("q").rename("elsewhere/q")
    found = find_record(Path("elsewhere/q/questions.parquet"))
    assert found is not None
    assert found.place(found.record.outputs[0].path) == workdir / "elsewhere/q/questions.parquet"


def test_two_runs_of_the_same_job_have_the_same_lineage(workdir: Path) -> None:
    first, second = questions("abc"), questions("abc")
    assert first.lineage_sha256 == second.lineage_sha256
    changed = start_record("prepare_questions", {"name": "other"}, {})
    other = read_record(changed.finish({"questions": write("q/questions.parquet", "abc")}, kind="questions"))
    assert other.lineage_sha256 != first.lineage_sha256


def git(repository: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", "-C", str(repository), *identity, *arguments], check=True, capture_output=True)


def test_git_facts_follow_the_code_and_not_the_rest(tmp_path: Path) -> None:
    state = git_state.__wrapped__
    assert tuple(state(tmp_path)) == (None, None, None)
    git(tmp_path, "init", "--quiet")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "a.smk").write_text("1")
    assert state(tmp_path).commit is None and state(tmp_path).dirty
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    clean = state(tmp_path)
    assert clean.commit is not None and len(clean.commit) == 40
    assert (clean.dirty, clean.diff_sha256) == (False, None)
    (tmp_path / "README.md").write_text("text is no code")
    assert state(tmp_path).dirty is False
    (tmp_path / "rules" / "a.smk").write_text("2")
    second = state(tmp_path)
    (tmp_path / "rules" / "a.smk").write_text("3")
    third = state(tmp_path)
    assert second.dirty and third.dirty and second.diff_sha256 != third.diff_sha256


def test_recording_imports_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from workflow_scripts.provenance.record import start_record;"
        "Path('o').write_text('1'); start_record('evaluate', {}, {}).finish({'o': 'o'}, kind='evaluation');"
        "print(sorted({'torch', 'transformers', 'snakemake', 'pandas', 'trl'} & set(sys.modules)))"
    )
    root = Path(sys.modules["workflow_scripts"].__file__ or "").parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
