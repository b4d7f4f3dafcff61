"""The clinic world: balanced, disjoint questions, a checker that can be checked by hand, a reasoner as specified."""

import random
from collections import Counter

import pytest

from tests.unit.clinic_samples import angina_question, questions, world_settings
from workflow_scripts.answers.reading import read_answer
from workflow_scripts.errors import UserError
from workflow_scripts.settings.models import StepLabels
from workflow_scripts.settings.question_sets import ChoiceRule, GeneratedQuestions
from workflow_scripts.worlds.checking import (
    answer_agrees_with_steps,
    check_steps,
    corrupt,
    says_a_finding_twice,
)
from workflow_scripts.worlds.clinic import Clinic
from workflow_scripts.worlds.knowledge import CONDITIONS, FILLER, FINDINGS, SIGNATURES, TRUE_CONDITION


def key(question):
    return frozenset(question.meta["findings"])


def test_each_finding_is_the_signature_of_exactly_one_condition():
    assert len(FINDINGS) == len(set(FINDINGS)) == 3 * len(CONDITIONS)
    assert all(TRUE_CONDITION[f] == c for c, findings in SIGNATURES.items() for f in findings)


def test_no_phrase_begins_another_so_that_tokens_are_unambiguous():
    phrases = [*FINDINGS, *CONDITIONS]
    assert not [(a, b) for a in phrases for b in phrases if a != b and b.startswith(a)]


def test_evaluation_questions_are_balanced_and_distinct():
    asked = questions(n=100)
    gold = Counter(q.options[q.answer] for q in asked)
    assert set(gold.values()) == {6, 7}
    assert len({key(q) for q in asked}) == 100
    assert all(len(set(q.options.values())) == 5 for q in asked)


def test_corpora_and_splits_share_no_set_of_findings():
    world, rng = Clinic(world_settings()), random.Random(0)
    corpus = {key(world.draw_question(rng)) for _ in range(20_000)}
    adapt, unseen = {key(q) for q in questions("adapt")}, {key(q) for q in questions("unseen")}
    assert not corpus & adapt
    assert not corpus & unseen
    assert not adapt & unseen


def test_more_questions_than_patients_is_refused_with_the_limit():
    spec = GeneratedQuestions(kind="generated", world="clinic", split="adapt", n=145, n_options=5, seed=0)
    with pytest.raises(UserError, match="144"):
        Clinic(world_settings()).questions(spec)


def test_kinds_of_belief_are_apportioned_exactly():
    world = Clinic(world_settings())
    kinds = Counter(world.belief[f].right for f in FINDINGS)
    assert kinds == {0.03: 14, 0.3: 19, 0.85: 15}


def test_reasoner_follows_its_beliefs():
    world, rng = Clinic(world_settings(skip=0.0, filler=0.0, rambler=0.0, no_answer=0.0)), random.Random(1)
    question = angina_question()
    said = Counter(line for _ in range(4000) for line in world.respond(question, rng)[:-1])
    for finding in question.meta["findings"]:
        belief = world.belief[finding]
        expected = belief.right + (1 - belief.right - belief.habitual) / len(CONDITIONS)
        share = said[f"{finding}: {TRUE_CONDITION[finding]}"] / 4000
        assert share == pytest.approx(expected, abs=0.03)


def test_reasoner_takes_the_findings_in_the_order_shown_and_each_once():
    world, rng = Clinic(world_settings(no_answer=0.0)), random.Random(4)
    for question in questions(n=50):
        steps = [line for line in world.respond(question, rng)[:-1] if line != FILLER]
        said = [question.meta["findings"].index(step.split(": ")[0]) for step in steps]
        assert said == sorted(set(said))
        assert not says_a_finding_twice(steps)
        assert not steps or says_a_finding_twice([*steps, f"{steps[0].split(': ')[0]}: angina"])


def test_reasoner_never_exceeds_the_step_limit_and_ramblers_reach_it():
    world, rng = Clinic(world_settings(rambler=1.0, no_answer=0.0)), random.Random(2)
    lengths = Counter(len(world.respond(angina_question(), rng)) - 1 for _ in range(2000))
    assert max(lengths) == 12
    assert lengths[12] > 500


def test_every_answer_of_the_reasoner_is_read_as_the_named_option():
    world, rng = Clinic(world_settings(no_answer=0.0)), random.Random(3)
    rule = ChoiceRule(kind="choice", named_option="must_agree")
    for question in questions(n=50):
        lines = world.respond(question, rng)
        letter = read_answer("\n".join(lines), question, rule)
        assert lines[-1] == f"The answer is: {question.options[letter]} ({letter})"


@pytest.mark.parametrize(
    ("steps", "labels"),
    [
        (
            ["relief by nitrate: angina", "jaw pain on walking: angina", "The answer is: angina (B)"],
            [1, 1, 1],
        ),
        (["relief by nitrate: angina", "The answer is: angina (B)"], [1, 0]),
        (["relief by nitrate: angina", "relief by nitrate: angina", "The answer is: angina (B)"], [1, 0, 0]),
        (["neck stiffness: meningitis"], [0]),
        (["fine tremor: angina", FILLER, FILLER], [0, 1, 1]),
        (
            ["relief by nitrate: angina", "jaw pain on walking: angina", "The answer is: angina (C)"],
            [1, 1, 0],
        ),
        (["", "anything else"], [0, 0]),
    ],
    ids=["supported", "thin support", "repeated", "foreign finding", "filler", "wrong letter", "other text"],
)
def test_step_checker_by_hand(steps, labels):
    assert check_steps(angina_question(), steps) == [bool(label) for label in labels]


def test_answer_agreement_by_hand():
    question = angina_question()
    steps = ["relief by nitrate: angina", "fine tremor: migraine"]
    assert answer_agrees_with_steps(question, [*steps, "The answer is: angina (B)"]) is True
    assert answer_agrees_with_steps(question, [*steps, "The answer is: migraine (D)"]) is True
    assert answer_agrees_with_steps(question, [*steps, "The answer is: asthma (A)"]) is False
    assert answer_agrees_with_steps(question, [*steps, "The answer is: angina (D)"]) is False
    assert answer_agrees_with_steps(question, steps) is None
    assert answer_agrees_with_steps(question, ["The answer is: angina (B)"]) is None


@pytest.mark.parametrize(
    ("foreign", "repeated", "sign"),
    [(1.0, 0.0, "foreign"), (0.0, 1.0, "repeated"), (0.0, 0.0, "answer")],
)
def test_corruptions_are_of_the_named_kind(foreign, repeated, sign):
    world, rng, question = Clinic(world_settings()), random.Random(4), angina_question()
    labels = StepLabels(
        responses=1,
        corrupted_share=1.0,
        foreign=foreign,
        repeated=repeated,
        systematic_noise=0.0,
        random_noise=0.0,
    )
    clean = [
        "relief by nitrate: angina",
        "jaw pain on walking: angina",
        "fine tremor: hyperthyroidism",
        "The answer is: angina (B)",
    ]
    for _ in range(50):
        steps = corrupt(world, question, clean, labels, rng)
        if sign == "foreign":
            assert len(steps) == len(clean) and steps[-1] == clean[-1] and steps[:3] != clean[:3]
        elif sign == "repeated":
            assert len(steps) > len(clean) and set(steps) == set(clean)
        else:
            assert steps[:3] == clean[:3]
    assert clean[0] == "relief by nitrate: angina"
