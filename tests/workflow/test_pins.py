"""From a data set of the hub to prepared questions through the DAG; the hub is a server on this machine."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from conftest import copy_working_tree, snakemake

from tests.unit.hub_server import Repository, commit, hub_environment, serving

FILE = "data/test-00000-of-00001.parquet"
OVERLAP = "results/own/questions/overlap.csv"


def split(*texts: str) -> dict[str, bytes]:
    options = {"A": "Iron", "B": "Zinc"}
    rows = [{"question": text, "options": options, "answer_idx": "A", "answer": "Iron"} for text in texts]
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return {FILE: file.getvalue()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The working tree with a scale of two question sets of one data set of the hub."""
    project = copy_working_tree(tmp_path / "a project")
    (project / "config/revisions.lock.yaml").unlink(missing_ok=True)
    scale = yaml.safe_load((project / "config/smoke.yaml").read_text(encoding="utf-8"))
    source = {"kind": "hub", "id": "org/set", "split": "test", "shape": "medqa"}
    entry = {"source": source, "prompt": {"user": "{text}\n{options}"}, "answer": {"kind": "choice"}}
    scale["questions"] |= {
        "all_of_it": {**entry, "licence": "none"},
        "first_of_it": {**entry, "subset": 1, "licence": "none"},
    }
    scale |= {"scale": "own", "results": "results/own", "figures": "figures/own"}
    scale["roles"]["question_sets"] = {"medqa_5op": "all_of_it", "medqa_4op": "first_of_it"}
    scale["roles"]["policies"] = {}  # tiny ones read no questions of the hub
    (project / "config/own.yaml").write_text(yaml.safe_dump(scale), encoding="utf-8")
    return project


def test_a_commit_is_pinned_once_for_all_that_reads_it_and_stays(project: Path) -> None:
    old, new = commit(1), commit(2)
    repository = Repository({old: split("Which drug?", "Which food?")})
    with serving({"datasets/org/set": repository}) as hub:
        environment = {
            name: value
            for name, value in hub_environment(hub.address, project.parent).items()
            if name.startswith("HF_")
        } | {"HF_HUB_OFFLINE": "0"}  # whatever an earlier test has set in this process
        arguments = ("--profile", "local", "--configfile", "config/own.yaml", "--", OVERLAP)
        for attempt in range(2):
            done = snakemake(project, *arguments, **environment)
            assert done.returncode == 0, done.stdout[-5000:]
            assert ("Nothing to be done" in done.stdout) == (attempt == 1)
            repository.commits[new] = split("Which drug?", "Which plant?", "Which stone?")
    assert done.stdout.count("Traceback") == 0
    assert f"datasets/org/set: '{old}'" in (project / "config/revisions.lock.yaml").read_text(
        encoding="utf-8"
    )
    pins = sorted((project / "results/own/revisions").rglob("*.json"))
    assert [pin.name for pin in pins] == ["org--set.json", "org--set.json.prov.json"]
    assert json.loads(pins[0].read_text())["revision"] == old

    records = [
        json.loads(path.read_text()) for path in (project / "results/own/questions").glob("*_of_it.*/*.json")
    ]
    roots = [(root["id"], root["revision"]) for record in records for root in record.get("roots", [])]
    assert roots == [("org/set", old)] * 2
    (line,) = (project / OVERLAP).read_text(encoding="utf-8").splitlines()[1:]
    assert line == "all_of_it,2,first_of_it,1,1,1,0.5,1.0,1"
