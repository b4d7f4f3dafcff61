"""Free-form questions with a number as answer, each as a choice among that number and wrong ones.

PROSE compares free-form AMC problems with "matched" multiple-choice ones and publishes neither the wrong options
nor how they were made (section 3). This construction is ours, and each question says so in its `meta`:

1. The text, the id and the right answer stay those of the base question.
2. The first wrong options are the most frequent wrong answers of a base policy, where its samples are given: those
   that are whole numbers. Questions whose right answer is none are left out.
3. The rest are near misses of the right answer's sign. They are reached by moves that slips make, each as likely: one
   or ten more or less, double, half, two neighbouring digits swapped.
4. All options are shuffled by (seed, question id), see questions/options.py.

Nothing in how the options are chosen singles out the right one. Near misses that all start at it would: it would
be the one in the middle, or the one from which all others are one move away. So a near miss lies one move from
*another* option: the moves form a chain x0 - x1 - x2 - ..., in which the place of the right answer is drawn at
random. A chain is drawn again as a whole if a move fails, if a number repeats, or if its largest number is more than
3 times its smallest plus 30. Each move is undone by one that is as likely, so each link of
the chain could have been the right answer about equally well (an odd number has no half and is right 1.1 times as
often as chance). Chains are drawn until the right answer has the rank by size that was drawn for it: every rank is
equally likely. With wrong answers of a base policy the chain runs through the right answer as often as through any
one option, otherwise through one of these, and the ranks are weighted so that all are equally likely if the wrong
answers fall on either side of the right one by chance.

There is one exception: a whole number from 0 to 3 has too few numbers below it to take every rank. A flipped sign
is not among the moves: options of both signs would tell that the right one is not positive, because positive
answers get positive near misses only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import Any, TypeVar

from workflow_scripts.errors import UserError
from workflow_scripts.questions.options import shuffled_options
from workflow_scripts.questions.schema import TRUTH, Question
from workflow_scripts.settings.question_sets import BuiltOptions

CONSTRUCTION = "ours: frequent wrong answers of a base policy, then near misses; not published with the paper"

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,59}")
_CHAINS = 2000
"""Chains drawn at most; a rank that none of them has is taken as out of reach."""

_Item = TypeVar("_Item")


def matched_questions(
    name: str, base: Sequence[Question], wrong_answers: Mapping[str, Sequence[str]], options: BuiltOptions
) -> list[Question]:
    """Return the questions of `base` that have a whole number as answer, as choices among `options.n`.

    A question's options depend on its own id, answer and wrong answers and on `options` alone.

    Parameters
    ----------
    name
        Name of the question set that is made.
    wrong_answers
        Question id to wrong answers in normal form, most frequent first. Those that are no whole numbers, or
        equal to the right answer or an earlier one, are passed over.

    Returns
    -------
    list of Question
        In the order of `base` and with its ids, so that the two forms of a question pair up. `meta` counts the
        wrong options by origin, `meta["truth"]["origins"]` says which is which.

    Raises
    ------
    UserError
        If `options.n` is null or no question is left.
    """
    if options.n is None:
        raise UserError(
            f"question set {name}: matched questions publish no options. Set options.n, for example 4."
        )
    questions = [
        _matched(name, question, gold, wrong_answers.get(question.id, ()), options.n, options.seed)
        for question in base
        if question.answer_kind in {"number", "latex"} and (gold := _whole(question.answer)) is not None
    ]
    if not questions:
        raise UserError(
            f"question set {name}: none of the {len(base)} base questions has a whole number as answer. "
            "Check `of` of the question set."
        )
    return questions


def _matched(
    name: str, question: Question, gold: int, wrong_answers: Sequence[str], n: int, seed: int
) -> Question:
    wrong: list[int] = []
    for text in wrong_answers:
        value = _whole(text)
        if value is not None and value != gold and value not in wrong and len(wrong) < n - 1:
            wrong.append(value)
    generator = random.Random(f"{seed}:{question.id}:near misses")
    near = _near_misses(gold, wrong, n - 1 - len(wrong), generator)
    origins = {
        str(gold): "right answer",
        **{str(value): "wrong answer of the base policy" for value in wrong},
        **{str(value): "near miss" for value in near},
    }
    letters, answer = shuffled_options(list(origins), str(gold), seed, question.id)
    truth = {
        **question.meta.get(TRUTH, {}),
        "origins": {letter: origins[text] for letter, text in letters.items()},
    }
    meta: dict[str, Any] = {
        **question.meta,
        "construction": CONSTRUCTION,
        "n_wrong_answers": len(wrong),
        "n_near_misses": len(near),
        TRUTH: truth,
    }
    return replace(question, source=name, options=letters, answer_kind="choice", answer=answer, meta=meta)


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) else None


def _near_misses(gold: int, wrong: Sequence[int], n: int, generator: random.Random) -> list[int]:
    """Return `n` numbers of the sign of `gold`, different from it, from `wrong` and from each other."""
    if n == 0:
        return []
    start = _start(gold, wrong, n, generator)
    taken = {gold, *wrong}
    ranks = _ranks(gold, wrong, n, generator)
    found: dict[int, list[int]] = {}
    for _ in range(_CHAINS):
        chain = _chain(start, gold, taken, n, generator)
        if chain is not None:
            rank = sum(value < gold for value in (*wrong, *chain))
            found.setdefault(rank, chain)
            if rank == ranks[0]:
                break
    for rank in ranks:
        if rank in found:
            return found[rank]
    # Very many options, or wrong answers on all neighbours: the next numbers away from zero always exist.
    step = -1 if gold < 0 else 1
    following = (gold + step * i for i in range(1, n + len(wrong) + 1))
    return [value for value in following if value not in taken][:n]


def _start(gold: int, wrong: Sequence[int], n: int, generator: random.Random) -> int:
    # Of all n + 1 + len(wrong) options n + 1 lie on the chain; the right one does as often as any other.
    on_chain = generator.random() * (n + 1 + len(wrong)) < n + 1
    starts = [value for value in wrong if _same_sign(value, gold)]
    return gold if on_chain or not starts else _pick(starts, generator)


def _ranks(gold: int, wrong: Sequence[int], n: int, generator: random.Random) -> list[int]:
    """Return the ranks that `gold` can take among all options (0 = smallest), the first one to be tried first.

    Uniform without `wrong`. Otherwise a rank's weight is the number of ways in which `wrong` can lie below and
    above a number of that rank as it does: the rank is then uniform if `wrong` lies by chance.
    """
    below = sum(value < gold for value in wrong)
    all_wrong = n + len(wrong)
    weights = {
        rank: comb(rank, below) * comb(all_wrong - rank, len(wrong) - below)
        for rank in range(below, below + n + 1)
    }
    # A weighted draw without replacement (Efraimidis and Spirakis 2006).
    return sorted(weights, key=lambda rank: generator.random() ** (1 / weights[rank]), reverse=True)


def _chain(start: int, gold: int, taken: set[int], n: int, generator: random.Random) -> list[int] | None:
    """Return `n` new numbers that form a chain of moves with `start` at a random place; None if a move fails.

    One failed move discards the whole chain. To draw that move again would make chains likelier that start at a
    number with few moves, and so tell the start from the other links.
    """
    before = int(generator.random() * (n + 1))
    links: list[int] = []
    for length in (before, n - before):
        value = start
        for _ in range(length):
            moved = _moved(value, generator)
            if moved is None or not _same_sign(moved, gold) or moved in taken or moved in links:
                return None
            links.append(moved)
            value = moved
    sizes = [abs(value) for value in (start, *links)]
    return links if max(sizes) <= 3 * min(sizes) + 30 else None


def _moved(value: int, generator: random.Random) -> int | None:
    """Return `value` after one move drawn at random, or None where it cannot be made."""
    move = _pick(("+1", "-1", "+10", "-10", "double", "halve", "swap"), generator)
    if move == "swap":
        return _swapped(value, generator)
    if move == "double":
        return value * 2
    if move == "halve":
        return value // 2 if value % 2 == 0 else None
    return value + int(move)


def _swapped(value: int, generator: random.Random) -> int | None:
    digits = list(str(abs(value)))
    if len(digits) == 1:
        return None
    i = int(generator.random() * (len(digits) - 1))
    digits[i], digits[i + 1] = digits[i + 1], digits[i]
    if digits[0] == "0":
        return None
    return int("".join(digits)) * (-1 if value < 0 else 1)


def _same_sign(value: int, gold: int) -> bool:
    if gold == 0:
        return value >= 0
    return value > 0 if gold > 0 else value < 0


def _pick(items: Sequence[_Item], generator: random.Random) -> _Item:
    # `random()` is the one method whose numbers Python promises to keep.
    return items[int(generator.random() * len(items))]
