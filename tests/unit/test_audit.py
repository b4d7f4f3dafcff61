"""What an audit shows: the tree, copies, JSON, and the table of all figures."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from audit_chain import (
    ANALYSIS,
    COMMIT,
    EVALUATION,
    FIGURE,
    POLICY,
    QUESTIONS,
    REVISION,
    RUN,
    SAMPLES,
    F,
    S,
    flip_byte,
    job,
    make_chain,
    run_audit,
    set_code,
    write,
)

from workflow_scripts.provenance import verdict
from workflow_scripts.provenance.document import read_record


@pytest.fixture
def at_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of a clean tree, whatever the tree is in which the tests run."""
    set_code(monkeypatch, dirty=False)


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_commit: None) -> Path:
    monkeypatch.chdir(tmp_path)
    make_chain()
    return tmp_path


def test_an_intact_chain_is_shown_down_to_its_roots(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run_audit(capsys, FIGURE)
    assert code == 0
    lines = text.splitlines()
    assert lines[0].startswith("figures/mini/prose_fig1.pdf  ok  render")
    order = [
        ANALYSIS,
        RUN / "metrics.jsonl",
        RUN / "final",
        f"org/clinic @ {REVISION}",
        POLICY,
        EVALUATION,
        SAMPLES,
    ]
    positions = [next(i for i, line in enumerate(lines) if str(part) in line) for part in order]
    assert positions == sorted(positions)
    assert "commit 9d31e0a (clean)" in text
    assert "pretrained in the miniature world clinic" in text
    assert lines[-1] == "verdict: REPRODUCIBLE FROM RECORD"


def test_a_job_that_feeds_several_branches_is_unfolded_once(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = run_audit(capsys, FIGURE)
    questions = [line for line in text.splitlines() if QUESTIONS.as_posix() in line]
    assert len(questions) == 3
    assert [("(above)" in line) for line in questions] == [False, True, True]


@pytest.mark.parametrize("path", [FIGURE.with_suffix(".png"), FIGURE.with_suffix(".csv"), RUN / "final", RUN])
def test_companion_files_and_folders_have_an_audit_too(
    chain: Path, capsys: pytest.CaptureFixture[str], path: Path
) -> None:
    assert run_audit(capsys, path)[0] == 0


def test_a_copied_figure_is_recognised_by_its_content(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Path("paper/img/renamed.png")
    copy.parent.mkdir(parents=True)
    shutil.copy(FIGURE.with_suffix(".png"), copy)
    code, text = run_audit(capsys, copy)
    assert code == 0
    assert text.startswith(f"{copy} is a copy of {FIGURE.with_suffix('.png')}\n")


def test_unknown_and_absent_files_are_not_found(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run_audit(capsys, write(Path("paper/other.png"), "unknown"))
    assert (code, "NOT FOUND: paper/other.png: no record says what made it" in text) == (4, True)
    code, text = run_audit(capsys, F / "prose_fig9.pdf")
    assert (code, "no such file" in text) == (4, True)


def test_a_deleted_figure_with_its_record_is_a_broken_chain(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FIGURE.unlink()
    code, text = run_audit(capsys, FIGURE)
    assert (code, f"MISSING: {FIGURE}" in text) == (1, True)


def test_a_tree_that_was_moved_is_audited_from_anywhere(
    chain: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.move(chain / "results", elsewhere / "results")
    shutil.move(chain / "figures", elsewhere / "figures")
    assert run_audit(capsys, elsewhere / FIGURE, "--verify")[0] == 0


def test_json_holds_the_verdict_and_every_record_of_the_chain(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flip_byte(EVALUATION)
    code, text = run_audit(capsys, FIGURE, "--json", "--verify")
    answer = json.loads(text)
    assert code == answer["exit_code"] == 1
    assert answer["verdict"] == "broken"
    assert [problem["path"] for problem in answer["problems"]] == [str(EVALUATION)]
    assert [part["step"] for part in answer["chain"]][:2] == ["render", "analyse"]
    assert {part["step"] for part in answer["chain"]} == {
        "render", "analyse", "train", "evaluate", "sample", "prepare_questions", "pretrain_policy",
    }  # fmt: skip
    assert answer["chain"][0]["made_by"] == {"analysis": f"{ANALYSIS}.prov.json"}


ALL = ("--all", "--results", str(S), "--figures", str(F))


def test_all_lists_one_row_per_figure_and_table(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = S / "audit/figures.csv"
    assert run_audit(capsys, *ALL, "--out", out)[0] == 0
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [(row["artefact"], row["kind"], row["path"], row["state"]) for row in rows] == [
        ("prose_fig1", "figure", "figures/mini/prose_fig1.pdf", "ok"),
        ("prose_table3", "table", "results/mini/tables/prose_table3.csv", "ok"),
    ]
    train = read_record(RUN / "manifest.json.prov.json")
    pretrain = read_record(Path(f"{POLICY}.prov.json"))
    assert rows[0]["checkpoints"].split("; ") == [
        f"tiny.22222222 {pretrain.outputs[0].sha256}",
        f"{RUN.name} {train.outputs[2].sha256}",
    ]
    assert f"train {train.config_sha256}" in rows[0]["configs"].split("; ")
    questions = read_record(Path(f"{QUESTIONS}.prov.json")).outputs[0].sha256
    assert rows[0]["data"] == f"clinic.11111111 {questions} (hub org/clinic @ {REVISION})"
    assert rows[0]["commit"] == COMMIT
    assert rows[0]["sha256"] == read_record(Path(f"{FIGURE}.prov.json")).outputs[0].sha256


def test_the_table_of_all_has_a_record_of_its_own(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_audit(capsys, *ALL, "--out", S / "audit/figures.csv")
    code, text = run_audit(capsys, S / "audit/figures.csv")
    assert (code, FIGURE.as_posix() in text) == (0, True)


def test_all_reports_the_worst_state_and_names_what_broke(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(S / "tables/by_hand.csv", "1")
    flip_byte(FIGURE)
    assert run_audit(capsys, *ALL)[0] == 1
    code, text = run_audit(capsys, *ALL, "--verify", "--json")
    rows = {row["artefact"]: row for row in json.loads(text)}
    assert code == 1
    assert rows["by_hand"]["problems"] == "no record says what made it"
    assert rows["prose_fig1"]["state"] == "broken"
    assert rows["prose_fig1"]["problems"].startswith(f"{FIGURE}: is not what was recorded")
    assert rows["prose_table3"]["state"] == "ok"


def test_all_survives_a_changed_record_of_a_figure(chain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flip_byte(Path(f"{FIGURE}.prov.json"))
    code, text = run_audit(capsys, *ALL, "--json", "--out", S / "audit/figures.csv")
    (row, _) = json.loads(text)
    assert (code, row["artefact"], row["state"]) == (0, "prose_fig1", "broken")


def test_repairs_name_the_scale_file_of_other_scales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "REPOSITORY", tmp_path)
    write(tmp_path / "config/smoke.yaml", "")
    assert verdict.repair_command("figures/smoke/a.pdf", "results/smoke/b c.csv") == (
        "snakemake --profile local figures/smoke/a.pdf --configfile config/smoke.yaml"
        " --forcerun 'results/smoke/b c.csv'"
    )
    assert verdict.repair_command("figures/paper/a.pdf") == "snakemake --profile slurm figures/paper/a.pdf"


def hub_chain(revision: str | None, pinned: str | None = None) -> None:
    """A figure of one question set and one model of the hub; `pinned`: by the lock, where the entry is silent."""
    source = {"source": {"kind": "hub", "id": "org/set", "revision": revision}}
    model = {"source": {"kind": "hub", "id": "org/model", "revision": revision}}
    notes = {"revision": pinned} if pinned else {}
    job("prepare_questions", {}, {"questions": QUESTIONS}, notes, question_set=source)
    job("pretrain_policy", {}, {"manifest": POLICY}, notes, policy=model)
    job("render", {"questions": QUESTIONS, "policy": POLICY}, {"pdf": FIGURE})


@pytest.mark.parametrize(
    ("revision", "shown", "note"),
    [
        (None, "NO REVISION", "taken from the hub without a revision"),
        ("main", "main (NO COMMIT)", "taken from the hub at main, which is no full commit"),
        ("4f1c2d9", "4f1c2d9 (NO COMMIT)", "taken from the hub at 4f1c2d9, which is no full commit"),
        (COMMIT, COMMIT, None),
    ],
)
def test_what_the_hub_may_give_differently_tomorrow_is_marked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    at_commit: None,
    capsys: pytest.CaptureFixture[str],
    revision: str | None,
    shown: str,
    note: str | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    hub_chain(revision)
    code, text = run_audit(capsys, FIGURE)
    assert code == 0
    for source_id in ("org/set", "org/model"):
        assert f"{source_id} @ {shown}  (hub)" in text
        assert (f"note: {source_id}: {note}" in text) == (note is not None)
    run_audit(capsys, *ALL, "--out", S / "audit/figures.csv")
    (row,) = csv.DictReader((S / "audit/figures.csv").read_text().splitlines())
    assert row["data"].endswith(f"(hub org/set @ {shown})")
    assert row["checkpoints"].endswith(f"(hub org/model @ {shown})")


@pytest.mark.parametrize(
    ("named", "locked", "differs"),
    [(None, REVISION, True), (None, COMMIT, False), (None, None, False), (COMMIT, REVISION, False)],
    ids=["renewed", "the same", "no lock", "the entry names its commit itself"],
)
def test_a_pin_that_was_renewed_since_is_noted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    at_commit: None,
    capsys: pytest.CaptureFixture[str],
    named: str | None,
    locked: str | None,
    differs: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verdict, "LOCK", tmp_path / "revisions.lock.yaml")
    if locked:
        write(tmp_path / "revisions.lock.yaml", f"datasets/org/set: {locked}\nmodels/org/model: {locked}\n")
    hub_chain(named, pinned=COMMIT)
    code, text = run_audit(capsys, FIGURE)
    assert code == 0
    for source_id in ("org/set", "org/model"):
        note = f"{source_id}: made from commit {COMMIT[:12]}, but config/revisions.lock.yaml now names"
        assert (f"{note} {REVISION[:12]}" in text) == differs


def test_side_files_from_outside_are_verified_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_commit: None, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "evidences": write(Path("data/evidences.json"), "{}"),
        "conditions": write(Path("data/c.json"), "{}"),
    }
    side_files = {name: str(path) for name, path in files.items()}
    source = {"kind": "local", "path": str(write(Path("data/rows.csv"), "1")), "side_files": side_files}
    job("prepare_questions", {}, {"questions": QUESTIONS}, question_set={"source": source})
    assert run_audit(capsys, QUESTIONS, "--verify")[0] == 0
    write(files["conditions"], "{1}")
    code, text = run_audit(capsys, QUESTIONS, "--verify")
    assert (code, "read data/c.json as it was then" in text) == (2, True)
