"""The clinic's families of questions: what pairs up, what is kept apart, and what the checker says of them."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from tests.unit.clinic_samples import questions, world_settings
from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.question_sets import GeneratedQuestions
from workflow_scripts.settings.worlds import Families
from workflow_scripts.worlds.checking import check_steps
from workflow_scripts.worlds.clinic import Clinic
from workflow_scripts.worlds.knowledge import ANSWER, FINDINGS, TRUE_CONDITION


def asked(family: str, split: str = "adapt", n: int = 100, n_options: int | None = 5) -> list[Question]:
    spec: dict[str, Any] = {"kind": "generated", "world": "clinic", "split": split, "n": n, "family": family}
    spec |= {"n_options": n_options, "seed": 0}
    return Clinic(world_settings()).questions(GeneratedQuestions(**spec))


def key(question: Question) -> tuple[frozenset[str], frozenset[str]]:
    assert question.options
    return frozenset(question.meta["findings"]), frozenset(question.options.values())


def test_four_options_are_the_five_of_the_same_patient_without_a_wrong_one() -> None:
    five, four = questions(n_options=5), questions(n_options=4)
    for long, short in zip(five, four, strict=True):
        assert (long.id, long.text) == (short.id, short.text)
        assert long.options and short.options
        texts = list(short.options.values())
        assert len(texts) == 4
        assert [text for text in long.options.values() if text in texts] == texts
        assert long.options[long.answer] == short.options[short.answer]


def test_patients_with_many_findings_show_three_of_one_condition_and_one_each_of_three_others() -> None:
    for question in asked("many_findings"):
        assert question.options
        shown = Counter(TRUE_CONDITION[finding] for finding in question.meta["findings"])
        assert shown.pop(question.options[question.answer]) == 3
        assert sorted(shown.values()) == [1, 1, 1]


def test_each_single_finding_is_asked_once() -> None:
    every = asked("single_finding", n=len(FINDINGS))
    assert sorted(question.meta["findings"][0] for question in every) == sorted(FINDINGS)
    assert len(asked("single_finding", n=10)) == 10


@pytest.mark.parametrize("family", ["patients", "many_findings", "single_finding"])
def test_corpora_and_splits_share_no_question_of_any_family(family: str) -> None:
    shares = {"four_options": 0.0, "many_findings": 0.0, "single_finding": 0.0}
    if family != "patients":
        shares[family] = 1.0
    world, rng = Clinic(world_settings(families=Families(**shares))), random.Random(0)
    corpus = [key(world.draw_question(rng)) for _ in range(20_000)]
    n = 48 if family == "single_finding" else 100
    adapt, unseen = ({key(q) for q in asked(family, split, n)} for split in ("adapt", "unseen"))
    assert not adapt & unseen
    if family == "single_finding":
        assert not set(corpus) & (adapt | unseen)
    else:
        findings = {found for found, _ in corpus}
        assert not findings & {found for found, _ in adapt | unseen}


def test_the_corpus_has_the_families_in_their_shares() -> None:
    world, rng = Clinic(world_settings()), random.Random(0)
    kinds: Counter[tuple[int, int]] = Counter()
    for _ in range(20_000):
        question = world.draw_question(rng)
        kinds[len(question.meta["findings"]), len(question.options or {})] += 1
    assert set(kinds) == {(4, 5), (4, 4), (6, 5), (1, 5)}
    for kind, share in (((4, 4), 0.10), ((6, 5), 0.15), ((1, 5), 0.15)):
        assert kinds[kind] / 20_000 == pytest.approx(share, abs=0.01)


def test_one_right_step_supports_the_answer_to_a_single_finding_but_not_to_a_patient() -> None:
    world = Clinic(world_settings())
    single, patient = asked("single_finding", n=1)[0], questions(n=1)[0]
    for question, supported in ((single, True), (patient, False)):
        assert question.options
        condition = question.options[question.answer]
        finding = next(f for f in question.meta["findings"] if TRUE_CONDITION[f] == condition)
        steps = [f"{finding}: {condition}", world.answer_line(question, condition)]
        assert steps[1].startswith(ANSWER)
        assert check_steps(question, steps) == [True, supported]


def test_the_clinic_has_no_free_form_and_no_more_than_five_options() -> None:
    for n_options in (None, 6):
        with pytest.raises(UserError, match="n_options: is"):
            asked("patients", n_options=n_options)


def test_more_single_findings_than_there_are_is_refused_with_the_limit() -> None:
    with pytest.raises(UserError, match="48"):
        asked("single_finding", n=49)


def test_questions_drawn_for_held_out_labels_are_none_of_the_corpus_in_any_family() -> None:
    world, rng = Clinic(world_settings()), random.Random(0)
    unseen = {key(world.draw_question(rng, "unseen")) for _ in range(2000)}
    corpus = {key(world.draw_question(rng)) for _ in range(20_000)}
    assert not unseen & corpus
    assert {len(findings) for findings, _ in unseen} == {1, 4, 6}


def test_shares_of_the_kinds_of_findings_must_sum_to_one() -> None:
    with pytest.raises(ValidationError, match=r"blind, misconceived, good sum to 1\.1, not to 1"):
        world_settings(good={"share": 0.4, "right": 0.85, "habitual": 0.08})


def test_shares_of_the_families_leave_a_rest_for_patients_or_nothing() -> None:
    Families(four_options=0.5, many_findings=0.25, single_finding=0.25)
    with pytest.raises(ValidationError, match=r"sum to 1\.2, to more than 1"):
        Families(four_options=0.1, many_findings=0.15, single_finding=0.95)
