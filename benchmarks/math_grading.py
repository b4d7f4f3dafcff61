"""How fast responses are graded against LaTeX answers, and whether the verdicts are math-verify's.

    PYTHONPATH=. python benchmarks/math_grading.py FILE.jsonl TEXT GOLD [FILE TEXT GOLD ...]

Each FILE has a response (or a list) in the column TEXT and a right answer in GOLD. Only different pairs of the two are
graded, and every cache is emptied before each turn: real groups, where most answers repeat, gain far more. Both sides
run in one process (ours: this one waits for its one worker) and have warmed up on other expressions.
"""

from __future__ import annotations

import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

from math_verify import parse, parser, verify

from workflow_scripts.answers import normal_form, workers
from workflow_scripts.answers.maths import find_math
from workflow_scripts.answers.normal_form import normal_forms
from workflow_scripts.answers.reading import find_gold
from workflow_scripts.evaluation.own_columns import column
from workflow_scripts.questions.tables import read_rows

WARM_UP = [
    r"\frac{a}{7}",
    r"[3,9)",
    r"\{4,6\}",
    r"4\pm\sqrt{3}",
    r"(1,x)",
    r"y=3x-1",
    r"\begin{pmatrix}5\\z\end{pmatrix}",
]
WARM_UP += [
    r"(-\infty,4)\cup(5,8)",
    r"\log_3 5",
    r"8-\sin(t)",
    r"\sqrt[3]{11}",
    r"6q+1",
    r"w^3",
    r"\text{west}",
    "2+7i",
]


def pairs(path: str, text: str, gold: str) -> list[tuple[str, str]]:
    """Return the responses of a file with their gold answers."""
    found = []
    for row in read_rows(path):
        texts = column(row, text)
        for response in texts if isinstance(texts, list) else [texts]:
            found.append(
                (str(response), find_math(str(column(row, gold)), "stated")[0] or str(column(row, gold)))
            )
    return found


def ours(pool: list[tuple[str, str]]) -> list[bool]:
    """Grade as `grade --kind latex` does."""
    found = [find_math(text, "stated")[0] for text, _ in pool]
    answers = normal_forms([words or "" for words in found], "latex")
    golds = normal_forms([find_gold(gold) for _, gold in pool], "latex")
    return [
        answer.text is not None and gold.understood and answer.text == gold.text
        for answer, gold in zip(answers, golds, strict=True)
    ]


def theirs(pool: list[tuple[str, str]]) -> list[bool]:
    """One call of math-verify per response."""
    return [bool(verify(parse(f"${gold}$"), parse(text))) for text, gold in pool]


def main() -> None:
    """Grade in turns; print seconds, the ratio and the pairs on which the two differ."""
    arguments = sys.argv[1:]
    pool = [pair for i in range(0, len(arguments), 3) for pair in pairs(*arguments[i : i + 3])]
    different = list(dict.fromkeys(pool))
    print(f"{len(pool)} responses, {len(different)} different pairs of response and gold answer")
    theirs([(f"\\boxed{{{text}}}", text) for text in WARM_UP])
    workers.values(WARM_UP)
    for turn in range(5):
        parser.parse_latex_cached.cache_clear()
        parser.parse_expr_cached.cache_clear()
        started = time.perf_counter()
        their_verdicts = theirs(different)
        middle = time.perf_counter()
        our_verdicts = ours(different)
        ended = time.perf_counter()
        print(
            f"turn {turn}: math-verify {middle - started:.2f} s, ours {ended - middle:.2f} s, "
            f"ratio {(middle - started) / (ended - middle):.1f}"
        )
        normal_form._known.clear()
        if workers._pool is not None:  # the worker remembers what it parsed
            workers._pool.stop()
            workers._pool = None
        workers.values(WARM_UP)
    for (text, gold), mine, other in zip(different, our_verdicts, their_verdicts, strict=True):
        if mine != other:
            print(f"differ: ours {mine}, math-verify {other}, gold {gold!r}, response ends {text[-80:]!r}")


if __name__ == "__main__":
    main()
