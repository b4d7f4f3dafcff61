"""The clinic's step checker: which steps of a response are true, known exactly."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workflow_scripts.questions.schema import Question, UnlabelledQuestion
from workflow_scripts.settings.models import StepLabels
from workflow_scripts.worlds.knowledge import (
    ANSWER,
    CONDITIONS,
    FILLER,
    FINDINGS,
    SIGNATURES,
    TRUE_CONDITION,
)

if TYPE_CHECKING:
    from workflow_scripts.worlds.clinic import Clinic

FINDING_STEP = re.compile(
    f"^({'|'.join(map(re.escape, FINDINGS))}): ({'|'.join(map(re.escape, CONDITIONS))})$"
)
ANSWER_STEP = re.compile(rf"^{ANSWER}: ({'|'.join(map(re.escape, CONDITIONS))}) \(([A-J])\)$")


def check_steps(question: UnlabelledQuestion, steps: Sequence[str]) -> list[bool]:
    """Say for each step whether it is right.

    A finding step is right if the patient has the finding, it was not said before, and it points to the stated
    condition. A filler is right. The answer is right if at least two right steps (one, where there is one finding)
    support the named option and the letter is that option's. Anything else is wrong.
    """
    assert question.options is not None
    shown = set(question.meta["findings"])
    needed = min(2, len(shown))
    said: set[str] = set()
    support: defaultdict[str, int] = defaultdict(int)
    labels = []
    for step in steps:
        right = step == FILLER
        if match := FINDING_STEP.match(step):
            finding, condition = match.groups()
            right = finding in shown and finding not in said and TRUE_CONDITION[finding] == condition
            said.add(finding)
            support[condition] += right
        elif match := ANSWER_STEP.match(step):
            condition, letter = match.groups()
            right = question.options.get(letter) == condition and support[condition] >= needed
        labels.append(right)
    return labels


def answer_agrees_with_steps(question: UnlabelledQuestion, steps: Sequence[str]) -> bool | None:
    """Whether the named option is (one of) those most supported by the steps; None without answer or support."""
    assert question.options is not None
    answer = ANSWER_STEP.match(steps[-1]) if steps else None
    if answer is None:
        return None
    concluded = [m.group(2) for m in map(FINDING_STEP.match, steps) if m]
    support = Counter(c for c in concluded if c in question.options.values())
    if not support:
        return None
    condition, letter = answer.groups()
    return question.options.get(letter) == condition and support[condition] == max(support.values())


def says_a_finding_twice(steps: Sequence[str]) -> bool:
    """Whether a response concludes from one finding more than once."""
    said = [match.group(1) for match in map(FINDING_STEP.match, steps) if match]
    return len(said) > len(set(said))


def corrupt(
    world: Clinic, question: Question, steps: list[str], labels: StepLabels, rng: random.Random
) -> list[str]:
    """Write one or two mistakes into a response that a policy under optimisation would try on a reward model.

    Foreign findings (which the patient does not have, mostly in support of an option), repeated steps, and swapped
    answers: a process reward model that never saw these is hacked within a hundred steps.
    """
    assert question.options is not None
    options = list(question.options.values())
    steps = list(steps)
    for _ in range(rng.randint(1, 2)):
        findings = [i for i, step in enumerate(steps) if FINDING_STEP.match(step)]
        draw = rng.random()
        if draw < labels.foreign and findings:
            condition = rng.choice(options) if rng.random() < 0.7 else rng.choice(CONDITIONS)
            finding = rng.choice(SIGNATURES[condition])
            claimed = condition if rng.random() < 0.7 else world.habitual[finding]
            steps[rng.choice(findings)] = f"{finding}: {claimed}"
        elif draw < labels.foreign + labels.repeated and findings:
            i = rng.choice(findings)
            for _ in range(rng.randint(1, 3)):
                if len(steps) <= world.settings.max_steps:
                    steps.insert(rng.randint(i + 1, max(i + 1, len(steps) - 1)), steps[i])
        elif steps and ANSWER_STEP.match(steps[-1]):
            steps[-1] = world.answer_line(question, rng.choice(options))
    return steps
