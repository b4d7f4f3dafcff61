"""Commits of the hub are resolved once and stay. The hub is a server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.hub_server import ROOT, Hub, Repository, commit, hub_environment, serving, with_hub
from workflow_scripts.errors import UserError
from workflow_scripts.provenance.document import read_record
from workflow_scripts.provenance.revisions import read_lock, read_revision, write_lock

PIN = ("-m", "workflow_scripts.pin_revisions")
MEDQA, LLAMA, MED_PRM = (
    "fzkuji/MedQA",
    "meta-llama/Llama-3.1-8B-Instruct",
    "dmis-lab/llama-3.1-medprm-reward-v1.0",
)


@pytest.fixture
def hub() -> Iterator[Hub]:
    repositories = {
        f"datasets/{MEDQA}": Repository({commit(1): {}}),
        f"models/{LLAMA}": Repository({commit(2): {}}),
        f"models/{MED_PRM}": Repository({commit(3): {}}),
    }
    with serving(repositories) as served:
        yield served


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """The paper's scale with three sources of the hub: two of the registries, and their question set alone."""
    scale = yaml.safe_load((ROOT / "config/paper.yaml").read_text(encoding="utf-8"))
    scale["questions"] = {"own_medqa": hub_questions(MEDQA)}
    scale["models"] = {
        "policies": {"own_policy": {"source": {"kind": "hub", "id": LLAMA}, "dtype": "bfloat16"}},
    }
    scale["roles"] = {
        "policies": {"main_policy": "own_policy"},
        "question_sets": {"medqa_5op": "own_medqa"},
        "process_reward_models": {"process_reward_model": "med_prm"},
    }
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(scale), encoding="utf-8")
    return path


def hub_questions(source_id: str, **more: Any) -> dict[str, Any]:
    return {
        "source": {"kind": "hub", "id": source_id, "split": "test", "shape": "medqa", **more},
        "prompt": {"user": "{text}\n{options}"},
        "answer": {"kind": "choice"},
        "licence": "none",
    }


def pin_scale(
    hub: Hub, paper: Path, *arguments: str, **environment: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    lock = paper.with_name("revisions.lock.yaml")
    options = ("--scale-file", str(paper), "--lock", str(lock), *arguments)
    done = with_hub(hub.address, paper.parent, *PIN, *options, **environment)
    assert "Traceback" not in done.stderr
    return done, read_lock(lock)


def test_every_source_of_the_scale_without_a_commit_gets_one_line_and_one_entry(
    hub: Hub, paper: Path
) -> None:
    done, lock = pin_scale(hub, paper)
    assert done.returncode == 0, done.stderr
    assert lock == {
        f"datasets/{MEDQA}": commit(1),
        f"models/{MED_PRM}": commit(3),
        f"models/{LLAMA}": commit(2),
    }
    said = done.stderr.splitlines()
    assert sorted(line.split(":")[0] for line in said) == sorted(lock)
    assert all("pinned at" in line for line in said)
    text = paper.with_name("revisions.lock.yaml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert [line.split(":")[0] for line in text.splitlines()[1:]] == sorted(lock)


def test_a_pin_stays_when_the_hub_moves_on_and_only_a_renewal_changes_it(hub: Hub, paper: Path) -> None:
    pin_scale(hub, paper)
    for repository in hub.repositories.values():
        repository.commits[commit(9)] = {}
    done, again = pin_scale(hub, paper)
    assert (done.returncode, done.stderr) == (0, "")
    assert again[f"datasets/{MEDQA}"] == commit(1)

    done, renewed = pin_scale(hub, paper, "--renew", MEDQA)
    assert renewed == {**again, f"datasets/{MEDQA}": commit(9)}
    assert f"datasets/{MEDQA}: pinned anew, was {commit(1)} at {commit(9)}" in done.stderr


def test_one_source_can_be_named_and_an_unknown_one_is_told(hub: Hub, paper: Path) -> None:
    done, lock = pin_scale(hub, paper, MED_PRM)
    assert list(lock) == [f"models/{MED_PRM}"]
    done, lock = pin_scale(hub, paper, "fzkuji/MedQ")
    assert done.returncode == 2
    assert "'fzkuji/MedQ'" in done.stderr and f"Did you mean {MEDQA}?" in done.stderr
    assert list(lock) == [f"models/{MED_PRM}"]


def test_what_cannot_be_resolved_is_named_and_the_rest_is_kept(hub: Hub, paper: Path) -> None:
    del hub.repositories[f"datasets/{MEDQA}"]
    done, lock = pin_scale(hub, paper)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: datasets/{MEDQA}: no commit: the hub has no such")
    assert set(lock) == {f"models/{LLAMA}", f"models/{MED_PRM}"}

    del hub.repositories[f"models/{MED_PRM}"]
    paper.with_name("revisions.lock.yaml").unlink()
    done, lock = pin_scale(hub, paper)
    assert done.stderr.splitlines()[-1] == (
        "error: 2 of 3 repositories could not be pinned: see the lines above."
    )
    assert set(lock) == {f"models/{LLAMA}"}


def test_without_network_there_is_one_line_and_what_is_pinned_needs_none(hub: Hub, paper: Path) -> None:
    pin_scale(hub, paper, MEDQA)
    lock = paper.with_name("revisions.lock.yaml")
    nowhere = "http://127.0.0.1:9"  # the port of the service `discard`, where nothing listens
    for source_id, status in ((MEDQA, 0), ("org/other", 2)):
        job = ("--kind", "datasets", "--id", source_id, "--out", str(paper.with_name("pin.json")))
        done = with_hub(nowhere, paper.parent, *PIN, *job, "--lock", str(lock))
        assert done.returncode == status, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: datasets/org/other: no commit: {nowhere} cannot be reached")
    done, _ = pin_scale(hub, paper, HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE is set" in done.stderr


def test_a_job_takes_the_commit_of_the_lock_else_resolves_it_and_says_so(hub: Hub, tmp_path: Path) -> None:
    lock, out = tmp_path / "config/revisions.lock.yaml", tmp_path / "results/pin.json"
    job = (*PIN, "--kind", "models", "--id", LLAMA, "--out", str(out), "--lock", str(lock))
    done = with_hub(hub.address, tmp_path, *job)
    assert f"models/{LLAMA}: pinned at {commit(2)} (revisions.lock.yaml)" in done.stderr
    assert json.loads(out.read_text()) == {"id": LLAMA, "kind": "models", "revision": commit(2)}
    assert read_revision(out, LLAMA) == commit(2)
    first = read_record(out.with_name("pin.json.prov.json"))

    write_lock(lock, {**read_lock(lock), f"models/{LLAMA}": commit(7)})
    hub.asked.clear()
    done = with_hub(hub.address, tmp_path, *job)
    assert (done.stderr, hub.asked) == ("", [])
    assert read_revision(out, LLAMA) == commit(7)
    # What is made from another commit has another lineage.
    assert read_record(out.with_name("pin.json.prov.json")).lineage_sha256 != first.lineage_sha256


def test_processes_that_pin_at_once_agree_and_lose_no_entry(hub: Hub, tmp_path: Path) -> None:
    lock = tmp_path / "config/revisions.lock.yaml"
    jobs = []
    for number, (kind, source_id) in enumerate(
        [("models", LLAMA)] * 2 + [("models", MED_PRM), ("datasets", MEDQA)]
    ):
        out = tmp_path / f"{number}.json"
        command = [*PIN, "--kind", kind, "--id", source_id, "--out", str(out), "--lock", str(lock)]
        environment = hub_environment(hub.address, tmp_path)
        jobs.append((out, subprocess.Popen([sys.executable, *command], env=environment, cwd=ROOT)))
    assert [process.wait() for _, process in jobs] == [0] * 4
    contents = [json.loads(out.read_text()) for out, _ in jobs]
    assert contents[0] == contents[1]
    assert read_lock(lock) == {f"{pin['kind']}/{pin['id']}": pin["revision"] for pin in contents}
    # Whoever waited for the other found its entry: the hub was asked once for each repository.
    assert len(hub.asked) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("datasets/a/b: [", "is not YAML"),
        ("- datasets/a/b", "needs lines such as"),
        ("a/b: " + "a" * 40, "a/b: is neither"),
        ("datasets/a/b: main", "'main' is no commit"),
        ("datasets/a/b: " + "1" * 40, "is no commit"),
    ],
)
def test_a_broken_lock_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    lock = tmp_path / "revisions.lock.yaml"
    lock.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"revisions\.lock\.yaml: ") as caught:
        read_lock(lock)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_commits_of_digits_alone_survive_the_lock(tmp_path: Path) -> None:
    entries = {"models/a/b": "1" * 40, "datasets/a/b": "1e" + "5" * 38}
    write_lock(tmp_path / "lock.yaml", entries)
    assert read_lock(tmp_path / "lock.yaml") == entries


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"id": "a/b", "revision": null}'])
def test_a_broken_pin_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "pin.json").write_text(text)
    with pytest.raises(UserError, match=r"^--revision: .*pin.json.*$"):
        read_revision(tmp_path / "pin.json", "a/b")
