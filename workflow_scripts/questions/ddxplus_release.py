"""The two files in which a DDXPlus release describes its codes: evidences and conditions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError

_SIDES = {"R": " (right)", "L": " (left)"}
_YES_NO = {"Y": "yes", "N": "no"}


@dataclass(frozen=True)
class Evidence:
    """One question of the interview.

    Attributes
    ----------
    follows
        The evidence after which this one is asked; its own code if there is none.
    answers
        Value to English answer in the order of the file, None for a value that means NA; empty if it is binary.
    """

    question: str
    antecedent: bool
    follows: str
    answers: dict[str, str | None]


def read_evidences(path: Path) -> dict[str, Evidence]:
    """Return code to evidence in the order of release_evidences.json.

    Raises
    ------
    UserError
        If the file is missing, truncated or of another format.
    """
    known = {}
    for code, entry in _entries(path).items():
        try:
            known[code] = Evidence(
                question=_english(entry["question_en"]),
                antecedent=bool(entry["is_antecedent"]),
                follows=str(entry["code_question"]),
                answers={} if entry["data_type"] == "B" else _meanings(entry),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{path}: evidence {shown(code)} is not described as in release_evidences.json ({error})."
            ) from error
    return known


def _meanings(entry: Mapping[str, Any]) -> dict[str, str | None]:
    possible = entry["possible-values"]
    if not possible:
        raise ValueError("no possible-values")
    meanings = entry["value_meaning"]
    if not meanings:
        numbers = [int(value) for value in possible]
        scale = f"on a scale from {min(numbers)} to {max(numbers)}"
        return {str(number): f"{number} {scale}" for number in numbers}
    return {str(value): _meaning(_english(meanings[str(value)]["en"])) for value in possible}


def _meaning(text: str) -> str | None:
    if text == "NA":
        return None
    return _YES_NO.get(text) or re.sub(r" ?\(([RL])\)$", lambda side: _SIDES[side[1]], text)


def read_conditions(path: Path) -> dict[str, str]:
    """Return the name by which patients call a condition to its English name, from release_conditions.json.

    Raises
    ------
    UserError
        If the file is missing, truncated or of another format, or two conditions have one English name.
    """
    names = {}
    for code, entry in _entries(path).items():
        try:
            names[code] = _english(entry["cond-name-eng"])
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{path}: condition {shown(code)} is not described as in release_conditions.json ({error})."
            ) from error
    if len(set(names.values())) < len(names):
        raise UserError(f"{path}: two conditions have the same cond-name-eng. Options must be distinct.")
    return names


def _english(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ValueError("no English text")
    return " ".join(text.split())


def _entries(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise UserError(f"no file {path}. Check `side_files` of the question set.")
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, OSError) as error:
        raise UserError(f"{path}: cannot be read as JSON; is the file truncated?") from error
    if not isinstance(entries, dict) or not entries:
        raise UserError(f"{path}: need an object with one entry per code, as in the release.")
    return entries


def shown(value: Any) -> str:
    """Return `value` in quotes for a message, cut to 60 characters."""
    text = str(value)
    return repr(text if len(text) <= 60 else text[:57] + "...")
