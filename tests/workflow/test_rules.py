"""House rules of the rules: what Snakemake does not insist on, and what goes wrong without it."""

from __future__ import annotations

import re

import pytest
import yaml
from rule_text import FILES, ROOT, is_local, jobs, rules, section

COMPUTE = [name for name, text in jobs().items() if not is_local(text)]


def test_there_are_rules_of_both_kinds() -> None:
    assert {"train", "sample", "score_steps", "evaluate", "analyse"} <= set(COMPUTE)
    local = {
        "pin_revision",
        "prepare_questions",
        "check_overlap",
        "fetch_policy",
        "fetch_prm",
        "render_figure",
    }
    assert local <= set(jobs()) - set(COMPUTE)


@pytest.mark.parametrize("name", jobs())
def test_a_rule_has_everything_that_a_rule_should_have(name: str) -> None:
    text = jobs()[name]
    assert re.match(r'rule \w+:\n    """[A-Z].+\."""\n', text), "docstring"
    # What made a pin is no reason to make it again: it has no input at all.
    inputs = () if name == "pin_revision" else ("input",)
    for part in (*inputs, "output", "log", "benchmark", "threads", "resources", "conda", "message"):
        assert section(text, part).strip(), part
    for resource in ("mem_mb=", "runtime="):
        assert resource in section(text, "resources")
    assert ".prov.json" in section(text, "output"), "record"
    assert section(text, "benchmark").strip().strip('",').endswith(".jsonl")


@pytest.mark.parametrize("name", jobs())
def test_a_shell_command_logs_quotes_and_limits_threads(name: str) -> None:
    shell = section(jobs()[name], "shell")
    assert "exec &> >(tee {log:q})" in shell
    assert "OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}" in shell
    for placeholder in re.findall(r"\{[^}]+\}", shell):
        assert placeholder == "{threads}" or placeholder.endswith(":q}"), placeholder


@pytest.mark.parametrize("name", jobs())
def test_parameters_are_functions_of_wildcards_alone(name: str) -> None:
    """Snakemake does not notice a change of what is computed from input or output."""
    assert set(re.findall(r"lambda ([^:]+):", jobs()[name])) <= {"wildcards"}


@pytest.mark.parametrize("name", [*COMPUTE, "prepare_questions", "fetch_policy", "fetch_prm"])
def test_settings_that_change_no_number_run_no_job_again(name: str) -> None:
    assert "**settings_of(" in section(jobs()[name], "params")
    assert "config=" not in section(jobs()[name], "params")


@pytest.mark.parametrize("name", jobs())
def test_state_is_no_output(name: str) -> None:
    """Snakemake empties outputs before a job and after a failure."""
    assert "state" not in section(jobs()[name], "output")
    assert "directory(" not in section(jobs()[name], "output")


@pytest.mark.parametrize("name", COMPUTE)
def test_a_computing_rule_asks_for_its_gpus_and_stays_off_the_network(name: str) -> None:
    assert "gpu=" in section(jobs()[name], "resources")
    assert "HF_HUB_OFFLINE=1" in section(jobs()[name], "shell")


def test_what_may_download_runs_beside_snakemake() -> None:
    for name, text in jobs().items():
        if name in ("pin_revision", "prepare_questions", "fetch_policy", "fetch_prm"):
            assert is_local(text)
            assert "HF_HUB_OFFLINE" not in text


def test_no_rule_runs_python_in_snakemake_itself() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?m)^\s+(run|script|notebook|wrapper):", text), path.name
        assert not re.search(r"(?m)^checkpoint ", text), path.name
        assert "protected(" not in text, path.name


def test_each_file_opens_with_what_goes_in_and_out() -> None:
    for path in (ROOT / "rules").glob("*.smk"):
        assert path.read_text(encoding="utf-8").startswith('"""'), path.name


@pytest.mark.parametrize("name", ["local", "slurm"])
def test_a_profile_names_its_whole_scale_file_and_only_rules_that_exist(name: str) -> None:
    (file,) = (ROOT / "profiles" / name).iterdir()
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if "?" not in line]
    lines = [line for line in lines if not line.lstrip().startswith("slurm_")]
    profile = yaml.safe_load("\n".join(lines))
    assert profile["replace-workflow-config"] is True
    assert (ROOT / profile["configfile"]).is_file()
    for key in ("set-resources", "set-threads", "groups"):
        assert set(profile.get(key, {})) <= set(rules())


def test_profiles_are_found_by_name_and_none_is_implicit() -> None:
    for name in ("local", "slurm"):
        assert (ROOT / name).is_symlink()
        assert (ROOT / name).resolve() == (ROOT / "profiles" / name).resolve()
    assert not (ROOT / "profiles/default").exists()


def test_the_results_readme_lists_the_folders_that_rules_write() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in FILES)
    made = set(re.findall(r"\{RESULTS\}/(\w+)/", text))
    rows = re.findall(r"(?m)^\| (`.*?) \|", (ROOT / "results/README.md").read_text(encoding="utf-8"))
    listed = {folder for row in rows for folder in re.findall(r"`(\w+)/", row)}
    assert listed == made


def test_no_registry_or_machine_is_named_in_what_is_installed_or_run() -> None:
    places = [*FILES, ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / ".ci/run"]
    for path in [*places, *(ROOT / "envs").iterdir(), *(ROOT / "profiles").glob("*/*")]:
        text = path.read_text(encoding="utf-8")
        assert "://" not in text, path
        assert "index-url" not in text, path


def test_locks_hold_plain_versions() -> None:
    for path in (ROOT / "envs").glob("*.lock"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), line


def test_a_command_that_needs_all_evidence_gets_it_by_file_and_tracks_its_content() -> None:
    """Linux takes no argument of 128 KiB, and a shell gets its command as one."""
    assert section(jobs()["check_claims"], "params").strip() == "**claims_settings(PLAN),"
    assert "write_claims_config(PLAN)" in (ROOT / "Snakefile").read_text(encoding="utf-8")
