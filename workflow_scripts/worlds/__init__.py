"""The miniature worlds: question makers, imperfect reasoners and step checkers with known truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow_scripts.settings.question_sets import GeneratedQuestions
from workflow_scripts.settings.worlds import ClinicWorld, World

if TYPE_CHECKING:
    from workflow_scripts.questions.schema import Question
    from workflow_scripts.worlds.clinic import Clinic
    from workflow_scripts.worlds.clock import Clock


def make_world(settings: World) -> Clinic | Clock:
    """The world that the settings describe."""
    from workflow_scripts.worlds.clinic import Clinic
    from workflow_scripts.worlds.clock import Clock

    return Clinic(settings) if isinstance(settings, ClinicWorld) else Clock(settings)


def make_questions(world: World, spec: GeneratedQuestions) -> list[Question]:
    """The questions of one generated question set."""
    return make_world(world).questions(spec)
