"""PROSE's claims 4-8 and 14-16 as config/claims.yaml has them: evidence for each verdict, worked by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import yaml
from synthetic_claims import judged_rows, selection_evidence
from synthetic_evidence import STATISTICS, question_rows, write_base, write_run, write_transfer

from workflow_scripts.analysis.claims import CheckedClaim, check_claim
from workflow_scripts.settings.evidence import ClaimSpec, ClaimWithEvidence, Evidence, NotRun

CLAIMS = Path(__file__).parents[2] / "config" / "claims.yaml"
FOUR = ("medqa_5op", "medmcqa", "ddxplus", "medqa_4op")
UNSEEN = FOUR[1:]
LARGE, SMALL = ("main_policy", "second_policy"), ("small_policy_1", "small_policy_2")
CLOCK, FREE, OPTIONS = "answer_space_policy", "amc_free", "amc_4op"


def check(claim_id: str, found: Evidence) -> CheckedClaim:
    claim = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))[claim_id]
    spec = ClaimSpec.model_validate_json(json.dumps(claim))
    return check_claim(claim_id, ClaimWithEvidence(claim=spec, evidence=found), STATISTICS)


def verdict(claim_id: str, found: Evidence) -> str:
    return check(claim_id, found).verdict


@pytest.mark.parametrize("claim_id", [f"claim_{n:02d}" for n in (4, 5, 6, 7, 8, 14, 15, 16)])
def test_without_its_roles_a_claim_is_not_run_and_says_why(claim_id: str) -> None:
    claim = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))[claim_id]
    absent = [
        NotRun(
            policy_role=policy,
            questions_role=questions,
            method=method,
            reason="the scale tiny has no such role",
        )
        for policy in claim["needs"]["policies"]
        for questions in (*FOUR, FREE, OPTIONS, "unseen")
        for method in (None, "ttrl", "prose")
    ]
    checked = check(claim_id, Evidence(base=[], runs=[], not_run=absent))
    assert checked.verdict == "not run"
    assert {part.verdict for part in checked.parts} == {"not run"}
    assert {part.reason for part in checked.parts} == {"the scale tiny has no such role"}


# ------------------------------------------------------------------ PROSE against TTRL, selection, other sizes

Cell = tuple[int, int, int, int]
"""Questions of 20 right by TTRL, BoN, SC+RM and PROSE; those of the smaller number are among the larger's."""


def cells(policies: tuple[str, ...], of: Callable[[str, str], Cell]) -> dict[tuple[str, str], Cell]:
    return {(policy, questions): of(policy, questions) for policy in policies for questions in FOUR}


@pytest.mark.parametrize(
    ("ddxplus", "expected"),
    [
        ((5, 0, 0, 15), "holds"),
        ((15, 0, 0, 5), "does not hold"),
        ((5, 0, 0, 6), "undecided"),  # a lead on one question of 20 is absent from a third of the resamples
    ],
)
def test_prose_beats_ttrl_on_every_question_set_or_the_claim_falls(
    tmp_path: Path, ddxplus: Cell, expected: str
) -> None:
    found = selection_evidence(
        tmp_path,
        cells(
            LARGE,
            lambda policy, name: ddxplus if (policy, name) == ("main_policy", "ddxplus") else (5, 0, 0, 15),
        ),
    )
    checked = check("claim_04", found)
    assert checked.verdict == expected
    # avg@k and maj@k in 8 cells each.
    assert len(checked.parts) == 16


def test_the_second_policys_avg_is_shown_by_claim_4_and_decides_nothing(tmp_path: Path) -> None:
    checked = check("claim_04", selection_evidence(tmp_path, cells(LARGE, lambda *_: (5, 0, 0, 15))))
    deciding = {(part.policy_role, part.part.decides) for part in checked.parts if "avg@k" in part.part.says}
    assert deciding == {("main_policy", True), ("second_policy", False)}


BEST, SECOND = (5, 8, 8, 16), (5, 16, 8, 8)
"""PROSE is the best; BoN is."""


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        (set(), "holds"),
        ({("second_policy", "medqa_4op")}, "holds"),  # the paper's own picture: 7 of 8
        ({("second_policy", "medqa_4op"), ("main_policy", "ddxplus")}, "does not hold"),  # 6 of 8
    ],
)
def test_prose_has_to_be_the_best_in_seven_of_eight_cells(
    tmp_path: Path, lost: set[tuple[str, str]], expected: str
) -> None:
    found = selection_evidence(
        tmp_path, cells(LARGE, lambda policy, name: SECOND if (policy, name) in lost else BEST)
    )
    checked = check("claim_14", found)
    assert checked.verdict == expected
    (count,) = (part.estimate for part in checked.parts if part.part.across == "count")
    assert count is not None
    assert (count.value, count.low, count.high) == (8 - len(lost),) * 3


def test_a_seventh_cell_that_may_be_a_tie_leaves_the_count_undecided(tmp_path: Path) -> None:
    narrow = {("second_policy", "ddxplus"): (5, 8, 8, 9), ("second_policy", "medqa_4op"): SECOND}
    found = selection_evidence(tmp_path, cells(LARGE, lambda policy, name: narrow.get((policy, name), BEST)))
    assert verdict("claim_14", found) == "undecided"


def test_selection_that_is_better_on_average_refutes_claim_14(tmp_path: Path) -> None:
    # Best in 7 of 8 cells by 0.05, and far behind SC+RM in one: on average behind.
    behind = ("main_policy", "ddxplus")
    found = selection_evidence(
        tmp_path,
        cells(LARGE, lambda policy, name: (0, 0, 20, 0) if (policy, name) == behind else (0, 0, 14, 16)),
    )
    checked = check("claim_14", found)
    # SC+RM ahead by 1 on one set, behind by 0.1 on three: the mean is -0.7 / 4.
    (mean,) = (
        part
        for part in checked.parts
        if "SC+RM, mean" in part.part.says and part.policy_role == "main_policy"
    )
    assert mean.estimate is not None
    assert mean.estimate.value == pytest.approx(-0.175)
    assert (mean.verdict, checked.verdict) == ("does not hold", "does not hold")


@pytest.mark.parametrize(
    ("one_size_up", "weakest", "weakest_on_ddxplus", "expected"),
    [
        (BEST, SECOND, SECOND, "holds"),
        (BEST, SECOND, (5, 8, 8, 10), "holds"),  # the paper's own picture: ahead on DDXPlus alone
        (BEST, BEST, BEST, "does not hold"),  # no reversal
        (SECOND, SECOND, SECOND, "does not hold"),  # no capacity at which it turns
        (BEST, (5, 8, 8, 8), (5, 9, 8, 8), "undecided"),  # BoN is ahead on one question of 80
    ],
)
def test_the_order_turns_between_the_two_small_policies_or_the_claim_falls(
    tmp_path: Path, one_size_up: Cell, weakest: Cell, weakest_on_ddxplus: Cell, expected: str
) -> None:
    def of(policy: str, name: str) -> Cell:
        if policy == "small_policy_1":
            return one_size_up
        return weakest_on_ddxplus if name == "ddxplus" else weakest

    assert verdict("claim_15", selection_evidence(tmp_path, cells(SMALL, of))) == expected


# ------------------------------------------------------------------ the answer space


def clock(
    folder: Path, questions: str, curve: dict[int, list[int]], entropy: dict[int, float] | None = None
) -> Evidence:
    """TTRL (one seed) of the answer-space policy: step -> right answers of 4 per question, and answer entropy."""
    tables = {
        step: question_rows(right, 4).assign(answer_entropy=(entropy or {}).get(step, 0.5))
        for step, right in curve.items()
    }
    base = write_base(folder, tables[0], CLOCK, questions)
    last = tables[max(tables)]
    run = write_run(folder, "ttrl", 0, tables, evaluation=last, policy=CLOCK, questions=questions)
    return Evidence(base=[base], runs=[run], not_run=[])


@pytest.mark.parametrize(
    ("end", "entropy", "expected"),
    [
        ([3, 4, 3, 4], 0.1, "holds"),
        ([3, 4, 3, 4], 0.9, "does not hold"),  # improves, and becomes more diverse
        ([0, 1, 0, 1], 0.1, "does not hold"),  # diversity falls, and accuracy too
        ([1, 4, 1, 2], 0.1, "undecided"),  # only one question of four is better
    ],
)
def test_free_form_ttrl_has_to_improve_while_its_answers_become_alike(
    tmp_path: Path, end: list[int], entropy: float, expected: str
) -> None:
    found = clock(tmp_path, FREE, {0: [1, 2, 1, 2], 100: end}, {0: 0.5, 100: entropy})
    assert verdict("claim_05", found) == expected


@pytest.mark.parametrize(
    ("peak", "end", "expected"),
    [
        ([3, 3, 3, 3], [1, 1, 1, 1], "holds"),  # 0.5 -> 0.75 -> 0.25
        ([3, 3, 3, 3], [2, 2, 2, 2], "holds"),  # ends exactly at the base
        ([3, 3, 3, 3], [3, 3, 3, 3], "does not hold"),  # no collapse
        ([2, 2, 2, 2], [1, 1, 1, 1], "does not hold"),  # never above the base
        ([4, 4, 4, 4], [3, 3, 3, 3], "does not hold"),  # falls, and keeps a gain
        ([3, 3, 3, 3], [3, 1, 1, 1], "undecided"),  # one question keeps its gain
    ],
)
def test_four_option_ttrl_has_to_rise_collapse_and_end_without_gain(
    tmp_path: Path, peak: list[int], end: list[int], expected: str
) -> None:
    found = clock(tmp_path, OPTIONS, {0: [2, 2, 2, 2], 50: peak, 95: end, 100: end})
    assert verdict("claim_06", found) == expected


def test_a_fall_that_is_certain_but_small_is_no_collapse(tmp_path: Path) -> None:
    # 25 questions of 40 samples: the peak's 0.55 falls by one sample of each, 0.025, to 0.525.
    curve = {
        step: question_rows([right] * 25, 40) for step, right in ((0, 21), (50, 22), (95, 21), (100, 21))
    }
    base = write_base(tmp_path, curve[0], CLOCK, OPTIONS)
    run = write_run(tmp_path, "ttrl", 0, curve, policy=CLOCK, questions=OPTIONS)
    checked = check("claim_06", Evidence(base=[base], runs=[run], not_run=[]))
    fall = [
        part
        for part in checked.parts
        if part.part.says.startswith("avg@k, last 10 % of the steps minus the peak")
    ]
    assert [part.verdict for part in fall] == ["holds", "does not hold"]
    assert checked.verdict == "does not hold"


def gaps(folder: Path, questions: str, groups: list[str]) -> Evidence:
    """TTRL's rollouts: one question a step, all of gold A; the first letter is the label."""
    rollouts = judged_rows(
        {step: {f"q{step}": ("A", answers)} for step, answers in enumerate(groups, start=1)}
    )
    run = write_run(
        folder, "ttrl", 0, {0: question_rows([1], 4)}, rollouts=rollouts, policy=CLOCK, questions=questions
    )
    return Evidence(base=[], runs=[run], not_run=[])


SCATTERED, COLLIDING, HALF = "BCDE", "BBBB", "BBBC"
"""Protection of a wrong label B: three of four, none, one of four."""


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([SCATTERED] * 10, "holds"),
        ([COLLIDING] * 10, "does not hold"),
        ([SCATTERED] * 2 + [COLLIDING] * 8, "undecided"),  # 0.15, from two questions of ten
    ],
)
def test_the_free_form_gap_has_to_be_clearly_positive(
    tmp_path: Path, groups: list[str], expected: str
) -> None:
    assert verdict("claim_07", gaps(tmp_path, FREE, groups)) == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([COLLIDING] * 10, "holds"),
        ([HALF] * 10, "does not hold"),
        ([HALF] * 1 + [COLLIDING] * 9, "undecided"),  # 0.025, from one question of ten
    ],
)
def test_the_four_option_gap_has_to_be_nearly_zero(tmp_path: Path, groups: list[str], expected: str) -> None:
    assert verdict("claim_08", gaps(tmp_path, OPTIONS, groups)) == expected


def test_the_start_and_the_end_of_a_run_are_shown_and_decide_nothing(tmp_path: Path) -> None:
    # Eight steps protect, the last two do not: the mean decides, the last tenth says otherwise.
    checked = check("claim_07", gaps(tmp_path, FREE, [SCATTERED] * 18 + [COLLIDING] * 2))
    shown = {part.part.says: (part.verdict, part.part.decides) for part in checked.parts}
    assert shown["protection gap, all steps"] == ("holds", True)
    assert shown["protection gap, last 10 % of the steps"] == ("does not hold", False)
    assert checked.verdict == "holds"
    rate = next(part for part in checked.parts if part.part.says == "protection rate, all steps")
    assert rate.estimate is not None
    assert rate.estimate.value == pytest.approx(18 * 0.75 / 20)  # all labels are wrong: the gap itself


# ------------------------------------------------------------------ other questions


def out_of_distribution(
    folder: Path, base: int, ttrl: int, prose: int, in_domain: int, on_ddxplus: int | None = None
) -> Evidence:
    """Questions of 20 right (all samples of each) on every unseen set; PROSE otherwise on one of them if given."""

    def rows(right: int) -> pd.DataFrame:
        return question_rows([4] * right + [0] * (20 - right), 4)

    transfers, runs = [], []
    for name in (*UNSEEN, "unseen"):
        moved = on_ddxplus if name == "ddxplus" and on_ddxplus is not None else prose
        transfers.append(write_transfer(folder, rows(base), None, None, name))
        transfers += [
            write_transfer(folder, rows(right), method, seed, name)
            for method, right in (("ttrl", ttrl), ("prose", moved))
            for seed in (0, 1)
        ]
    for name in UNSEEN:
        curve = {0: rows(base), 10: rows(in_domain)}
        runs.append(write_run(folder, "prose", 0, curve, questions=name))
    return Evidence(base=[], runs=runs, transfers=transfers, not_run=[])


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((4, 6, 12, 18), "holds"),
        ((4, 13, 10, 18), "does not hold"),  # TTRL transfers better
        ((12, 2, 6, 18), "does not hold"),  # below the base
        ((4, 6, 18, 12), "does not hold"),  # gains more than where it is adapted
        ((4, 11, 12, 18), "undecided"),  # ahead of TTRL on one question of 20
    ],
)
def test_prose_transfers_better_than_ttrl_but_less_than_adaptation_there(
    tmp_path: Path, numbers: tuple[int, int, int, int], expected: str
) -> None:
    assert verdict("claim_16", out_of_distribution(tmp_path, *numbers)) == expected


def test_one_unseen_question_set_without_a_gain_refutes_transfer(tmp_path: Path) -> None:
    checked = check("claim_16", out_of_distribution(tmp_path, 8, 2, 12, 18, on_ddxplus=4))
    assert checked.verdict == "does not hold"
    refuted = [
        (part.questions_role, part.part.says) for part in checked.parts if part.verdict == "does not hold"
    ]
    assert refuted == [("ddxplus", "PROSE adapted on MedQA-5op minus the base")]


def test_held_out_questions_of_the_same_kind_decide_nothing(tmp_path: Path) -> None:
    found = out_of_distribution(tmp_path, 4, 6, 12, 18)
    found = found.model_copy(
        update={
            "transfers": [item for item in found.transfers if item.questions_role != "unseen"],
            "not_run": [
                NotRun(
                    policy_role="main_policy", questions_role="unseen", method=method, reason="no such role"
                )
                for method in (None, "ttrl", "prose")
            ],
        }
    )
    checked = check("claim_16", found)
    assert checked.verdict == "holds"
    assert {part.verdict for part in checked.parts if part.questions_role == "unseen"} == {"not run"}
