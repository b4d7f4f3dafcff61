"""From a response to the normal form of its answer: the one path that voting, rewarding and scoring share."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workflow_scripts.answers import countdown
from workflow_scripts.answers.choice import read_choice
from workflow_scripts.answers.found import Reading
from workflow_scripts.answers.maths import find_math
from workflow_scripts.answers.normal_form import normal_forms
from workflow_scripts.questions.schema import Question, UnlabelledQuestion
from workflow_scripts.settings.question_sets import AnswerRule, ChoiceRule, CountdownRule, MathRule


def read_answer(text: str, question: UnlabelledQuestion, rule: AnswerRule) -> str | None:
    """Return the normal form of the answer in `text`, or None if there is none."""
    return read_answers([text], [question], rule)[0].answer


def read_answers(
    texts: Sequence[str], questions: Sequence[UnlabelledQuestion], rule: AnswerRule
) -> list[Reading]:
    """Read one response per question; both in the same order, questions may repeat.

    Raises
    ------
    ValueError
        If a question lacks what its kind needs: options for a choice, `meta["numbers"]` for countdown.
    """
    pairs = list(zip(texts, questions, strict=True))
    match rule:
        case ChoiceRule():
            return [read_choice(text, question, rule) for text, question in pairs]
        case MathRule():
            return _math(texts, rule)
        case CountdownRule():
            return [_countdown(text, question) for text, question in pairs]


def gold_forms(questions: Sequence[Question], rule: AnswerRule) -> list[str | None]:
    """Return the normal form of each question's gold `answer`; None for one that cannot be parsed.

    Such a question can be neither scored nor rewarded: it has to be left out.
    """
    match rule:
        case ChoiceRule():
            return [q.answer if q.answer in (q.options or {}) else None for q in questions]
        case MathRule():
            forms = normal_forms([find_gold(q.answer) for q in questions], rule.kind)
            fits = _holds_a_number if rule.kind == "number" else bool
            return [
                _reduced(form.text, rule) if form.understood and fits(form.text) else None for form in forms
            ]
        case CountdownRule():
            forms = normal_forms([q.answer for q in questions], "number")
            return [form.text if form.understood else None for form in forms]


def _holds_a_number(form: str | None) -> bool:
    return form is not None and any(sign.isdigit() for sign in form)


def _reduced(form: str | None, rule: MathRule) -> str | None:
    """The normal form of a whole number modulo the rule's, of anything else as it is."""
    if rule.modulo is None or form is None or not re.fullmatch(r"-?\d+", form):
        return form
    return str(int(form) % rule.modulo)


def find_gold(answer: str) -> str:
    """Return a gold answer as it would stand in a box: out of its box, or behind GSM8K's ####."""
    found, rule = find_math(answer, "boxed")
    if rule == "box" and found:
        return found
    return answer.rpartition("####")[2].strip() if "####" in answer else answer.strip()


def _math(texts: Sequence[str], rule: MathRule) -> list[Reading]:
    found = [find_math(text, rule.accept) for text in texts]
    forms = iter(normal_forms([words for words, _ in found if words is not None], rule.kind))
    return [
        Reading(None, None, how) if words is None else Reading(_reduced(next(forms).text, rule), words, how)
        for words, how in found
    ]


def _countdown(text: str, question: UnlabelledQuestion) -> Reading:
    numbers = question.meta.get("numbers")
    if not isinstance(numbers, list):
        raise ValueError(
            f"question {question.id} has no numbers: its answer cannot be a countdown expression"
        )
    words, how = countdown.find_expression(text)
    return Reading(None if words is None else countdown.normal_form(words, numbers), words, how)
