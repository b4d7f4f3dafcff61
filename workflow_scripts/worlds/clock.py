"""The clock world: chains of arithmetic on a dial, free-form or as a choice, and a reasoner who misremembers facts.

A question gives where the hand of a dial starts and three operations. The reasoner writes the value after each, by its
own belief about that one fact, and states the last value: alone in the free form, with the letter of its option in the
choice. Both forms of a chain share everything but the answer space, which is what PROSE (section 3) varies.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import product

from workflow_scripts.questions.schema import Question, UnlabelledQuestion
from workflow_scripts.settings.question_sets import GeneratedQuestions
from workflow_scripts.settings.worlds import Belief, ClockWorld
from workflow_scripts.worlds.limits import RESERVED, check_questions

OPERATIONS = ("+7", "-4", "x3", "+19", "x9", "-13")
CHAIN_LENGTH = 3
GUESSES = 40
"""Chains of the reasoner whose most frequent wrong ends become the wrong options."""

ANSWER = "The answer is"
LETTERS = "ABCDEFGHIJ"
_STEP = re.compile(r"^([-+x]\d+): (\d+)$")
_ANSWER = re.compile(rf"^{ANSWER}: (\d+)(?: \(([A-J])\))?$")

Chain = tuple[int, tuple[str, ...]]
"""The start value and the operations."""


class Clock:
    """The world's arithmetic, the reasoner's beliefs about it, and what both write."""

    def __init__(self, settings: ClockWorld) -> None:
        self.settings = settings
        self.values = range(settings.values)
        rng = random.Random(f"{settings.seed}/facts")
        # One rank per fact: a world with more strong facts keeps those that were strong before.
        self.rank = {fact: rng.random() for fact in product(OPERATIONS, self.values)}
        self.habitual = {
            fact: rng.choice([value for value in self.values if value != self.true(*fact)])
            for fact in self.rank
        }
        chains = list(product(self.values, product(OPERATIONS, repeat=CHAIN_LENGTH)))
        random.Random(f"{settings.seed}/chains").shuffle(chains)
        self.chains: dict[str, list[Chain]] = {
            "adapt": chains[:RESERVED],
            "unseen": chains[RESERVED : 2 * RESERVED],
            "corpus": chains[2 * RESERVED :],
        }

    # ---------------------------------------------------------------- arithmetic and beliefs

    def true(self, operation: str, value: int) -> int:
        """The dial after one operation."""
        sign, number = operation[0], int(operation[1:])
        moved = value * number if sign == "x" else value + number if sign == "+" else value - number
        return moved % self.settings.values

    def end(self, chain: Chain) -> int:
        """The dial after all of them."""
        value, operations = chain
        for operation in operations:
            value = self.true(operation, value)
        return value

    def belief(self, operation: str, value: int) -> Belief:
        """What the reasoner believes about a fact, by the fact's rank."""
        rank = self.rank[operation, value]
        if rank < self.settings.misconceived.share:
            return self.settings.misconceived
        return self.settings.strong if rank > 1 - self.settings.strong.share else self.settings.weak

    def _conclude(self, operation: str, value: int, rng: random.Random) -> int:
        belief, draw = self.belief(operation, value), rng.random()
        if draw < belief.right:
            return self.true(operation, value)
        if draw < belief.right + belief.habitual:
            return self.habitual[operation, value]
        return rng.choice(self.values)

    def _reason(self, chain: Chain, rng: random.Random) -> list[int]:
        value, operations = chain
        found = []
        for operation in operations:
            value = self._conclude(operation, value, rng)
            found.append(value)
        return found

    # ---------------------------------------------------------------- questions

    def question(self, chain: Chain, n_options: int | None, identifier: str) -> Question:
        """Write a chain as a question, free-form or with its true end and the most frequent wrong ones as options."""
        start, operations = chain
        truth = self.end(chain)
        options = None if n_options is None else self._options(chain, n_options)
        answer = str(truth)
        if options is not None:
            answer = next(letter for letter, text in options.items() if text == answer)
        return Question(
            id=identifier,
            source="clock",
            text=f"Start: {start}, {', '.join(operations)}",
            options=options,
            answer=answer,
            answer_kind="number" if options is None else "choice",
            meta={"start": start, "operations": list(operations)},
        )

    def _options(self, chain: Chain, n_options: int) -> dict[str, str]:
        rng = random.Random(f"{self.settings.seed}/options/{chain}")
        truth = self.end(chain)
        guesses = Counter(self._reason(chain, rng)[-1] for _ in range(GUESSES))
        wrong = [value for value, _ in guesses.most_common() if value != truth]
        others = [value for value in self.values if value != truth and value not in guesses]
        rng.shuffle(others)
        chosen = [truth, *(wrong + others)[: n_options - 1]]
        rng.shuffle(chosen)
        return dict(zip(LETTERS, map(str, chosen), strict=False))

    def questions(self, spec: GeneratedQuestions) -> list[Question]:
        """The first `n` chains of an evaluation split; equal ids are one chain, whatever the form."""
        check_questions("question set", self.settings, spec)
        chains = self.chains[spec.split]
        chosen = random.Random(f"{self.settings.seed}/questions/{spec.split}/{spec.seed}").sample(
            chains, spec.n
        )
        return [
            self.question(chain, spec.n_options, f"{spec.split}-{i:04d}") for i, chain in enumerate(chosen)
        ]

    def draw_pair(self, rng: random.Random) -> tuple[Question, Question]:
        """A random chain that no evaluation question shows, in the free form and as a choice."""
        chain, identifier = rng.choice(self.chains["corpus"]), f"corpus-{rng.getrandbits(64):016x}"
        return self.question(chain, None, identifier), self.question(
            chain, self.settings.n_options, identifier
        )

    def draw_choice(self, rng: random.Random) -> Question:
        """The same, as a choice only."""
        return self.draw_pair(rng)[1]

    # ---------------------------------------------------------------- the reasoner

    def example(self, rng: random.Random) -> tuple[Question, list[str]]:
        """A corpus question, each form as often, with one response of the imperfect reasoner."""
        question = self.draw_pair(rng)[rng.randrange(2)]
        return question, self.respond(question, rng)

    def respond(self, question: Question, rng: random.Random) -> list[str]:
        """One response: a line per step, the last line the answer (if any). Some stop writing steps early."""
        settings = self.settings
        chain = (question.meta["start"], tuple(question.meta["operations"]))
        values = self._reason(chain, rng)
        written = rng.randrange(1, CHAIN_LENGTH) if rng.random() < settings.early else CHAIN_LENGTH
        lines = [
            f"{operation}: {value}" for operation, value in zip(chain[1][:written], values, strict=False)
        ]
        if rng.random() < settings.no_answer:
            return lines
        return [*lines, self.answer_line(question, self._stated(question, values[-1], rng))]

    def _stated(self, question: Question, value: int, rng: random.Random) -> int:
        """The value that is stated; one that no option has gives way to the largest option, or to any."""
        if question.options is None or str(value) in question.options.values():
            return value
        offered = [int(text) for text in question.options.values()]
        return max(offered) if rng.random() < self.settings.attraction else rng.choice(offered)

    def answer_line(self, question: Question, value: int) -> str:
        """The answer sentence, with the option's letter where there are options."""
        if question.options is None:
            return f"{ANSWER}: {value}"
        letter = next(letter for letter, text in question.options.items() if text == str(value))
        return f"{ANSWER}: {value} ({letter})"

    def drill(self, rng: random.Random) -> tuple[Question, list[str]]:
        """A binding drill: all options with their letters, or one as the end of a step and as the answer."""
        question = self.draw_choice(rng)
        assert question.options is not None
        offered = [int(text) for text in question.options.values()]
        rng.shuffle(offered)
        if rng.random() < 0.5:
            return question, [self.answer_line(question, value) for value in offered]
        step = f"{rng.choice(OPERATIONS)}: {offered[0]}"
        return question, [step, self.answer_line(question, offered[0])]

    def vocabulary(self) -> list[str]:
        """The phrases that the tiny tokenizer keeps whole."""
        return [
            "Start",
            *(f": {value}" for value in self.values),
            *OPERATIONS,
            *(f" ({letter})" for letter in LETTERS),
            ", ",
            "\n",
            ANSWER,
        ]

    # ---------------------------------------------------------------- checking

    def agrees_with_steps(self, question: UnlabelledQuestion, steps: Sequence[str]) -> bool | None:
        """Whether the answer is what the last step says; None where that cannot be told.

        It cannot where there is no answer, where other operations are written than asked, or where no option has the
        value.
        """
        answer = _ANSWER.match(steps[-1]) if steps else None
        written = [match for match in map(_STEP.match, steps[:-1]) if match]
        if answer is None or [match.group(1) for match in written] != question.meta["operations"]:
            return None
        value, letter = answer.groups()
        if question.options is None:
            return value == written[-1].group(2)
        if written[-1].group(2) not in question.options.values():
            return None
        return question.options.get(letter) == written[-1].group(2) == value
