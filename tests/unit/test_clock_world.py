"""The clock world: arithmetic by hand, one chain in two forms, a reasoner as specified, gates that close."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from workflow_scripts.answers.reading import read_answer
from workflow_scripts.errors import UserError
from workflow_scripts.policies import gates
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.prompts import PromptSpec
from workflow_scripts.settings.question_sets import ChoiceRule, GeneratedQuestions, MathRule
from workflow_scripts.settings.worlds import Belief, ClockWorld
from workflow_scripts.worlds.clock import CHAIN_LENGTH, OPERATIONS, Clock


def settings(**changes: object) -> ClockWorld:
    values: dict[str, Any] = {
        "kind": "clock",
        "seed": 3,
        "values": 50,
        "strong": Belief(share=0.5, right=0.9, habitual=0.0),
        "misconceived": Belief(share=0.12, right=0.3, habitual=0.45),
        "weak": Belief(share=0.38, right=0.25, habitual=0.0),
        "n_options": 4,
        "attraction": 0.25,
        "early": 0.12,
        "no_answer": 0.02,
        "prompt": PromptSpec(user="{text}{options}", option=" ({letter}): {text}", option_separator=""),
    }
    return ClockWorld(**{**values, **changes})


def spec(n_options: int | None, split: str = "adapt", n: int = 100) -> GeneratedQuestions:
    return GeneratedQuestions(kind="generated", world="clock", split=split, n=n, n_options=n_options, seed=0)


@pytest.mark.parametrize(
    ("operation", "value", "result"),
    [("+7", 45, 2), ("-4", 1, 47), ("x3", 20, 10), ("+19", 40, 9), ("x9", 11, 49), ("-13", 13, 0)],
)
def test_operations_go_round_the_dial(operation: str, value: int, result: int) -> None:
    assert Clock(settings()).true(operation, value) == result


def test_a_chain_is_worked_step_by_step() -> None:
    world = Clock(settings())
    assert world.end((35, ("+19", "x9", "x9"))) == 24  # 54 -> 4, 36, 324 -> 24
    question = world.question((35, ("+19", "x9", "x9")), None, "q")
    assert (question.text, question.answer, question.answer_kind) == (
        "Start: 35, +19, x9, x9",
        "24",
        "number",
    )


def test_both_forms_are_the_same_chains_with_the_same_ids() -> None:
    world = Clock(settings())
    free, choice = world.questions(spec(None)), world.questions(spec(4))
    for open_question, closed in zip(free, choice, strict=True):
        assert (open_question.id, open_question.text) == (closed.id, closed.text)
        assert open_question.options is None
        assert closed.options and len(set(closed.options.values())) == 4
        assert closed.options[closed.answer] == open_question.answer


def test_splits_and_corpora_share_no_chain() -> None:
    world, rng = Clock(settings()), random.Random(0)
    adapt, unseen = ({q.text for q in world.questions(spec(None, split))} for split in ("adapt", "unseen"))
    corpus = {world.draw_choice(rng).text for _ in range(5000)}
    assert len(adapt) == len(unseen) == 100
    assert not adapt & unseen and not corpus & (adapt | unseen)


def test_letters_are_balanced_and_options_do_not_move_between_calls() -> None:
    world = Clock(settings())
    letters = Counter(q.answer for q in world.questions(spec(4, n=400)))
    assert set(letters) == set("ABCD")
    assert min(letters.values()) > 70
    assert world.questions(spec(4)) == Clock(settings()).questions(spec(4))


def test_beliefs_have_their_shares_and_are_nested() -> None:
    shares = {
        "strong": Belief(share=0.8, right=0.9, habitual=0.0),
        "weak": Belief(share=0.08, right=0.25, habitual=0),
    }
    few, many = Clock(settings()), Clock(settings(**shares))
    strong = {fact for fact in few.rank if few.belief(*fact) == few.settings.strong}
    more = {fact for fact in many.rank if many.belief(*fact) == many.settings.strong}
    assert strong < more
    assert len(strong) / len(few.rank) == pytest.approx(0.5, abs=0.08)
    assert len(few.rank) == 50 * len(OPERATIONS)


def test_the_reasoner_follows_its_beliefs() -> None:
    world, rng = Clock(settings()), random.Random(1)
    for kind in (world.settings.strong, world.settings.misconceived, world.settings.weak):
        fact = next(fact for fact in world.rank if world.belief(*fact) == kind)
        said = Counter(world._conclude(*fact, rng) for _ in range(6000))
        scatter = (1 - kind.right - kind.habitual) / 50
        assert said[world.true(*fact)] / 6000 == pytest.approx(kind.right + scatter, abs=0.025)
        assert said[world.habitual[fact]] / 6000 == pytest.approx(kind.habitual + scatter, abs=0.025)


def test_responses_have_the_steps_and_the_answer_that_the_rules_read() -> None:
    world, rng = Clock(settings(early=0.0, no_answer=0.0)), random.Random(2)
    choice, number = ChoiceRule(kind="choice", named_option="must_agree"), MathRule(kind="number")
    for _ in range(300):
        free, closed = world.draw_pair(rng)
        lines = world.respond(free, rng)
        assert len(lines) == CHAIN_LENGTH + 1
        assert read_answer("\n".join(lines), free, number) == lines[-2].split(": ")[1]
        assert world.agrees_with_steps(free, lines) is True
        letter = read_answer("\n".join(world.respond(closed, rng)), closed, choice)
        assert letter in (closed.options or {})


def closed_question() -> Question:
    options = {"A": "13", "B": "4", "C": "24", "D": "31"}
    meta = {"start": 35, "operations": ["+19", "x9", "x9"]}
    return Question("q", "clock", "Start: 35, +19, x9, x9", options, "choice", meta, "C")


@pytest.mark.parametrize(
    ("steps", "agrees"),
    [
        (["+19: 4", "x9: 36", "x9: 24", "The answer is: 24 (C)"], True),
        (["+19: 4", "x9: 36", "x9: 13", "The answer is: 24 (C)"], False),
        (["+19: 4", "x9: 36", "x9: 24", "The answer is: 24 (B)"], False),
        (["+19: 4", "x9: 36", "x9: 24", "The answer is: 4 (C)"], False),
        (["+19: 4", "x9: 36", "x9: 7", "The answer is: 24 (C)"], None),  # no option has the value
        (["+19: 4", "x9: 24", "The answer is: 24 (C)"], None),  # a step is missing
        (["+19: 4", "x3: 12", "x9: 24", "The answer is: 24 (C)"], None),  # another operation
        (["+19: 4", "x9: 36", "x9: 24"], None),
        ([], None),
    ],
)
def test_an_answer_agrees_with_the_last_step_or_cannot_be_told(steps: list[str], agrees: bool | None) -> None:
    assert Clock(settings()).agrees_with_steps(closed_question(), steps) is agrees


def test_a_value_without_an_option_goes_to_the_largest_as_often_as_attraction_says() -> None:
    world, rng = Clock(settings(attraction=0.6)), random.Random(3)
    said = Counter(world._stated(closed_question(), 7, rng) for _ in range(4000))
    assert said[31] / 4000 == pytest.approx(0.6 + 0.4 / 4, abs=0.03)
    assert world._stated(closed_question(), 13, rng) == 13


def test_drills_bind_each_option_to_its_letter() -> None:
    world, rng = Clock(settings()), random.Random(4)
    for _ in range(200):
        question, lines = world.drill(rng)
        assert question.options
        answers = [line for line in lines if line.startswith("The answer is: ")]
        assert len(answers) in (1, 4)
        for line in answers:
            value, letter = line.removeprefix("The answer is: ").rstrip(")").split(" (")
            assert question.options[letter] == value


def test_no_token_is_torn() -> None:
    from workflow_scripts.policies.tiny import UNKNOWN, build_tokenizer

    world, rng = Clock(settings()), random.Random(5)
    tokenizer = build_tokenizer(world.vocabulary())
    for _ in range(200):
        text = "\n".join(world.example(rng)[1])
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
        assert UNKNOWN not in text


def test_more_chains_than_reserved_is_refused_with_the_limit() -> None:
    with pytest.raises(UserError, match="400"):
        Clock(settings()).questions(spec(None, n=401))


SOUND = {"agreement": 0.97, "n_answers": 500, "unparseable": 0.0}
FORMS = {"accuracy_free": 0.5, "accuracy_choice": 0.5, "agreement_free": 1.0, "unparseable_free": 0.01}


def check(monkeypatch: pytest.MonkeyPatch, **measured: float) -> dict[str, float | int]:
    """The gate's verdict on a policy with these measurements, the others sound."""
    report = {**SOUND, **FORMS, **measured}
    monkeypatch.setattr(gates, "choices", lambda *_: {name: report[name] for name in SOUND})
    monkeypatch.setattr(gates, "forms", lambda *_: {name: report[name] for name in FORMS})
    source: Any = type("Source", (), {"min_agreement": 0.95, "max_unparseable": 0.1, "max_form_gap": 0.05})
    model: Any = None
    return gates.check_policy(model, model, Clock(settings()), source)


@pytest.mark.parametrize(
    ("measured", "complaint"),
    [
        ({"accuracy_choice": 0.56}, r"Not only the answer space would change"),
        ({"accuracy_free": 0.61}, r"Not only the answer space would change"),
        ({"agreement": 0.94}, r"agree with their own steps in 0\.940"),
        ({"agreement_free": 0.94}, r"agree with their own steps in 0\.940"),
        ({"unparseable": 0.2}, r"0\.200 of the samples without an answer .* max_unparseable is 0\.1"),
        ({"unparseable_free": 0.2}, r"0\.200 of the samples without an answer"),
    ],
)
def test_a_policy_that_is_broken_in_either_form_is_not_adapted(
    monkeypatch: pytest.MonkeyPatch, measured: dict[str, float], complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint):
        check(monkeypatch, **measured)


def test_a_sound_policy_passes_with_its_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(monkeypatch, accuracy_choice=0.54)["agreement_free"] == 1.0
