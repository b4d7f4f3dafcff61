"""What an audit finds: changed, missing, stale, dirty."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from audit_chain import (
    ANALYSIS,
    COMMIT,
    EVALUATION,
    FIGURE,
    POLICY,
    QUESTIONS,
    RUN,
    SAMPLES,
    flip_byte,
    job,
    make_chain,
    make_questions,
    make_samples,
    run_audit,
    set_code,
    write,
)

from workflow_scripts.provenance import record as record_module
from workflow_scripts.provenance.document import Code, read_record, seal, write_record
from workflow_scripts.provenance.record import start_record


@pytest.fixture
def at_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of a clean tree, whatever the tree is in which the tests run."""
    set_code(monkeypatch, dirty=False)


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_commit: None) -> Path:
    monkeypatch.chdir(tmp_path)
    make_chain()
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        RUN / "final/model.safetensors",
        EVALUATION,
        ANALYSIS,
        FIGURE.with_suffix(".csv"),
        SAMPLES,
        QUESTIONS,
        POLICY,
    ],
)
def test_verify_names_the_file_with_a_changed_byte(
    chain: Path, capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    flip_byte(path)
    assert run_audit(capsys, FIGURE)[0] == 0
    code, text = run_audit(capsys, FIGURE, "--verify")
    assert code == 1
    assert f"CHANGED: {path}: is not what was recorded" in text
    assert [line for line in text.splitlines() if line.startswith("CHANGED")] == [
        line for line in text.splitlines() if f"CHANGED: {path}:" in line
    ]
    assert "repair: snakemake --profile local figures/mini/prose_fig1.pdf --forcerun " in text


def test_a_changed_file_with_a_new_time_is_noticed_without_verify(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flip_byte(ANALYSIS, keep_time=False)
    code, text = run_audit(capsys, FIGURE)
    assert (code, f"CHANGED: {ANALYSIS}" in text) == (1, True)


def test_a_touched_file_with_the_same_content_is_fine(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.utime(ANALYSIS, (1, 1))
    assert run_audit(capsys, FIGURE)[0] == 0


def test_a_large_touched_file_is_read_again_only_to_verify(
    chain: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workflow_scripts.provenance.chain.REREAD_BYTES", 3)
    flip_byte(RUN / "final/model.safetensors", keep_time=False)
    code, text = run_audit(capsys, FIGURE)
    assert code == 0
    assert f"note: {RUN}/final: touched since it was recorded and not read again; use --verify" in text
    assert run_audit(capsys, FIGURE, "--verify")[0] == 1


@pytest.mark.parametrize("made", [RUN / "manifest.json", ANALYSIS, QUESTIONS, FIGURE])
def test_a_changed_record_is_named(chain: Path, capsys: pytest.CaptureFixture[str], made: Path) -> None:
    sidecar = Path(f"{made}.prov.json")
    text = sidecar.read_text()
    sidecar.write_text(text.replace('"attempt": 1', '"attempt": 2'))
    code, answer = run_audit(capsys, FIGURE)
    assert code == 1
    assert answer.count(f"RECORD CHANGED: {sidecar}: {sidecar.name} was changed after it was written") == 1
    assert [line.split()[-1] for line in answer.splitlines() if line.startswith("repair: ")] == [
        "--force" if made == FIGURE else str(made)
    ]


def test_a_record_forged_with_a_new_seal_no_longer_fits_its_consumers(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sidecar = Path(f"{RUN}/manifest.json.prov.json")
    fields = read_record(sidecar).model_dump(mode="json")
    write_record(seal({**fields, "lineage_sha256": "0" * 64}), sidecar)
    code, text = run_audit(capsys, FIGURE)
    assert code == 2
    assert "when it was made from other inputs or settings" in text


def test_a_missing_record_breaks_the_chain(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(f"{EVALUATION}.prov.json").unlink()
    code, text = run_audit(capsys, FIGURE)
    assert code == 1
    assert f"NO RECORD: {EVALUATION}: its record {EVALUATION}.prov.json is gone" in text
    assert f"--forcerun {EVALUATION}" in text


def test_a_missing_file_breaks_the_chain(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (RUN / "final/model.safetensors").unlink()
    SAMPLES.unlink()
    code, text = run_audit(capsys, FIGURE)
    assert code == 1
    assert f"MISSING: {SAMPLES}: recorded, but not here" in text
    assert f"CHANGED: {RUN}/final/model.safetensors: recorded, but not here" in text


def test_an_input_made_anew_with_other_content_makes_its_consumers_stale(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = start_record(
        "sample", {"name": "sample"}, {"policy": RUN / "manifest.json", "questions": QUESTIONS}
    )
    write(SAMPLES, "other rollouts")
    started.finish({"rollouts": SAMPLES}, kind="samples")
    code, text = run_audit(capsys, FIGURE)
    assert code == 2
    assert f"STALE: {EVALUATION}: read {SAMPLES} as it was then" in text
    assert text.splitlines()[-1].startswith("verdict: STALE")


def test_an_input_made_anew_with_the_same_content_is_a_note(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_samples()
    # Without another number in it, a record written within the same second could be the same record.
    sidecar = Path(f"{SAMPLES}.prov.json")
    write_record(seal(read_record(sidecar).model_dump(mode="json") | {"attempt": 2}), sidecar)
    code, text = run_audit(capsys, FIGURE)
    assert code == 0
    assert f"note: {SAMPLES}: made again since, with the same content" in text
    assert "(1 note)" in text


def test_the_same_bytes_from_other_settings_are_stale(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_questions(seed=7)
    code, text = run_audit(capsys, FIGURE)
    assert code == 2
    assert f"STALE: {SAMPLES}: read {QUESTIONS} when it was made from other inputs or settings" in text


def test_a_changed_file_from_outside_makes_the_chain_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_commit: None, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = write(Path("data/test.jsonl"), "{}")
    job("prepare_questions", {"file": data}, {"questions": QUESTIONS})
    assert run_audit(capsys, QUESTIONS)[0] == 0
    write(data, "[]")
    code, text = run_audit(capsys, QUESTIONS)
    assert (code, f"STALE: {QUESTIONS}: read {data} as it was then" in text) == (2, True)
    data.unlink()
    code, text = run_audit(capsys, QUESTIONS)
    assert (code, f"MISSING: {data}: comes from outside" in text) == (1, True)


def test_verify_reads_a_local_model_from_outside_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_commit: None, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    weights = write(Path("models/small/model.safetensors"), "weights")
    job(
        "pretrain_policy",
        {},
        {"manifest": POLICY},
        policy={"source": {"kind": "local", "path": "models/small"}},
    )
    assert run_audit(capsys, POLICY, "--verify")[0] == 0
    flip_byte(weights)
    assert run_audit(capsys, POLICY)[0] == 0
    code, text = run_audit(capsys, POLICY, "--verify")
    assert (code, f"STALE: {POLICY}: read models/small as it was then" in text) == (2, True)


def test_dirty_code_has_its_own_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    set_code(monkeypatch, dirty=True)
    make_chain()
    code, text = run_audit(capsys, FIGURE)
    assert code == 3
    assert "commit 9d31e0a (DIRTY)" in text
    assert "repair: commit, then snakemake --profile local figures/mini/prose_fig1.pdf --forceall" in text


def test_code_outside_git_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    set_code(monkeypatch, dirty=None)
    make_chain()
    code, text = run_audit(capsys, FIGURE)
    assert (code, "made outside a git checkout" in text) == (0, True)


def test_code_that_differs_here_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sources = {"workflow_scripts/gone.py": "0" * 64}
    code_then = Code(commit=COMMIT, dirty=False, diff_sha256=None, command=[], sources=sources)
    monkeypatch.setattr(record_module, "code_state", lambda: code_then)
    make_chain()
    code, text = run_audit(capsys, FIGURE)
    assert code == 0
    assert "the code here differs from the code that ran in: workflow_scripts/gone.py" in text
