"""Where questions come from: a miniature world, a local file, or the hub."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes import Unlabelled, row_converter
from workflow_scripts.questions.tables import Row, read_rows
from workflow_scripts.settings.specs import GeneratedQuestions, HubQuestions, LocalQuestions, QuestionSetSpec
from workflow_scripts.settings.worlds import World


@dataclass(frozen=True)
class Dropped:
    """A source row that did not become a question, and why."""

    row: str
    reason: str


@dataclass(frozen=True)
class Loaded:
    """The questions of a source, in its order, and what was left out."""

    questions: list[Question]
    source_rows: int
    dropped: list[Dropped] = field(default_factory=list)


def load_questions(name: str, spec: QuestionSetSpec, world: World | None) -> Loaded:
    """Load, check and cut the question set `name`.

    Rows without a published answer and repeated questions are dropped with a reason; everything else that
    is wrong with a row is an error. `subset` keeps the first questions that are left.

    Raises
    ------
    UserError
        Naming the file and row, or the key of the configuration.
    """
    source = spec.source
    if isinstance(source, GeneratedQuestions):
        loaded = _generated(source, world)
    else:
        rows = read_rows(source.path) if isinstance(source, LocalQuestions) else _hub_rows(name, source)
        loaded = _converted(name, source.shape, rows)
    if spec.expected_rows is not None and loaded.source_rows != spec.expected_rows:
        raise UserError(
            f"question set {name}: {loaded.source_rows} rows where expected_rows says {spec.expected_rows}. "
            "Is the file complete, or another split?"
        )
    _check_questions(name, loaded.questions)
    if not loaded.questions:
        reasons = ", ".join(sorted({dropped.reason for dropped in loaded.dropped})) or "the source is empty"
        raise UserError(f"question set {name}: no question is left ({reasons}).")
    if spec.subset is not None and spec.subset > len(loaded.questions):
        raise UserError(
            f"question set {name}: subset {spec.subset} is more than its {len(loaded.questions)} questions."
        )
    return Loaded(loaded.questions[: spec.subset], loaded.source_rows, loaded.dropped)


def _generated(source: GeneratedQuestions, world: World | None) -> Loaded:
    if world is None:
        raise UserError(
            f"question set from world {source.world}: its settings are missing from the configuration."
        )
    from workflow_scripts.worlds import make_questions

    questions = make_questions(world, source)
    return Loaded(list(questions), len(questions))


def _hub_rows(name: str, source: HubQuestions) -> list[Row]:
    if source.revision is None:
        raise UserError(
            f"question set {name}: no revision for {source.id}. Pin the data set's commit as `revision`, "
            "so that the same questions come back later."
        )
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise UserError(
            "data sets of the hub need the package `datasets`: install the environment again."
        ) from error
    try:
        data = load_dataset(source.id, source.config, split=source.split, revision=source.revision)
    except (OSError, ValueError, RuntimeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(
            f"question set {name}: cannot load {source.id} at {source.revision}: {reason}"
        ) from error
    where = f"{source.id} ({source.split})"
    return [Row(f"{where}, row {i + 1}", i, dict(values)) for i, values in enumerate(data)]


def _converted(name: str, shape: str, rows: list[Row]) -> Loaded:
    convert = row_converter(shape, name, rows)
    questions: list[Question] = []
    dropped: list[Dropped] = []
    seen: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    for row in rows:
        try:
            question = convert(row)
        except Unlabelled as reason:
            dropped.append(Dropped(row.where, str(reason)))
            continue
        try:
            json.dumps(asdict(question), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise UserError(
                f"{row.where}: cannot be kept as UTF-8 JSON: {error}. Correct the row."
            ) from error
        content = (question.text, tuple((question.options or {}).items()))
        # Equal ids are an error of their own, so a repeated row is only dropped where its id differs.
        first = seen.setdefault(content, question.id)
        if first != question.id:
            dropped.append(Dropped(row.where, f"repeats the question {first}"))
            continue
        questions.append(question)
    return Loaded(questions, len(rows), dropped)


def _check_questions(name: str, questions: list[Question]) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise UserError(f"question set {name}: the id {question.id} occurs twice. Ids must be unique.")
        if question.options is not None and question.answer not in question.options:
            raise UserError(f"question set {name}: the answer of {question.id} is not among its options.")
        seen.add(question.id)
