"""Maths problems inside a chat: DAPO and SimpleRL (`prompt`, `reward_model`), Open-Reasoner-Zero (turns {from, value}).

The problem stands inside a template that asks for an answer format. It is stripped: the prompt of the question set
asks for the format, and a second, different instruction would contradict it. Where `extra_info` holds the bare
`question` too, that is taken.
"""

from __future__ import annotations

import re
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.shapes.fields import field, first_present, made_id, maybe_json, missing
from workflow_scripts.questions.shapes.gold import gold_text, published_gold
from workflow_scripts.questions.shapes.origin import Converter, Origin, Unlabelled
from workflow_scripts.questions.shapes.problem import maths_question
from workflow_scripts.questions.tables import Row

_USER, _ASSISTANT = ("user", "human"), ("assistant", "gpt")

_TEMPLATES = [
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # DAPO
        r"\ASolve the following math problem step by step\..{0,200}?where \$Answer is the answer to the problem\.",
        r"Remember to put your answer on its own line after \"Answer:\"\.?\Z",
        # verl, Qwen and DeepSeek
        r"(?:Let's|Please) (?:think|reason) step by step,? and (?:output|put) (?:the|your) final answer "
        r"(?:within|in) \\boxed\{\}\.?\Z",
        r"\A(?:Let's|Please) (?:think|reason) step by step,? and (?:output|put) (?:the|your) final answer "
        r"(?:within|in) \\boxed\{\}\.?",
    )
]


def chat(origin: Origin) -> Converter:
    """Rows whose problem is the one user turn of a chat, or a plain text in a template."""

    def convert(row: Row) -> Question:
        turns = row.values.get("turns")
        extra = maybe_json(row, "extra_info")
        extra = extra if isinstance(extra, dict) else {}
        if turns is not None:
            asked, answer = without_template(row, _user_turn(row, turns)), _gold_of_turns(row, turns)
        elif isinstance(extra.get("question"), str) and extra["question"].strip():
            asked, answer = extra["question"].strip(), _gold(row)
        else:
            asked, answer = without_template(row, _prompt(row)), _gold(row)
        index = extra.get("index")
        own = first_present(row, ("id",)) if missing(index) else index
        identity = made_id(row, origin.name, row.index if own is None else own)
        return maths_question(row, origin, asked, answer, identity)

    return convert


def without_template(row: Row, said: str) -> str:
    """Return the problem alone.

    Raises
    ------
    UserError
        If nothing is left, or a template is there that is not known.
    """
    for template in _TEMPLATES:
        said = template.sub("", said.strip())
    if not said.strip():
        raise UserError(f"{row.where}: the prompt holds a template but no problem.")
    if "$Answer" in said or "<|im_start|>" in said:
        raise UserError(
            f"{row.where}: the problem stands in a template that is not known. Add it to questions/shapes/chat.py."
        )
    return said.strip()


def _prompt(row: Row) -> str:
    prompt = field(row, "prompt", "messages", "problem", "question")
    return prompt if isinstance(prompt, str) else _user_turn(row, prompt)


def _user_turn(row: Row, turns: Any) -> str:
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise UserError(f"{row.where}: the prompt is neither text nor a list of chat turns.")
    said = [_content(turn) for turn in turns if _role(turn) in _USER]
    if len(said) != 1 or not isinstance(said[0], str) or not said[0].strip():
        raise UserError(f"{row.where}: need exactly one user turn with text, found {len(said)}.")
    return said[0]


def _role(turn: dict[str, Any]) -> str:
    role = turn.get("role") if not missing(turn.get("role")) else turn.get("from")
    return str(role).lower()


def _content(turn: dict[str, Any]) -> Any:
    return turn.get("content") if not missing(turn.get("content")) else turn.get("value")


def _gold(row: Row) -> str:
    reward = maybe_json(row, "reward_model")
    if isinstance(reward, dict):
        return _published(row, reward.get("ground_truth"))
    return gold_text(row)


def _gold_of_turns(row: Row, turns: list[dict[str, Any]]) -> str:
    for turn in turns:
        if _role(turn) in _ASSISTANT:
            truth = turn.get("ground_truth")
            return _published(row, truth.get("value") if isinstance(truth, dict) else truth)
    raise Unlabelled("no gold answer")


def _published(row: Row, truth: Any) -> str:
    if missing(truth):
        raise Unlabelled("no gold answer")
    return published_gold(row, truth)
