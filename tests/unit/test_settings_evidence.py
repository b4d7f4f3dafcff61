"""The evidence of several needs as one."""

from __future__ import annotations

from pathlib import Path

from synthetic_evidence import POLICY, QUESTIONS, evidence, question_rows, write_base, write_run

from workflow_scripts.settings.evidence import Evidence, NotRun, merged

ROWS = question_rows([1, 2], 4)


def test_a_run_that_one_need_evaluates_and_another_does_not_is_one_run_with_its_evaluation(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path, "ttrl", 0, {0: ROWS}, evaluation=ROWS)
    alone = run.model_copy(update={"evaluation": None, "per_question": None})
    for found in ([evidence(None, [alone]), evidence(None, [run])], [evidence(None, [run, alone])]):
        assert merged(found).runs == [run]


def test_paths_that_different_needs_ask_for_come_together(tmp_path: Path) -> None:
    run = write_run(tmp_path, "prose", 0, {0: ROWS}, evaluation=ROWS)
    reported = run.model_copy(
        update={"evaluation": None, "per_question": None, "prm_report": "prm/report.json"}
    )
    assert merged([evidence(None, [reported]), evidence(None, [run])]).runs == [
        run.model_copy(update={"prm_report": "prm/report.json"})
    ]


def test_a_scored_base_keeps_the_evaluation_that_knows_its_scores(tmp_path: Path) -> None:
    plain = write_base(tmp_path / "plain", ROWS)
    scored = write_base(tmp_path / "scored", ROWS, step_auc=0.9)
    assert merged([evidence(plain, []), evidence(scored, [])]).base == [scored]


def test_seeds_roles_and_absences_stay_apart(tmp_path: Path) -> None:
    runs = [write_run(tmp_path, "ttrl", seed, {0: ROWS}) for seed in (0, 1)]
    runs.append(runs[0].model_copy(update={"questions_role": "medqa_4op"}))
    absent = [
        NotRun(policy_role=POLICY, questions_role=QUESTIONS, method=method, reason="no role")
        for method in (None, "prose")
    ]
    found = Evidence(base=[], runs=runs, not_run=absent)
    assert merged([found, found]) == found
