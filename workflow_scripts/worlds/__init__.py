"""The miniature worlds: question makers, imperfect reasoners and step checkers with known truth."""

from __future__ import annotations

from workflow_scripts.questions.schema import Question
from workflow_scripts.settings.specs import GeneratedQuestions
from workflow_scripts.settings.worlds import World
from workflow_scripts.worlds.clinic import Clinic


def make_questions(world: World, spec: GeneratedQuestions) -> list[Question]:
    """The questions of one generated question set."""
    return Clinic(world).questions(spec)
