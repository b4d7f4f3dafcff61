"""Our own columns: `text`, `options` (letter to text), `answer`; `id`, `source`, `answer_kind` and `meta` if there."""

from __future__ import annotations

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import ANSWER_KINDS, Question
from workflow_scripts.questions.shapes.fields import field, maybe_json, row_id, text
from workflow_scripts.questions.shapes.lettered import lettered_options, require_option
from workflow_scripts.questions.shapes.origin import Converter, Origin
from workflow_scripts.questions.tables import Row


def own(origin: Origin) -> Converter:
    """Rows in our own columns; without `answer_kind` they are of the entry's kind.

    Rewards see all of `meta` but `truth`: what would give the answer away belongs there.
    """

    def convert(row: Row) -> Question:
        kind = row.values.get("answer_kind") or origin.answer_kind
        if kind not in ANSWER_KINDS:
            raise UserError(f"{row.where}: answer_kind {kind!r} is none of {', '.join(ANSWER_KINDS)}.")
        answer = str(field(row, "answer")).strip()
        options = None
        if kind == "choice":
            options = lettered_options(row, maybe_json(row, "options"))
            require_option(row, options, answer, "answer")
        meta = maybe_json(row, "meta") or {}
        if not isinstance(meta, dict):
            raise UserError(f"{row.where}: meta must be an object.")
        return Question(
            id=row_id(row, origin.name),
            source=str(row.values.get("source") or origin.name),
            text=text(row, "text"),
            options=options,
            answer_kind=kind,
            meta=meta,
            answer=answer,
        )

    return convert
