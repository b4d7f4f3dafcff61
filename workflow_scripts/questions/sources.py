"""Where questions come from: a miniature world, a local file, the hub, or another question set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.questions.dropped import Dropped
from workflow_scripts.questions.schema import TRUTH, Question, read_questions
from workflow_scripts.questions.selection import SelectedRows, check_columns
from workflow_scripts.questions.shapes import Unlabelled, row_converter
from workflow_scripts.questions.subsets import subset_of
from workflow_scripts.questions.tables import Rows, open_rows
from workflow_scripts.settings.question_sets import (
    AnswerRule,
    GeneratedQuestions,
    HubQuestions,
    LocalQuestions,
    MatchedQuestions,
    OutvotedQuestions,
    QuestionSetSpec,
)
from workflow_scripts.settings.worlds import World


@dataclass(frozen=True)
class Loaded:
    """The questions of a source and what was left out.

    Attributes
    ----------
    questions
        In the order of the source, or that of a seeded subset.
    source_rows
        Rows of the source before anything was dropped.
    revision
        The commit that a hub source was read at.
    """

    questions: list[Question]
    source_rows: int
    dropped: Dropped = field(default_factory=Dropped)
    revision: str | None = None


def load_questions(
    name: str,
    spec: QuestionSetSpec,
    world: World | None = None,
    *,
    revision: str | None = None,
    base: Path | None = None,
    base_samples: Path | None = None,
) -> Loaded:
    """Load, check and cut the question set `name`.

    Rows that `keep` leaves out, without a published answer, with an answer that cannot be read, and repeated
    questions are dropped and counted; everything else that is wrong with a row is an error. `subset` comes last.

    Parameters
    ----------
    world
        The world of generated questions.
    revision
        Commit of a hub source that names none itself.
    base
        questions.parquet of the set that matched or outvoted questions are made of.
    base_samples
        rollouts.parquet of a base policy on it.

    Raises
    ------
    UserError
        Naming the file and row, or the key of the configuration.
    """
    source = spec.source
    if isinstance(source, GeneratedQuestions):
        loaded = _generated(source, world)
    elif isinstance(source, MatchedQuestions):
        loaded = _matched(name, spec, source, base, base_samples)
    elif isinstance(source, OutvotedQuestions):
        loaded = _outvoted(name, source, base, base_samples)
    else:
        loaded = _table(name, spec, source, revision)
    if spec.expected_rows is not None and loaded.source_rows != spec.expected_rows:
        raise UserError(
            f"question set {name}: {loaded.source_rows} rows where expected_rows says {spec.expected_rows}. "
            "Is the file complete, or another split?"
        )
    _check_questions(name, loaded.questions, spec.answer.kind)
    questions = _in_normal_form(loaded.questions, spec.answer, loaded.dropped)
    if not questions:
        reasons = ", ".join(sorted(loaded.dropped.counts)) or "the source is empty"
        raise UserError(f"question set {name}: no question is left ({reasons}).")
    return replace(loaded, questions=subset_of(name, questions, spec.subset))


def _generated(source: GeneratedQuestions, world: World | None) -> Loaded:
    if world is None:
        raise UserError(
            f"question set from world {source.world}: its settings are missing from the configuration."
        )
    from workflow_scripts.worlds import make_questions

    questions = make_questions(world, source)
    return Loaded(list(questions), len(questions))


def _matched(
    name: str, spec: QuestionSetSpec, source: MatchedQuestions, base: Path | None, base_samples: Path | None
) -> Loaded:
    from workflow_scripts.questions.matched import matched_questions
    from workflow_scripts.questions.wrong_answers import frequent_wrong_answers

    if base is None:
        raise UserError(
            f"question set {name}: give the questions.parquet of {source.of}, which it is made of, as --base."
        )
    if spec.options is None:
        raise UserError(f"question set {name}: matched questions need `options: {{n: 4, seed: 0}}`.")
    originals = read_questions(base)
    wrong = {} if base_samples is None else frequent_wrong_answers(base_samples)
    questions = matched_questions(name, originals, wrong, spec.options)
    dropped = Dropped()
    made = {question.id for question in questions}
    for question in originals:
        if question.id not in made:
            dropped.add("its answer is no whole number: near misses are made of those only", question.id)
    return Loaded(questions, len(originals), dropped)


def _outvoted(name: str, source: OutvotedQuestions, base: Path | None, base_samples: Path | None) -> Loaded:
    from workflow_scripts.questions.outvoted import outvoted_questions

    if base is None or base_samples is None:
        raise UserError(
            f"question set {name}: give the questions.parquet of {source.of} as --base, and the samples of "
            f"{source.policy} as --base-samples."
        )
    originals = read_questions(base)
    questions = outvoted_questions(originals, base_samples, source.min_share)
    dropped, kept = Dropped(), {question.id for question in questions}
    for question in originals:
        if question.id not in kept:
            dropped.add("the majority is right, or has too few of the samples", question.id)
    return Loaded(questions, len(originals), dropped)


def _table(
    name: str, spec: QuestionSetSpec, source: LocalQuestions | HubQuestions, revision: str | None
) -> Loaded:
    if isinstance(source, LocalQuestions):
        side_files = {key: Path(path) for key, path in source.side_files.items()}
        return _converted(name, spec, source, open_rows(source.path), side_files)
    from workflow_scripts.questions.hub import hub_rows, hub_side_files

    commit = source.revision or revision
    if commit is None:
        raise UserError(
            f"question set {name}: no revision for {source.id}. Name the data set's commit as `revision`, or give "
            "a file with it as --revision: the same questions must come back later."
        )
    loaded = _converted(name, spec, source, hub_rows(name, source, commit), hub_side_files(source, commit))
    return replace(loaded, revision=commit)


def _converted(
    name: str,
    spec: QuestionSetSpec,
    source: LocalQuestions | HubQuestions,
    rows: Rows,
    side_files: Mapping[str, Path],
) -> Loaded:
    check_columns(name, rows, source)
    selected = SelectedRows(rows, source) if source.columns or source.keep else rows
    convert = row_converter(source.shape, name, selected, spec.options, side_files, spec.answer.kind)
    questions: list[Question] = []
    dropped = Dropped()
    kept = 0
    seen: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    for row in selected:
        kept += 1
        try:
            question = convert(row)
        except Unlabelled as reason:
            dropped.add(str(reason), row.where)
            continue
        content = (question.text, tuple((question.options or {}).items()))
        if content in seen:
            same = seen[content] == question.answer
            dropped.add(f"repeats an earlier question{'' if same else ', with another answer'}", row.where)
            continue
        _check_storable(question, row.where)
        seen[content] = question.answer
        questions.append(question)
    if kept < len(rows):
        columns = " and ".join(source.keep)
        dropped.counts[f"not among the rows that `keep` names by {columns}"] = len(rows) - kept
    return Loaded(questions, len(rows), dropped)


def _check_storable(question: Question, where: str) -> None:
    values = (question.id, question.source, question.text, question.options, question.answer, question.meta)
    try:
        json.dumps(values, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        # The error of a text quotes it, and some sets must not be quoted.
        reason = error.reason if isinstance(error, UnicodeEncodeError) else str(error)
        raise UserError(f"{where}: cannot be kept as UTF-8 JSON: {reason}. Correct the row.") from error


def _check_questions(name: str, questions: list[Question], kind: str) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise UserError(f"question set {name}: the id {question.id} occurs twice. Ids must be unique.")
        seen.add(question.id)
        if question.answer_kind != kind:
            raise UserError(
                f"question set {name}: the answer of {question.id} is of the kind {question.answer_kind}, but "
                f"`answer.kind` is {kind}. Set it to {question.answer_kind}, or check `shape`."
            )
        if not question.text.strip():
            raise UserError(f"question set {name}: the question {question.id} has no text.")
        if kind != "choice":
            continue
        if not question.options or not all(text.strip() for text in question.options.values()):
            raise UserError(f"question set {name}: {question.id} has no options, or an empty one.")
        if question.answer not in question.options:
            raise UserError(f"question set {name}: the answer of {question.id} is not among its options.")


def _in_normal_form(questions: list[Question], rule: AnswerRule, dropped: Dropped) -> list[Question]:
    if rule.kind == "choice":
        return questions
    from workflow_scripts.answers.reading import gold_forms

    readable: list[Question] = []
    for question, form in zip(questions, gold_forms(questions, rule), strict=True):
        if form is None:
            dropped.add(f"its gold answer cannot be read as {rule.kind}", question.id)
        elif form == question.answer:
            readable.append(question)
        else:
            truth = {**question.meta.get(TRUTH, {}), "answer": question.answer}
            readable.append(replace(question, answer=form, meta={**question.meta, TRUTH: truth}))
    return readable
