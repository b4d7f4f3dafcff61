"""A process reward model with its step splitter: scores the responses of question groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.policies.loading import load_model, load_tokenizer
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.models import PrmSpec
from workflow_scripts.settings.prompts import PromptSpec
from workflow_scripts.step_scores.scorer import StepFormatter, StepScorer
from workflow_scripts.step_scores.split import Split, split_steps


class StepJudge:
    """Splits responses into steps and scores them; the question is read as the policy's user message has it.

    Parameters
    ----------
    score_answer : whether the answer sentence, a response's last step, is scored with the others.
    """

    def __init__(self, scorer: StepScorer, prompt: PromptSpec, split: Split, score_answer: bool) -> None:
        self.scorer = scorer
        self.prompt = prompt
        self.split = split
        self.score_answer = score_answer

    def steps(self, text: str) -> list[str]:
        """The steps of one response that are scored."""
        steps = split_steps(text, self.split)
        return steps if self.score_answer else steps[:-1]

    def score(
        self, questions: Sequence[UnlabelledQuestion], texts: Sequence[Sequence[str]]
    ) -> list[list[list[float]]]:
        """Return p_i(+) by question, response and step; equal responses to a question are scored once."""
        asked = [render_prompt(question, self.prompt)[-1]["content"] for question in questions]
        pairs = list(dict.fromkeys((i, text) for i, responses in enumerate(texts) for text in responses))
        scores = self.scorer.score([asked[i] for i, _ in pairs], [self.steps(text) for _, text in pairs])
        of = dict(zip(pairs, scores, strict=True))
        return [[of[i, text] for text in responses] for i, responses in enumerate(texts)]


def load_judge(weights: Path, prm: PrmSpec, prompt: PromptSpec) -> StepJudge:
    """Load a process reward model as a judge of responses to questions that are asked by `prompt`."""
    model = load_model(weights, prm.dtype)
    formatter = StepFormatter(load_tokenizer(weights), prm.format)
    return StepJudge(StepScorer(model, formatter), prompt, prm.split, prm.score_answer)
