"""The clinic world: patients with a known condition, and a reasoner who believes some wrong things.

A patient shows the three signature findings of one condition and one finding of another option's condition.
The reasoner takes the findings in random order, concludes a condition from each by its own beliefs, and names the
option that most of its steps support. One twin condition collects most habitual mistakes of a condition, so wrong
answers collide, as PROSE (section 3) supposes of small answer spaces.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.specs import GeneratedQuestions
from workflow_scripts.settings.worlds import Belief, ClinicWorld
from workflow_scripts.worlds.knowledge import (
    ANSWER,
    CONDITIONS,
    FILLER,
    FINDINGS,
    LETTERS,
    SIGNATURES,
    TRUE_CONDITION,
)

PATIENTS_PER_CONDITION = {"adapt": 9, "unseen": 9}
"""Distractor findings reserved per condition for each evaluation split; all others belong to the corpora."""


@dataclass(frozen=True)
class Patient:
    """One patient: the true condition, the findings in the order shown, the options in the order shown."""

    condition: str
    findings: tuple[str, ...]
    options: tuple[str, ...]


class Clinic:
    """The world's truth, the reasoner's beliefs, and what both write."""

    def __init__(self, settings: ClinicWorld) -> None:
        self.settings = settings
        rng = random.Random(f"{settings.seed}/beliefs")
        twin = {c: rng.choice([other for other in CONDITIONS if other != c]) for c in CONDITIONS}
        self.habitual: dict[str, str] = {}
        n_blind = round(settings.blind.share * len(FINDINGS))
        n_misconceived = round(settings.misconceived.share * len(FINDINGS))
        kinds = [settings.blind] * n_blind + [settings.misconceived] * n_misconceived
        kinds += [settings.good] * (len(FINDINGS) - len(kinds))
        rng.shuffle(kinds)
        self.belief: dict[str, Belief] = dict(zip(FINDINGS, kinds, strict=True))
        for finding in FINDINGS:
            condition = TRUE_CONDITION[finding]
            other = rng.choice([c for c in CONDITIONS if c != condition])
            self.habitual[finding] = twin[condition] if rng.random() < settings.twin_share else other
        self.distractors = {split: self._distractors(split) for split in ("adapt", "unseen", "corpus")}

    def _distractors(self, split: str) -> dict[str, list[str]]:
        """Per condition, the fourth findings that occur in `split`: the splits share no set of findings."""
        chosen = {}
        adapt, unseen = PATIENTS_PER_CONDITION["adapt"], PATIENTS_PER_CONDITION["unseen"]
        part = {
            "adapt": slice(0, adapt),
            "unseen": slice(adapt, adapt + unseen),
            "corpus": slice(adapt + unseen, None),
        }[split]
        for condition in CONDITIONS:
            others = [f for f in FINDINGS if TRUE_CONDITION[f] != condition]
            random.Random(f"{self.settings.seed}/splits/{condition}").shuffle(others)
            chosen[condition] = others[part]
        return chosen

    # ---------------------------------------------------------------- questions

    def _patient(self, condition: str, split: str, n_options: int, rng: random.Random) -> Patient:
        """Options: the truth, what its findings are commonly mistaken for, then random conditions."""
        signature = SIGNATURES[condition]
        mistaken = [self.habitual[finding] for finding in signature]
        rng.shuffle(mistaken)
        others = [c for c in CONDITIONS if c != condition]
        rng.shuffle(others)
        options = list(dict.fromkeys([condition, *mistaken, *others]))[:n_options]
        allowed = self.distractors[split][condition]
        fitting = [finding for finding in allowed if TRUE_CONDITION[finding] in options]
        distractor = rng.choice(fitting or allowed)
        if TRUE_CONDITION[distractor] not in options:
            options[-1] = TRUE_CONDITION[distractor]
        findings = [*signature, distractor]
        rng.shuffle(findings)
        rng.shuffle(options)
        return Patient(condition, tuple(findings), tuple(options))

    def question(self, patient: Patient, identifier: str) -> Question:
        """Write a patient as a multiple-choice question."""
        options = dict(zip(LETTERS, patient.options, strict=False))
        answer = next(letter for letter, text in options.items() if text == patient.condition)
        return Question(
            id=identifier,
            source="clinic",
            text="Findings: " + ", ".join(patient.findings),
            options=options,
            answer=answer,
            answer_kind="choice",
            meta={"findings": list(patient.findings)},
        )

    def questions(self, spec: GeneratedQuestions) -> list[Question]:
        """Questions of an evaluation split: balanced over conditions, no two with the same findings."""
        limit = PATIENTS_PER_CONDITION[spec.split] * len(CONDITIONS)
        if spec.n > limit:
            raise UserError(
                f"question set of world clinic, split {spec.split}: n is {spec.n}, but there are {limit} "
                "different patients. Lower n."
            )
        rng = random.Random(f"{self.settings.seed}/questions/{spec.split}/{spec.seed}")
        chosen: list[Question] = []
        seen: set[frozenset[str]] = set()
        while len(chosen) < spec.n:
            round_ = list(CONDITIONS)
            rng.shuffle(round_)
            for condition in round_[: spec.n - len(chosen)]:
                patient = self._patient(condition, spec.split, spec.n_options, rng)
                while frozenset(patient.findings) in seen:
                    patient = self._patient(condition, spec.split, spec.n_options, rng)
                seen.add(frozenset(patient.findings))
                chosen.append(self.question(patient, f"{spec.split}-{len(chosen):04d}"))
        return chosen

    def draw_question(self, rng: random.Random, split: str = "corpus", n_options: int = 5) -> Question:
        """A random question of a split; `corpus` holds the patients that no evaluation question shows."""
        identifier = f"{split}-{rng.getrandbits(64):016x}"
        return self.question(self._patient(rng.choice(CONDITIONS), split, n_options, rng), identifier)

    # ---------------------------------------------------------------- the reasoner

    def respond(self, question: Question, rng: random.Random) -> list[str]:
        """One response of the imperfect reasoner: lines, the last of which is the answer (if any)."""
        world = self.settings
        assert question.options is not None
        waiting = list(question.meta["findings"])
        rng.shuffle(waiting)
        filler = world.rambler_filler if rng.random() < world.rambler else world.filler
        lines: list[str] = []
        support: Counter[str] = Counter()
        while waiting and len(lines) < world.max_steps:
            if rng.random() < filler:
                lines.append(FILLER)
                continue
            finding = waiting.pop()
            if rng.random() < world.skip:
                continue
            condition = self._conclude(finding, rng)
            lines.append(f"{finding}: {condition}")
            support[condition] += 1
        if rng.random() < world.no_answer:
            return lines
        supported = {c: n for c, n in support.items() if c in question.options.values()}
        best = [c for c, n in supported.items() if n == max(supported.values())]
        named = rng.choice(best or list(question.options.values()))
        return [*lines, self.answer_line(question, named)]

    def _conclude(self, finding: str, rng: random.Random) -> str:
        belief = self.belief[finding]
        draw = rng.random()
        if draw < belief.right:
            return TRUE_CONDITION[finding]
        if draw < belief.right + belief.habitual:
            return self.habitual[finding]
        return rng.choice(CONDITIONS)

    def answer_line(self, question: Question, condition: str) -> str:
        """The answer sentence naming `condition`, which must be an option, and its letter."""
        assert question.options is not None
        letter = next(letter for letter, text in question.options.items() if text == condition)
        return f"{ANSWER}: {condition} ({letter})"

    def drill(self, question: Question, rng: random.Random) -> list[str]:
        """A binding drill: every option of the question with its letter, in random order."""
        assert question.options is not None
        options = list(question.options.values())
        rng.shuffle(options)
        return [self.answer_line(question, condition) for condition in options]

    def vocabulary(self) -> list[str]:
        """The phrases that the tiny tokenizer keeps whole."""
        return [
            *FINDINGS,
            *(f": {condition}" for condition in CONDITIONS),
            *(f" ({letter})" for letter in LETTERS),
            *FILLER.split(": ")[:1],
            ": " + FILLER.split(": ")[1],
            "Findings: ",
            ", ",
            "\nOptions:",
            "\n",
            ANSWER,
        ]
