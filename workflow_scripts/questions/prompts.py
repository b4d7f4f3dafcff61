"""How a question becomes chat messages: by the templates of its `PromptSpec`, and by nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workflow_scripts.errors import UserError
from workflow_scripts.settings.prompts import PromptSpec

if TYPE_CHECKING:
    from workflow_scripts.questions.schema import UnlabelledQuestion


def render_options(options: Mapping[str, str], prompt: PromptSpec) -> str:
    """Return the options as one text, each by `prompt.option`, joined by `prompt.option_separator`."""
    return prompt.option_separator.join(
        _fill(prompt.option, {"letter": letter, "text": text}) for letter, text in options.items()
    )


def render_prompt(question: UnlabelledQuestion, prompt: PromptSpec) -> list[dict[str, str]]:
    """Return the chat messages `[{"role": ..., "content": ...}]` that ask `question`.

    Only `{text}` and `{options}` are placeholders; other braces (`\\boxed{X}`) stay as they are.

    Raises
    ------
    UserError
        If the template leaves out the question or its options: the policy would answer blindly.
    """
    check_prompt(prompt, has_options=question.options is not None)
    options = render_options(question.options, prompt) if question.options is not None else ""
    content = _fill(prompt.user, {"text": question.text, "options": options})
    messages = [{"role": "user", "content": content}]
    if prompt.system is not None:
        messages.insert(0, {"role": "system", "content": prompt.system})
    return messages


def check_prompt(prompt: PromptSpec, has_options: bool) -> None:
    """Raise UserError if a placeholder that the question needs is missing from the templates."""
    if "{text}" not in prompt.user:
        raise UserError("prompt.user has no {text}: the question would not be asked. Add {text}.")
    if not has_options:
        return
    if "{options}" not in prompt.user:
        raise UserError("prompt.user has no {options} but the questions have options. Add {options}.")
    if "{letter}" not in prompt.option or "{text}" not in prompt.option:
        raise UserError("prompt.option needs both {letter} and {text}, for example ({letter}) {text}.")


def _fill(template: str, values: Mapping[str, str]) -> str:
    # One pass, so that a question whose own text contains "{options}" is not filled a second time.
    names = "|".join(map(re.escape, values))
    return re.sub(rf"\{{({names})\}}", lambda match: values[match.group(1)], template)
