"""Letters for option texts whose source publishes no order: drawn per question, the same on every machine."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence

from workflow_scripts.errors import UserError

LETTERS = string.ascii_uppercase[:10]


def shuffled_options(
    texts: Sequence[str], answer: str, seed: int, question_id: str
) -> tuple[dict[str, str], str]:
    """Return `texts` under the letters A, B, ... in an order drawn from (seed, question id), and the gold letter.

    The order depends on nothing else: not on the other questions, nor on where the question stands among them.
    Each text gets one number of `random.Random(f"{seed}:{question_id}").random()`, and the texts are sorted by
    them; Python guarantees the same numbers in every version.

    Parameters
    ----------
    texts
        2 to 10 option texts, the right one among them; wrong ones may repeat, as in some published sets.
    answer
        The right one of `texts`.

    Raises
    ------
    UserError
        If the right text occurs twice, so that two letters would be right; if a text is empty; or if there are
        fewer than 2 or more than 10 texts.
    ValueError
        If `answer` is not in `texts`.
    """
    if answer not in texts:
        raise ValueError(f"question {question_id}: the answer is not among the texts.")
    stripped = [text.strip() for text in texts]
    if not 2 <= len(stripped) <= len(LETTERS):
        raise UserError(
            f"question {question_id}: {len(stripped)} options; 2 to {len(LETTERS)} can be lettered."
        )
    if not all(stripped):
        raise UserError(f"question {question_id}: an option is empty. Correct or leave out the row.")
    if stripped.count(answer.strip()) > 1:
        raise UserError(
            f"question {question_id}: the right answer is among the wrong options too. Correct or leave out the row."
        )
    generator = random.Random(f"{seed}:{question_id}")
    order = sorted((generator.random(), text) for text in stripped)
    options = {letter: text for letter, (_, text) in zip(LETTERS, order, strict=False)}
    return options, next(letter for letter, text in options.items() if text == answer.strip())
