"""The clinic world: patients with a known condition, and a reasoner who believes some wrong things.

A patient shows the three signature findings of one condition and one finding of another option's condition. Beside
such patients there are families of other questions: patients with two findings more, and single findings.

The reasoner goes through the findings in the order shown, concludes a condition from each by its own beliefs, and
names the option that most of its steps support. One twin condition collects most habitual mistakes of a condition, so
wrong answers collide, as PROSE (section 3) supposes of small answer spaces.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from workflow_scripts.questions.schema import Question, UnlabelledQuestion
from workflow_scripts.settings.question_sets import GeneratedQuestions
from workflow_scripts.settings.worlds import Belief, ClinicWorld
from workflow_scripts.worlds.checking import answer_agrees_with_steps
from workflow_scripts.worlds.knowledge import (
    ANSWER,
    CONDITIONS,
    FILLER,
    FINDINGS,
    LETTERS,
    SIGNATURES,
    TRUE_CONDITION,
)
from workflow_scripts.worlds.limits import N_OPTIONS, PATIENTS_PER_CONDITION, check_questions

DISTRACTORS = {"patients": 1, "many_findings": 3}
"""Findings of other conditions that a patient of each family shows."""


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
        self.reserved_singles = {
            (patient.findings, frozenset(patient.options))
            for split in ("adapt", "unseen")
            for finding in FINDINGS
            for patient in [self._single_of_split(split, finding)]
        }

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

    def _options(self, condition: str, mistaken: list[str], rng: random.Random) -> list[str]:
        """The truth, what its findings are commonly mistaken for, then random conditions."""
        rng.shuffle(mistaken)
        others = [c for c in CONDITIONS if c != condition]
        rng.shuffle(others)
        return list(dict.fromkeys([condition, *mistaken, *others]))[:N_OPTIONS]

    def _patient(self, condition: str, split: str, n_distractors: int, rng: random.Random) -> Patient:
        """A patient with the three signature findings and `n_distractors` of other conditions."""
        options = self._options(condition, [self.habitual[finding] for finding in SIGNATURES[condition]], rng)
        allowed = self.distractors[split][condition]
        fitting = [finding for finding in allowed if TRUE_CONDITION[finding] in options]
        first = rng.choice(fitting or allowed)
        if TRUE_CONDITION[first] not in options:
            options[-1] = TRUE_CONDITION[first]
        # Each distractor belongs to another condition: no other one has as many findings as the true one.
        distractors = {TRUE_CONDITION[first]: first}
        for finding in rng.sample(allowed, len(allowed)):
            distractors.setdefault(TRUE_CONDITION[finding], finding)
        findings = [*SIGNATURES[condition], *list(distractors.values())[:n_distractors]]
        rng.shuffle(findings)
        rng.shuffle(options)
        return Patient(condition, tuple(findings), tuple(options))

    def _single(self, finding: str, rng: random.Random) -> Patient:
        """One finding, and the options that go with it."""
        options = self._options(TRUE_CONDITION[finding], [self.habitual[finding]], rng)
        rng.shuffle(options)
        return Patient(TRUE_CONDITION[finding], (finding,), tuple(options))

    def _single_of_split(self, split: str, finding: str) -> Patient:
        """The one question of an evaluation split that shows this finding alone."""
        return self._single(finding, random.Random(f"{self.settings.seed}/single/{split}/{finding}"))

    def question(self, patient: Patient, n_options: int, identifier: str) -> Question:
        """Write a patient as a multiple-choice question; fewer than five options lack wrong ones, drawn once."""
        shown = list(patient.options)
        wrong = [option for option in shown if option != patient.condition]
        random.Random(f"{self.settings.seed}/dropped/{patient}").shuffle(wrong)
        for option in wrong[: N_OPTIONS - n_options]:
            shown.remove(option)
        options = dict(zip(LETTERS, shown, strict=False))
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
        """Questions of an evaluation split, balanced over conditions (findings, if single); no two are alike.

        Patients of equal family, split and seed are the same whatever `n_options`, and so are their ids.
        """
        check_questions("question set", self.settings, spec)
        assert spec.n_options is not None
        make = self._single_patients if spec.family == "single_finding" else self._patients
        patients = make(spec)
        return [
            self.question(patient, spec.n_options, f"{spec.split}-{i:04d}")
            for i, patient in enumerate(patients)
        ]

    def _patients(self, spec: GeneratedQuestions) -> list[Patient]:
        family = "" if spec.family == "patients" else f"{spec.family}/"
        rng = random.Random(f"{self.settings.seed}/questions/{family}{spec.split}/{spec.seed}")
        chosen: dict[frozenset[str], Patient] = {}
        while len(chosen) < spec.n:
            round_ = list(CONDITIONS)
            rng.shuffle(round_)
            for condition in round_[: spec.n - len(chosen)]:
                patient = self._patient(condition, spec.split, DISTRACTORS[spec.family], rng)
                while frozenset(patient.findings) in chosen:
                    patient = self._patient(condition, spec.split, DISTRACTORS[spec.family], rng)
                chosen[frozenset(patient.findings)] = patient
        return list(chosen.values())

    def _single_patients(self, spec: GeneratedQuestions) -> list[Patient]:
        rng = random.Random(f"{self.settings.seed}/questions/single/{spec.split}/{spec.seed}")
        return [self._single_of_split(spec.split, finding) for finding in rng.sample(FINDINGS, spec.n)]

    def draw_question(self, rng: random.Random, split: str = "corpus") -> Question:
        """A random question by the families' shares; `corpus` shows none that an evaluation question shows."""
        families, draw = self.settings.families, rng.random()
        n_options = N_OPTIONS
        if draw < families.single_finding:
            patient = self._draw_single(rng, split)
        else:
            draw -= families.single_finding
            many = draw < families.many_findings
            n_options -= int(families.many_findings <= draw < families.many_findings + families.four_options)
            family = "many_findings" if many else "patients"
            patient = self._patient(rng.choice(CONDITIONS), split, DISTRACTORS[family], rng)
        return self.question(patient, n_options, f"{split}-{rng.getrandbits(64):016x}")

    def draw_choice(self, rng: random.Random) -> Question:
        """A random question of the corpora: all of the clinic's are choices."""
        return self.draw_question(rng)

    def _draw_single(self, rng: random.Random, split: str) -> Patient:
        if split != "corpus":
            return self._single_of_split(split, rng.choice(FINDINGS))
        while True:
            patient = self._single(rng.choice(FINDINGS), rng)
            if (patient.findings, frozenset(patient.options)) not in self.reserved_singles:
                return patient

    # ---------------------------------------------------------------- the reasoner

    def example(self, rng: random.Random) -> tuple[Question, list[str]]:
        """A corpus question with one response of the imperfect reasoner."""
        question = self.draw_question(rng)
        return question, self.respond(question, rng)

    def respond(self, question: Question, rng: random.Random) -> list[str]:
        """One response of the imperfect reasoner: lines, the last of which is the answer (if any)."""
        world = self.settings
        assert question.options is not None
        waiting = list(reversed(question.meta["findings"]))
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

    def drill(self, rng: random.Random) -> tuple[Question, list[str]]:
        """A binding drill: every option of a corpus question with its letter, in random order."""
        question = self.draw_question(rng)
        assert question.options is not None
        options = list(question.options.values())
        rng.shuffle(options)
        return question, [self.answer_line(question, condition) for condition in options]

    def agrees_with_steps(self, question: UnlabelledQuestion, steps: Sequence[str]) -> bool | None:
        """Whether the answer is one that its own steps support most; None where that cannot be told."""
        return answer_agrees_with_steps(question, steps)

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
