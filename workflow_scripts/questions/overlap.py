"""Which questions two sets share: a model adapted on one is not tested out of distribution on the other."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from workflow_scripts.questions.schema import Question


@dataclass(frozen=True)
class Overlap:
    """Two sets and their shared questions, or one set that has no other beside it (`set_b` and the rest None).

    A question is shared if its text occurs in the other set. Texts may repeat within a set, so the numbers can differ
    between the two sides. `same_gold` counts the shared questions of `set_a` that have the same gold option text in
    `set_b`; None where one of the sets is not multiple-choice.
    """

    set_a: str
    questions_a: int
    set_b: str | None = None
    questions_b: int | None = None
    shared_a: int | None = None
    shared_b: int | None = None
    share_a: float | None = None
    share_b: float | None = None
    same_gold: int | None = None


def overlaps(sets: Mapping[str, Sequence[Question]]) -> list[Overlap]:
    """Return one row for each pair of `sets` (name -> questions, none of them empty), in their order."""
    if len(sets) == 1:
        ((name, questions),) = sets.items()
        return [Overlap(name, len(questions))]
    golds = {name: _golds(questions) for name, questions in sets.items()}
    rows = []
    for a, b in combinations(sets, 2):
        shared_a = sum(len(ids) for text, ids in golds[a].items() if text in golds[b])
        shared_b = sum(len(ids) for text, ids in golds[b].items() if text in golds[a])
        choice = all(question.options for name in (a, b) for question in sets[name])
        rows.append(
            Overlap(
                set_a=a,
                questions_a=len(sets[a]),
                set_b=b,
                questions_b=len(sets[b]),
                shared_a=shared_a,
                shared_b=shared_b,
                share_a=shared_a / len(sets[a]),
                share_b=shared_b / len(sets[b]),
                same_gold=_same_gold(golds[a], golds[b]) if choice else None,
            )
        )
    return rows


@lru_cache(maxsize=300_000)
def normal_text(text: str) -> str:
    """Return `text` in lower case without punctuation, its words and signs separated by one space.

    Signs that calculate (`-`, `*`, `/` between numbers or single letters) stay: `2-3` is not `2/3`.

    >>> normal_text("A 65-year-old  man: what's $x - y$?")
    'a 65 year old man what s x - y'
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    tokens = _TOKEN.findall(re.sub("[\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}]", "-", plain))
    kept = []
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        punctuation = unicodedata.category(token[0]).startswith("P") or token == "$"
        calculates = token in _OPERATORS and not _is_word(before) and not _is_word(after)
        if not punctuation or calculates:
            kept.append(token)
    return " ".join(kept)


_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_OPERATORS = ("-", "*", "/")


def _is_word(token: str) -> bool:
    """Words of text; at the beginning and end of a text there is nothing to calculate with either."""
    return not token or (len(token) > 1 and token.isalpha())


def _golds(questions: Sequence[Question]) -> dict[str, list[str | None]]:
    """Text -> gold option text of each question with that text; None for a free-form question."""
    found: dict[str, list[str | None]] = defaultdict(list)
    for question in questions:
        gold = normal_text(question.options[question.answer]) if question.options else None
        found[normal_text(question.text)].append(gold)
    return found


def _same_gold(a: Mapping[str, Sequence[str | None]], b: Mapping[str, Sequence[str | None]]) -> int:
    return sum(gold in b[text] for text, golds in a.items() if text in b for gold in golds)
