"""Responses that somebody already has, in a table of any columns, as questions with read answers.

`grade` and `evaluate` share this: the column flags, the reading of the file, and what is right.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from workflow_scripts.answers.found import Reading
from workflow_scripts.answers.reading import gold_forms, read_answers
from workflow_scripts.errors import UserError
from workflow_scripts.evaluation import own_columns as columns
from workflow_scripts.questions.options import LETTERS
from workflow_scripts.questions.schema import ANSWER_KINDS, Question
from workflow_scripts.questions.tables import Row, read_rows
from workflow_scripts.settings.question_sets import AnswerRule, ChoiceRule, CountdownRule, MathRule

Verdict = Literal["right", "wrong", "no answer", "gold unreadable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class OwnFile:
    """A file and what its columns mean; the fields are the flags of `add_flags`."""

    file: Path
    text: str
    kind: str
    gold: str | None = None
    options: str | None = None
    n_options: int | None = None
    gold_base: int | None = None
    numbers: str | None = None
    target: str | None = None
    group: str | None = None
    accept: str | None = None
    score: str | None = None


@dataclass(frozen=True)
class Response:
    """One response: its row of the file (from 1), its number within the question (from 0), what was read from it."""

    row: int
    sample: int
    text: str
    reading: Reading
    score: float | None


@dataclass(frozen=True)
class OwnQuestion:
    """A question with its responses, in the order of the file; `gold` is the normal form, None if unreadable."""

    id: str
    gold: str | None
    responses: list[Response]

    def verdict(self, response: Response) -> Verdict:
        """Judge one response of the question; without a readable gold answer none is right or wrong."""
        if self.gold is None:
            return "gold unreadable"
        if response.reading.answer is None:
            return "no answer"
        return "right" if response.reading.answer == self.gold else "wrong"


def add_flags(parser: argparse._ActionsContainer) -> None:
    """Add the flags that say what the columns of the file mean; none has a default but None."""
    add = parser.add_argument
    add("--text", metavar="COLUMN", help="the response, or a list of responses to one question")
    add("--gold", metavar="COLUMN", help="the right answer (choice: letter or text of an option)")
    add("--kind", choices=ANSWER_KINDS, help="what kind of answer the questions have")
    add(
        "--options",
        metavar="COLUMN",
        help="choice: {letter: text}, a list of texts, or a list of {key, value}",
    )
    add("--n-options", metavar="N", type=int, help="choice: number of options, where no column holds them")
    add(
        "--gold-base",
        type=int,
        choices=(0, 1),
        help="choice: gold is an option's number, counted from 0 or 1",
    )
    add("--numbers", metavar="COLUMN", help="countdown: list of the given numbers")
    add("--target", metavar="COLUMN", help="countdown: the number to reach")
    add("--accept", choices=("boxed", "stated", "last_number"), help="number, latex (default: stated)")
    add(
        "--group",
        metavar="COLUMN",
        help="rows with equal values belong to one question (default: each row is one)",
    )


def own_file(arguments: argparse.Namespace) -> OwnFile:
    """Return the flags as an `OwnFile`; raise UserError where one is missing or does not fit the kind."""
    given: dict[str, Any] = {name: getattr(arguments, name, None) for name in OwnFile.__dataclass_fields__}
    for name in ("text", "kind"):
        if given[name] is None:
            raise UserError(f"--{name} is missing. See --help.")
    kind = given["kind"]
    fits = {
        "gold": kind != "countdown",
        "options": kind == "choice",
        "n_options": kind == "choice",
        "gold_base": kind == "choice",
        "numbers": kind == "countdown",
        "target": kind == "countdown",
        "accept": kind in ("number", "latex"),
    }
    for name, fit in fits.items():
        if given[name] is not None and not fit:
            raise UserError(f"--{name.replace('_', '-')} has no meaning with --kind {kind}. Leave it out.")
    needed = ("numbers", "target") if kind == "countdown" else ("gold",)
    for name in needed:
        if given[name] is None:
            raise UserError(f"--kind {kind} needs --{name}.")
    if kind == "choice" and (given["options"] is None) == (given["n_options"] is None):
        raise UserError("--kind choice needs --options or --n-options, and not both.")
    if given["n_options"] is not None and not 2 <= given["n_options"] <= len(LETTERS):
        raise UserError(f"--n-options {given['n_options']}: need 2 to {len(LETTERS)}.")
    return OwnFile(**given)


def read_own_samples(own: OwnFile) -> list[OwnQuestion]:
    """Read the file, group its responses by question and read every answer; questions by first appearance.

    Raises
    ------
    UserError
        Naming the row and column that cannot be used, or the group whose rows differ in gold answer or options; or if
        no gold answer of the file can be read.
    """
    rows = read_rows(own.file)
    rule = _rule(own)
    asked = _questions(own, rows)
    golds = gold_forms(asked, rule)
    if all(gold is None for gold in golds):
        column = own.target or own.gold
        hint = " If it holds numbers of options, give --gold-base." if own.kind == "choice" else ""
        raise UserError(f"{own.file}: no gold answer in {column} can be read as a {own.kind} answer.{hint}")

    samples = [_Sample(i, text, score) for i, row in enumerate(rows) for text, score in _responses(own, row)]
    readings = read_answers([s.text for s in samples], [asked[s.row] for s in samples], rule)
    groups: dict[str, OwnQuestion] = {}
    first: dict[str, int] = {}
    for sample, reading in zip(samples, readings, strict=True):
        i, group = sample.row, asked[sample.row].id
        question = groups.setdefault(group, OwnQuestion(group, golds[i], []))
        _require_same_question(own, rows, asked, golds, first.setdefault(group, i), i)
        question.responses.append(
            Response(i + 1, len(question.responses), sample.text, reading, sample.score)
        )
    return list(groups.values())


def _require_same_question(
    own: OwnFile,
    rows: Sequence[Row],
    asked: Sequence[Question],
    golds: Sequence[str | None],
    first: int,
    row: int,
) -> None:
    if first == row:
        return
    if golds[first] != golds[row] or replace(asked[first], answer="") != replace(asked[row], answer=""):
        raise UserError(
            f"{rows[row].where}: gold answer, options or numbers differ from those of row {first + 1} in the same "
            f"group {_short(asked[row].id)}. Does {own.group} name the question?"
        )


@dataclass(frozen=True)
class _Sample:
    row: int
    text: str
    score: float | None


def _rule(own: OwnFile) -> AnswerRule:
    match own.kind:
        case "choice":
            return ChoiceRule(kind="choice")
        case "countdown":
            return CountdownRule(kind="countdown")
    return MathRule.model_validate({"kind": own.kind, "accept": own.accept or "stated"})


def _questions(own: OwnFile, rows: Sequence[Row]) -> list[Question]:
    """The question of each row, with its gold answer as `gold_forms` takes it."""
    asked = [
        Question(
            id=_group(own, row),
            source=str(own.file),
            text="",
            options=_options(own, row),
            answer_kind=own.kind,
            meta={} if own.numbers is None else {"numbers": columns.numbers(row, own.numbers)},
            answer="",
        )
        for row in rows
    ]
    gold = own.target or own.gold
    assert gold is not None
    if own.kind != "choice":
        return [
            replace(question, answer=columns.gold_text(columns.column(row, gold)))
            for question, row in zip(asked, rows, strict=True)
        ]
    pairs = [(row, question.options or {}) for question, row in zip(asked, rows, strict=True)]
    said = [(columns.column(row, gold), options) for row, options in pairs]
    letters = all(columns.as_letter(value, options) for value, options in said if columns.text(value))
    return [
        replace(question, answer=columns.gold_letter(row, gold, options, letters, own.gold_base) or "")
        for question, (row, options) in zip(asked, pairs, strict=True)
    ]


def _group(own: OwnFile, row: Row) -> str:
    if own.group is None:
        return str(row.index + 1)
    value: Any = columns.column(row, own.group)
    group = columns.text(value)
    if not group:
        raise UserError(f"{row.where}: {own.group} is empty: the row belongs to no question.")
    return group


def _options(own: OwnFile, row: Row) -> dict[str, str] | None:
    if own.options is not None:
        return columns.options(row, own.options)
    return None if own.n_options is None else dict.fromkeys(LETTERS[: own.n_options], "")


def _responses(own: OwnFile, row: Row) -> list[tuple[str, float | None]]:
    texts, listed = columns.texts(row, own.text)
    if own.score is None:
        return [(text, None) for text in texts]
    return list(zip(texts, columns.scores(row, own.score, len(texts), listed), strict=True))


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
