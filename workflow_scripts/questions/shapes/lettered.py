"""Options with letters, in the forms in which they are published, and the question made of them."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import described, missing, quoted, row_id, whole_number
from workflow_scripts.questions.tables import Row

LETTERS = string.ascii_uppercase
_LABEL = re.compile(r"^[ \t]*(?:\(([A-Z])\)|([A-Z])[.):])[ \t]+(?=\S)", re.MULTILINE)
_HEADING = re.compile(r"(?:answer\s+)?(?:options|choices)\s*:?", re.IGNORECASE)


def lettered_options(row: Row, value: Any) -> dict[str, str]:
    """Return letter to text from {letter: text}, [text, ...] or [{key, value}, ...]."""
    if isinstance(value, list):
        if all(isinstance(item, dict) and {"key", "value"} <= item.keys() for item in value):
            value = {item["key"]: item["value"] for item in value}
        else:
            if len(value) > len(LETTERS):
                raise UserError(f"{row.where}: {len(value)} options are more than there are letters.")
            value = dict(zip(LETTERS, ("" if missing(text) else text for text in value), strict=False))
    if not isinstance(value, dict) or not value:
        raise UserError(f"{row.where}: the question has no options.")
    # A parquet struct lists every letter of the file; a question with fewer options has nulls there.
    present = {
        str(key).strip().upper(): text
        for key, text in value.items()
        if isinstance(text, str) or not missing(text)
    }
    if any(isinstance(text, (dict, list)) for text in present.values()):
        raise UserError(f"{row.where}: an option is a list or an object where its text should be.")
    options = {letter: str(text).strip() for letter, text in present.items()}
    if len(options) < 2 or not all(options.values()):
        raise UserError(f"{row.where}: a question needs at least two options, none of them empty.")
    if list(options) != list(LETTERS[: len(options)]):
        raise UserError(
            f"{row.where}: options must be lettered A, B, ... in order, not {', '.join(map(quoted, options))}."
        )
    return options


def lists_options(text: str) -> bool:
    """Whether lines `(A) ...` and `(B) ...`, or `A. ...` and `B. ...`, stand in `text`."""
    return {"A", "B"} <= {label.group(1) or label.group(2) for label in _LABEL.finditer(text)}


def split_options(row: Row, text: str) -> tuple[str, dict[str, str]]:
    """Return the question and the options that stand as lines `(A) ...` or `A. ...` at the end of `text`.

    An option may run over several lines; a heading `Options:` before the first is dropped.
    """
    labels = list(_LABEL.finditer(text))
    starts = [i for i, label in enumerate(labels) if (label.group(1) or label.group(2)) == "A"]
    if not starts:
        raise UserError(f"{row.where}: no line `(A) ...` with an option at the end of the question.")
    labels = labels[starts[-1] :]
    ends = [label.start() for label in labels[1:]] + [len(text)]
    pairs = [
        (label.group(1) or label.group(2), text[label.end() : end].strip())
        for label, end in zip(labels, ends, strict=True)
    ]
    if len(dict(pairs)) < len(pairs):
        raise UserError(f"{row.where}: a letter labels two options.")
    question = text[: labels[0].start()].strip()
    before, _, last = question.rpartition("\n")
    if _HEADING.fullmatch(last.strip()):
        question = before.strip()
    if not question:
        raise UserError(f"{row.where}: there is no question before its options.")
    return question, lettered_options(row, dict(pairs))


def letter_of_text(row: Row, options: Mapping[str, str], value: Any) -> str:
    """Return the letter of the one option whose text is `value`, or `value` where it is a letter itself."""
    text = str(value).strip()
    letters = [letter for letter, option in options.items() if option == text]
    if not letters and text.upper() in options:
        return text.upper()
    if len(letters) != 1:
        found = "is not among the options" if not letters else f"is the text of {' and '.join(letters)}"
        raise UserError(f"{row.where}: the gold answer {quoted(text)} {found}.")
    return letters[0]


def letter_of_number(row: Row, options: Mapping[str, str], value: Any, base: int = 0) -> str:
    """Return the letter that `value` counts (from `base`), or `value` where it is a letter itself."""
    shown = "" if missing(value) else str(value).strip().upper()
    if shown in options:
        return shown
    index = whole_number(row, value) - base
    if not 0 <= index < len(options):
        raise UserError(
            f"{row.where}: the gold answer {quoted(value)} is not among the {len(options)} options."
        )
    return list(options)[index]


def require_option(row: Row, options: Mapping[str, str], letter: str, name: str) -> str:
    """Return `letter`, which must be one of the options; `name` is the field that it comes from."""
    if letter not in options:
        raise UserError(
            f"{row.where}: the gold answer {quoted(letter)} ({name}) is not among the options {', '.join(options)}."
        )
    return letter


def choice(row: Row, name: str, text: str, options: dict[str, str], answer: str) -> Question:
    """Return the multiple-choice question of the set `name`."""
    return Question(
        id=row_id(row, name),
        source=name,
        text=text.strip(),
        options=options,
        answer_kind="choice",
        meta=described(row),
        answer=answer,
    )
