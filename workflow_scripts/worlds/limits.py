"""How many questions the worlds hold, and of which forms: what can be said before a world is built."""

from __future__ import annotations

from workflow_scripts.errors import UserError
from workflow_scripts.settings.question_sets import GeneratedQuestions
from workflow_scripts.settings.worlds import World
from workflow_scripts.worlds.knowledge import CONDITIONS, FINDINGS

PATIENTS_PER_CONDITION = {"adapt": 9, "unseen": 9}
"""Distractor findings reserved per condition for each evaluation split; all others belong to the corpora."""

N_OPTIONS = 5
"""Of a clinic question at most, and of the corpus's patients."""

RESERVED = 400
"""The clock's chains of each evaluation split; all others belong to the corpora."""


def check_questions(where: str, world: World, spec: GeneratedQuestions) -> None:
    """Raise UserError naming the key of the question set `where` that asks for what its world does not hold."""
    if world.kind == "clock":
        if spec.family != "patients":
            raise UserError(
                f"{where}: source.family: {spec.family} is of the clinic; a clock has none. Leave it out."
            )
        limit, what = RESERVED, "chains"
    else:
        if spec.n_options is None or spec.n_options > N_OPTIONS:
            shown = "null" if spec.n_options is None else spec.n_options
            raise UserError(
                f"{where}: source.n_options: is {shown}; a question of the clinic has 2 to {N_OPTIONS}."
            )
        single = spec.family == "single_finding"
        limit = len(FINDINGS) if single else PATIENTS_PER_CONDITION[spec.split] * len(CONDITIONS)
        what = "findings" if single else "different patients"
    if spec.n > limit:
        raise UserError(
            f"{where}: source.n: is {spec.n}, but the split {spec.split} of world {spec.world} has {limit} {what}. "
            "Lower it."
        )
