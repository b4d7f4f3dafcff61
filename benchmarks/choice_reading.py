"""How many multiple-choice answers are read per second on one core.

    PYTHONPATH=. python benchmarks/choice_reading.py [--outputs FILE.json] [--samples 16] [--questions 1273]

FILE.json holds a list of objects with a response in the field `--text` and the `options` (letter to text); without one,
responses are made up: reasoning of 500 to 1,500 characters, then the answer in one of several forms. In turns with the
product's reader, the strictest kind of reader runs on the same responses: one regular expression, `answer is (X)`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

from workflow_scripts.answers.choice import read_choice
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.question_sets import ChoiceRule

Pair = tuple[str, UnlabelledQuestion]

RULE = ChoiceRule(kind="choice")
STRICT = re.compile(r"answer is \(?([A-J])\)?")
SENTENCES = (
    "The patient has had a fever for three days.",
    "A raised white cell count points to an infection.",
    "Option B would explain the rash, but not the joint pain.",
    "**Step 2**: the drug in (D) is harmful to the kidney.",
    "I think that the onset is too sudden for a tumour.",
    "The correct choice depends on the course of the disease.",
    "In such cases, imaging comes first and surgery is rarely needed.",
)
ENDINGS = (
    "Therefore, the answer is ({letter}).",
    "The answer is: {text} ({letter})",
    "**Answer: {letter}**",
    "Thus, the final answer is $\\boxed{{{letter}}}$.",
    "The correct answer is:\n\n({letter}) {text}",
    "{letter}",
)


def made_up(n_questions: int, n_samples: int) -> list[Pair]:
    """Return responses of 500 to 1,500 characters with their questions, from a fixed seed."""
    draw = random.Random(0)
    pairs = []
    for number in range(n_questions):
        options = {letter: f"Finding {draw.randrange(10**6)} of the organ" for letter in "ABCDE"}
        question = UnlabelledQuestion(f"q{number}", "benchmark", "Which?", options, "choice", {})
        for _ in range(n_samples):
            length, text = draw.randrange(500, 1500), ""
            while len(text) < length:
                text += draw.choice(SENTENCES) + draw.choice((" ", " ", " ", "\n\n"))
            letter = draw.choice("ABCDE")
            ending = draw.choice(ENDINGS).format(letter=letter, text=options[letter])
            pairs.append((f"{text.rstrip()}\n\n{ending}", question))
    return pairs


def recorded(path: Path, field: str, n_questions: int, n_samples: int) -> list[Pair]:
    """Return the responses in `path`, repeated until there are as many as asked for."""
    table = json.loads(path.read_text(encoding="utf-8"))
    pairs = [
        (row[field], UnlabelledQuestion(f"q{i}", "benchmark", "Which?", row["options"], "choice", {}))
        for i, row in enumerate(table)
    ]
    return [pairs[i % len(pairs)] for i in range(n_questions * n_samples)]


def strictly(text: str, question: UnlabelledQuestion) -> str | None:
    """Read an answer as the strictest published readers do."""
    found = STRICT.findall(text)
    return found[-1] if found and found[-1] in (question.options or {}) else None


def ours(text: str, question: UnlabelledQuestion) -> str | None:
    """Read an answer with the product's reader."""
    return read_choice(text, question, RULE).answer


def main() -> None:
    """Time both readers in turns and print the best round of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--outputs", type=Path, help="recorded responses (json); made-up ones without it")
    parser.add_argument("--text", default="raw_response", help="field of the response (%(default)s)")
    parser.add_argument("--questions", type=int, default=1273)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    if args.outputs:
        pairs = recorded(args.outputs, args.text, args.questions, args.samples)
    else:
        pairs = made_up(args.questions, args.samples)
    readers: dict[str, Callable[[str, UnlabelledQuestion], str | None]] = {
        "ours": ours,
        "one regular expression": strictly,
    }
    best = dict.fromkeys(readers, float("inf"))
    n_read = dict.fromkeys(readers, 0)
    for _ in range(args.rounds):
        for name, reader in readers.items():
            start = time.process_time()
            n_read[name] = sum(reader(text, question) is not None for text, question in pairs)
            best[name] = min(best[name], time.process_time() - start)
    n_characters = sum(len(text) for text, _ in pairs)
    print(f"{len(pairs)} responses, {n_characters / len(pairs):.0f} characters each on average")
    for name, seconds in best.items():
        print(
            f"{name}: {len(pairs) / seconds:,.0f} answers/s, {n_characters / seconds / 1e6:.1f} million characters/s, "
            f"{n_read[name] / len(pairs):.1%} of the responses give an answer"
        )


if __name__ == "__main__":
    main()
