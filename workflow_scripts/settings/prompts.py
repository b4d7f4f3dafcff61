"""How a question becomes chat messages."""

from __future__ import annotations

from pydantic import Field

from workflow_scripts.settings.base import Strict


class PromptSpec(Strict):
    """How a question becomes chat messages; nothing is left to a chat template's default."""

    system: str | None = None
    user: str = Field(description="template with {text} and {options}")
    option: str = Field(default="({letter}) {text}", description="one option, with {letter} and {text}")
    option_separator: str = "\n"
