"""Ids: a readable prefix and eight hex digits of everything that changes a step's numbers.

A changed setting is a new path, so nothing is overwritten and old results stay comparable.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic.fields import FieldInfo

from workflow_scripts.settings.base import Strict


def canonical_json(value: Any) -> str:
    """Return `value` as JSON text that depends on its content alone: sorted keys, floats by repr, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def identity(value: Any) -> Any:
    """Return the plain data of `value` without the fields marked as changing no number (settings/base.py)."""
    if isinstance(value, Strict):
        return {
            name: identity(getattr(value, name))
            for name, field in type(value).model_fields.items()
            if _counts(field, getattr(value, name))
        }
    if isinstance(value, dict):
        return {key: identity(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [identity(item) for item in value]
    return value


def _counts(field: FieldInfo, value: Any) -> bool:
    extra = field.json_schema_extra
    marked = extra.get("identity") if isinstance(extra, dict) else None
    return marked is not False and not (marked == "if_set" and value == field.get_default())


def digest8(value: Any) -> str:
    """Return the first eight hex digits of the SHA-256 of `value`'s identity."""
    return hashlib.sha256(canonical_json(identity(value)).encode()).hexdigest()[:8]


def named_id(name: str, config: Strict) -> str:
    """Return `<name>.<8 hex>`."""
    return f"{name}.{digest8(config)}"


def run_id(policy: str, questions: str, method: str, seed: int, config: Strict) -> str:
    """Return `<policy>.<questions>.<method>.s<seed>.<8 hex>` of a training run."""
    return f"{policy}.{questions}.{method}.s{seed}.{digest8(config)}"
