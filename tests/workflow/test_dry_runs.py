"""What Snakemake would run, asked of a fresh clone: with each profile, each scale, and wrong settings."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import snakemake
from rule_text import jobs

# Any request would fail at once, and a dry run that made one would fail with it.
NOWHERE = {"HF_ENDPOINT": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
HEAVY = ("torch", "transformers", "trl", "datasets", "huggingface_hub", "matplotlib")


def counts(output: str) -> dict[str, int]:
    """Rule -> number of jobs, from Snakemake's own statistics (printed twice in a dry run)."""
    table = output.split("Job stats:")[-1].split("\n\n")[0]
    return {name: int(number) for name, number in re.findall(r"(?m)^(\w+) +(\d+)$", table)}


def dry_run(project: Path, *arguments: str, **environment: str) -> dict[str, int]:
    done = snakemake(project, *arguments, "--dry-run", "--quiet", "reason", **environment)
    assert done.returncode == 0, done.stdout[-3000:]
    return counts(done.stdout)


def test_the_miniature_resolves_from_a_fresh_clone(clone: Path) -> None:
    found = dry_run(clone, "--profile", "local", "headline")
    # Three seeds of ttrl, prose, prose_mean and prm_label; claim 17 adds runs without the format guard.
    assert found["train"] in (13, 15)
    assert found["sample"] == found["train"] + 1
    # base, and three seeds each of prose and prose_mean
    assert found["score_steps"] == 7
    # What has step scores is evaluated with them for the figure, and without them for the claims.
    assert found["evaluate"] == found["sample"] + found["score_steps"]
    assert (found["pretrain_policy"], found["train_prm"], found["prepare_questions"]) == (1, 1, 1)
    assert (found["analyse"], found["render_figure"], found["render_table"]) == (3, 2, 1)


def test_one_seed_is_a_third_of_the_runs(clone: Path) -> None:
    found = dry_run(clone, "--profile", "local", "headline", "--config", "n_seeds=1")
    assert found["train"] == 5


def test_the_papers_scale_resolves_from_a_fresh_clone(clone: Path) -> None:
    done = snakemake(clone, "--profile", "slurm", "--dry-run", "headline")
    assert done.returncode == 0, done.stdout[-3000:]
    found = counts(done.stdout)
    assert (found["fetch_policy"], found["fetch_prm"]) == (1, 1)
    # The data set and the two models of the hub, none of which names a commit.
    assert (found["pin_revision"], found["prepare_questions"]) == (3, 1)
    assert "pretrain_policy" not in found
    assert found["train"] in (13, 15)
    # A dry run shows one thread whatever a rule asks for.
    resources = re.findall(r"Training \S+ \(\d+ threads, (\d+) GPU, (\d+) MB, (\d+) min\)", done.stdout)
    assert len(resources) == found["train"]
    assert set(resources) == {("1", "200000", "1440")}
    for verb, gpus in (("Sampling", "1"), ("Scoring the steps of", "1"), ("Evaluating", "0")):
        assert re.search(rf"{verb} .* \(\d+ threads, {gpus} GPU, \d+ MB, \d+ min\)", done.stdout)


# Artefact -> jobs of train, sample, score_steps and evaluate at the paper's scale. Runs: methods x 3 seeds, or
# policies x 4 question sets x 2 methods with one seed.
PAPER_JOBS = {
    "prose_fig1": (6, 7, 0, 7),
    "prose_fig2": (6, 2, 0, 2),  # TTRL on two forms; only their bases are sampled, runs evaluate themselves
    "prose_fig3": (0, 0, 0, 0),
    "prose_fig4": (6, 28, 0, 28),  # 7 policies on 4 question sets
    "prose_fig5": (6, 7, 7, 7),
    "prose_table1": (16, 8, 0, 8),
    "prose_table2": (16, 8, 8, 8),  # the steps of 2 policies' own samples on 4 question sets
    "prose_table3": (9, 10, 0, 10),
    "prose_table4": (16, 8, 8, 8),
}


@pytest.mark.parametrize("artefact", PAPER_JOBS)
def test_an_artefact_of_the_papers_scale_asks_for_its_runs_and_no_others(clone: Path, artefact: str) -> None:
    found = dry_run(clone, "--profile", "slurm", artefact, **NOWHERE)
    rules = ("train", "sample", "score_steps", "evaluate")
    assert tuple(found.get(rule, 0) for rule in rules) == PAPER_JOBS[artefact]


def test_artefacts_of_the_papers_scale_share_their_runs(clone: Path) -> None:
    found = dry_run(clone, "--profile", "slurm", *PAPER_JOBS, **NOWHERE)
    # 12 on MedQA-5op (4 methods x 3 seeds), 6 of the first policy and 8 of the second on other sets, 16 of the
    # small ones, 6 on AMC. Samples: of the runs on MedQA-5op, of 4 policies on 4 sets and one on 2, and of 6 runs on
    # 3 other sets.
    assert found["train"] == 12 + 6 + 8 + 16 + 6
    assert found["sample"] == 12 + 18 + 18
    # Figure 5's 6 runs and 16 bases
    assert found["score_steps"] == 22
    # Five data sets (AMC's two forms are one), five policies and the process reward model.
    assert (found["pin_revision"], found["prepare_questions"]) == (11, 6)
    assert (found["fetch_policy"], found["fetch_prm"]) == (5, 1)
    assert "pretrain_policy" not in found


def hub_scale(clone: Path, place: Path, revision: str | None) -> Path:
    """The paper's scale with a question set, a policy and a process reward model of the hub of its own."""
    scale = yaml.safe_load((clone / "config/paper.yaml").read_text(encoding="utf-8"))
    models = yaml.safe_load((clone / "config/models.yaml").read_text(encoding="utf-8"))
    prm = models["process_reward_models"]["med_prm"]
    prm["source"] = {"kind": "hub", "id": "org/prm", "revision": revision}
    model = {"kind": "hub", "id": "org/policy", "revision": revision}
    source = {"kind": "hub", "id": "org/set", "split": "test", "shape": "medqa", "revision": revision}
    entry = {"source": source, "prompt": {"user": "{text}"}, "answer": {"kind": "choice"}, "licence": "none"}
    scale["questions"] = {"my_set": entry}
    scale["models"] = {
        "policies": {"my_policy": {"source": model, "dtype": "bfloat16"}},
        "process_reward_models": {"my_prm": prm},
    }
    scale["roles"] = {
        "policies": {"main_policy": "my_policy"},
        "question_sets": {"medqa_5op": "my_set"},
        "process_reward_models": {"process_reward_model": "my_prm"},
    }
    path = place / "hub.yaml"
    path.write_text(yaml.safe_dump(scale), encoding="utf-8")
    return path


@pytest.mark.parametrize(("revision", "pins"), [(None, 3), ("0123456789" * 4, 0)])
def test_sources_of_the_hub_are_planned_without_it_and_pinned_by_jobs(
    clone: Path, tmp_path: Path, revision: str | None, pins: int
) -> None:
    scale = hub_scale(clone, tmp_path, revision)
    arguments = ("--profile", "slurm", "--configfile", str(scale), "--dry-run", "headline")
    done = snakemake(clone, *arguments, **NOWHERE)
    assert done.returncode == 0, done.stdout[-3000:]
    found = counts(done.stdout)
    assert (found.get("pin_revision", 0), found["prepare_questions"], found["fetch_policy"]) == (pins, 1, 1)
    pinned = set(re.findall(r"Pinning (\S+)", done.stdout))
    named = {"datasets/org--set", "models/org--policy", "models/org--prm"}
    assert pinned == (set() if revision else named)


def test_a_partition_comes_from_the_environment(clone: Path) -> None:
    # `all` is also the name of a Python function, and Snakemake evaluates what stands in a profile.
    site = {"REPRO_SLURM_PARTITION": "all", "REPRO_SLURM_ACCOUNT": "my-group"}
    done = snakemake(clone, "--profile", "slurm", "--dry-run", "headline", **site)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "slurm_partition=all" in done.stdout
    assert "slurm_account=my-group" in done.stdout


def test_the_smoke_test_runs_every_rule_in_at_most_40_jobs(clone: Path) -> None:
    found = dry_run(clone, "headline", "--profile", "local", "--configfile", "config/smoke.yaml")
    assert sum(count for name, count in found.items() if name != "total") <= 40
    # Pins and fetching are for the hub, or models of a local folder, and overlaps for `all` with several question
    # sets; a smoke test has none of them.
    assert set(found) >= set(jobs()) - {"pin_revision", "fetch_policy", "fetch_prm", "check_overlap"}


@pytest.mark.parametrize(
    ("targets", "audits"),
    [(["headline"], ["headline"]), (["all"], ["figures"]), (["all", "headline"], ["figures", "headline"])],
)
def test_an_audit_waits_for_the_same_artefacts_whatever_else_is_asked_for(
    clone: Path, targets: list[str], audits: list[str]
) -> None:
    smaller = ("--configfile", "config/smoke.yaml", "--config", "headline=[prose_fig1]")
    done = snakemake(clone, *targets, "--dry-run", "--profile", "local", *smaller)
    assert done.returncode == 0, done.stdout[-3000:]
    found = dict(re.findall(r"Auditing figures and tables: (\w+)\nReason: (.*)", done.stdout))
    assert set(found) == set(audits)
    for audit, inputs in found.items():
        assert "prose_fig1.pdf" in inputs
        assert ("prose_table3.md" in inputs) == (audit == "figures")


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_no_key_of_another_scale_leaks_in(clone: Path, tmp_path: Path, profile: str) -> None:
    scale = yaml.safe_load((clone / "config/smoke.yaml").read_text(encoding="utf-8"))
    del scale["grpo"]["kl_coefficient"]
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump(scale), encoding="utf-8")
    done = snakemake(clone, "--profile", profile, "--configfile", str(mine), "--dry-run", "--", "headline")
    assert done.returncode != 0
    assert "grpo.kl_coefficient: is missing" in done.stdout


def test_a_job_on_a_cluster_reads_the_same_scale_as_its_parent(clone: Path) -> None:
    """Snakemake hands a spawned job the files and values, but neither the profile nor `replace-workflow-config`."""
    parent = snakemake(clone, "--profile", "slurm", "--summary", "headline", "--config", "n_seeds=1")
    values = ("--configfiles", "config/paper.yaml", "--config", "n_seeds=1")
    child = snakemake(clone, "--cores", "1", "--summary", "headline", *values)
    named = [set(re.findall(r"(?m)^results/\S+", done.stdout)) for done in (parent, child)]
    assert named[0] == named[1]
    assert len(named[0]) > 50


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_one_scale_file_is_the_same_plan_under_either_profile(clone: Path, profile: str) -> None:
    arguments = ("--profile", profile, "--configfile", "config/smoke.yaml", "--summary", "headline")
    done = snakemake(clone, *arguments)
    runs = set(re.findall(r"results/(\w+)/runs/([\w.]+)/manifest.json\t", done.stdout))
    assert {scale for scale, _ in runs} == {"smoke"}
    assert len(runs) == 5


def test_results_and_figures_can_lie_elsewhere(clone: Path, tmp_path: Path) -> None:
    done = snakemake(
        clone,
        *("--profile", "local", "--summary", "prose_fig1"),
        *("--config", f"results={tmp_path / 'my results'}", f"figures={tmp_path / 'my figures'}"),
    )
    assert f"{tmp_path}/my figures/prose_fig1.pdf" in done.stdout
    assert "results/mini" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "track_code=false"], "config/mini.yaml: track_code: expected true or false"),
        (["--config", "n_sedes=1"], "config/mini.yaml: n_sedes: unknown key. Did you mean n_seeds?"),
        (["--config", "n_seeds=-1"], "config/mini.yaml: n_seeds: should be greater than or equal to 1"),
    ],
)
def test_wrong_settings_end_before_the_dag_in_one_line(clone: Path, arguments: list[str], words: str) -> None:
    done = snakemake(clone, "--profile", "local", "headline", "--dry-run", *arguments)
    assert done.returncode == 2
    assert f"error: {words}" in done.stdout
    assert "Traceback" not in done.stdout
    assert "Building DAG" not in done.stdout


def test_an_artefact_is_a_target_and_an_unknown_one_is_not(clone: Path) -> None:
    found = dry_run(clone, "--profile", "local", "prose_fig5")
    assert found["render_figure"] == 1
    assert "check_claims" not in found
    assert snakemake(clone, "--profile", "local", "--dry-run", "prose_fig55").returncode != 0


@pytest.mark.parametrize(
    ("profile", "scale"),
    [("local", "config/mini.yaml"), ("local", "config/smoke.yaml"), ("slurm", "config/paper.yaml")],
)
def test_every_name_that_status_prints_is_a_target(clone: Path, profile: str, scale: str) -> None:
    command = [sys.executable, "-m", "workflow_scripts.status", "--json", "--scale-file", scale]
    told = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True)
    rows = json.loads(told.stdout)
    listed = snakemake(clone, "--profile", profile, "--list-target-rules", "--configfile", scale)
    targets = set(re.findall(r"(?m)^(\w+)(?: \(|$)", listed.stdout))
    assert {row["artefact"] for row in rows} <= targets
    for row in rows:
        words = shlex.split(row["hint"])
        assert words[:4] == ["snakemake", "--profile", profile, row["artefact"]]
        assert words[4:] == (
            [] if scale == "config/mini.yaml" or profile == "slurm" else ["--configfile", scale]
        )


@pytest.mark.parametrize(("target", "ledger"), [("claims", "all"), ("headline_claims", "headline")])
def test_a_ledger_is_a_target(clone: Path, target: str, ledger: str) -> None:
    done = snakemake(clone, "--profile", "local", "--dry-run", target, "--configfile", "config/smoke.yaml")
    assert done.returncode == 0, done.stdout[-3000:]
    assert set(re.findall(r"Checking claims: (\w+)", done.stdout)) == {ledger}
    assert not set(counts(done.stdout)) & {"render_figure", "audit_artefacts", "report_page"}


def test_parsing_imports_nothing_heavy(clone: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-X",
            "importtime",
            "-m",
            "snakemake",
            "--profile",
            "local",
            "--dry-run",
            "headline",
        ],
        cwd=clone,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {
        line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line
    }
    assert "workflow_scripts" in imported
    assert not imported & set(HEAVY)
