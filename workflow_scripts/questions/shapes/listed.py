"""Questions whose options are lines `(A) ...` of their own text: CoVo's files, and Med-PRM's test bundle."""

from __future__ import annotations

from workflow_scripts.answers.reading import find_gold
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import (
    described,
    field,
    first_present,
    made_id,
    missing,
    row_id,
    text,
)
from workflow_scripts.questions.shapes.lettered import (
    choice,
    letter_of_text,
    lettered_options,
    lists_options,
    require_option,
    split_options,
)
from workflow_scripts.questions.shapes.origin import Converter, Origin, Unlabelled
from workflow_scripts.questions.shapes.problem import TEXT_FIELDS
from workflow_scripts.questions.tables import Row


def options_in_text(origin: Origin) -> Converter:
    """Rows with the options in the text; the answer is a letter, in a box or not, or an option's text."""

    def convert(row: Row) -> Question:
        question, options = split_options(row, text(row, *TEXT_FIELDS))
        if missing(row.values.get("answer")):
            raise Unlabelled("no gold answer (answer is empty)")
        letter = letter_of_text(row, options, find_gold(str(row.values["answer"])).strip("() "))
        return choice(row, origin.name, question, options, letter)

    return convert


def med_prm(origin: Origin) -> Converter:
    """Rows of Med-PRM's test bundle: `question` with the options in it, `correct_answer`, `related_docs`.

    Ids count within a `data_source`, so both make the id where that tells all rows apart. The released solutions stay
    behind; the documents go into `meta`, as the process reward model reads them.
    """
    ids = [_bundle_id(row, origin.name) for row in origin.rows]
    unique = len(set(ids)) == len(ids)

    def convert(row: Row) -> Question:
        question, options = _question_and_options(row)
        letter = require_option(
            row, options, str(field(row, "correct_answer")).strip("() .").upper(), "correct_answer"
        )
        documents = row.values.get("related_docs")
        meta = described(row)
        if not missing(documents):
            listed = documents if isinstance(documents, list) else [documents]
            meta["related_docs"] = [str(document) for document in listed if not missing(document)]
        return Question(
            id=_bundle_id(row, origin.name) if unique else made_id(row, origin.name, row.index),
            source=origin.name,
            text=question,
            options=options,
            answer_kind="choice",
            meta=meta,
            answer=letter,
        )

    return convert


def _question_and_options(row: Row) -> tuple[str, dict[str, str]]:
    asked, published = text(row, "question"), row.values.get("options")
    # What stands in the text is what the process reward model was trained on: it decides.
    if lists_options(asked):
        return split_options(row, asked)
    if isinstance(published, str):
        return split_options(row, f"{asked}\n{published}")
    return asked, lettered_options(row, published)


def _bundle_id(row: Row, name: str) -> str:
    own, part = first_present(row, ("question_id", "id")), row.values.get("data_source")
    if own is None or missing(part) or str(own).startswith(str(part)):
        return row_id(row, name)
    return made_id(row, name, f"{part}-{own}")
