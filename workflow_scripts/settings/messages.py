"""A pydantic error as one line: the file, the key, what is wrong, and what may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from workflow_scripts.settings.base import Strict

_EXPECTED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """Return ` Did you mean ...?`, or the known words if none is near; empty if there are none."""
    known = sorted(known)
    near = difflib.get_close_matches(str(word), known, n=1, cutoff=0.6)
    if near:
        return f" Did you mean {near[0]}?"
    return f" Known: {', '.join(known)}." if known else ""


def readable(error: ValidationError, model: type[Strict], source: str) -> str:
    """Return the first error of `error` as `source: key: problem. hint`."""
    details = error.errors()
    first = min(details, key=lambda item: (_of_the_plain_form(item), item["type"] == "missing"))
    problem = _problem(first, model)
    others = len(details) - 1
    more = f" ({others} more after this one)" if others else ""
    return f"{source}: {problem}{more}"


def _of_the_plain_form(detail: ErrorDetails) -> bool:
    """Whether this says that a mapping is no number, where the mapping itself may be wrong too (`subset`)."""
    return detail["type"] == "int_type" and isinstance(detail["input"], dict)


def _problem(detail: ErrorDetails, model: type[Strict]) -> str:
    location = _visible(detail["loc"], model)
    key, kind, value = ".".join(location), detail["type"], detail["input"]
    if kind == "extra_forbidden":
        return f"{key}: unknown key.{did_you_mean(location[-1], _siblings(model, detail['loc']))}"
    if kind == "missing":
        return f"{key}: is missing"
    if kind == "literal_error" or kind == "enum":
        words = [word.strip("'") for word in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        return f"{key}: {value!r} is not allowed.{did_you_mean(value, words)}"
    if kind == "union_tag_invalid":
        words = [word.strip("'") for word in detail["ctx"]["expected_tags"].split(", ")]
        tag = detail["ctx"]["tag"]
        return f"{key}.kind: {tag!r} is not allowed.{did_you_mean(tag, words)}"
    if kind == "union_tag_not_found":
        return f"{key}.kind: is missing"
    if kind in _EXPECTED:
        return f"{key}: expected {_EXPECTED[kind]}, got {_shown(value)}"
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if isinstance(value, dict):
        return f"{key or 'the whole'}: {message}"
    about = _description(model, detail["loc"])
    return f"{key}: {message}, got {_shown(value)}{about}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if not isinstance(value, str):
        return repr(value)
    try:
        float(value)
    except ValueError:
        pass
    else:
        return f"the text {value!r} (YAML needs a dot to see a number: 1.0e-6)"
    if value.lower() in ("true", "false"):
        return f"the text {value!r} (--config passes it as text: write it in a file for --configfile)"
    return f"the text {value!r}"


def _visible(location: Sequence[int | str], model: type[Strict]) -> list[str]:
    """Without the marks that pydantic adds for members of unions and for the keys of mappings."""
    schema = model.model_json_schema()
    here: Any = schema
    shown = []
    for part in location:
        node = _resolve(here, schema)
        here = _step(here, part, schema)
        names_a_member = str(part) in node.get("discriminator", {}).get("mapping", {})
        if (
            not names_a_member
            and part != "[key]"
            and not str(part).endswith("]")
            and not _is_plain_member(part)
        ):
            shown.append(str(part))
    return shown


def _is_plain_member(part: int | str) -> bool:
    """Unions without a discriminator are named by their members' types (`subset`: a number or a mapping)."""
    return part in ("Subset", "constrained-int")


def _siblings(model: type[Strict], location: Sequence[int | str]) -> list[str]:
    """The keys that are known where an unknown one was found."""
    schema = model.model_json_schema()
    here: Any = schema
    for part in location[:-1]:
        here = _step(here, part, schema)
    return sorted(_resolve(here, schema).get("properties", {}))


def _description(model: type[Strict], location: Sequence[int | str]) -> str:
    """The field's own description in brackets, if it has one."""
    schema = model.model_json_schema()
    here: Any = schema
    for part in location:
        here = _step(here, part, schema)
    text = here.get("description")
    return f" ({text})" if text and "$ref" not in here else ""


def _resolve(node: Any, schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return dict(node)


def _step(node: Any, part: int | str, schema: dict[str, Any]) -> Any:
    node = _resolve(node, schema)
    if part in node.get("properties", {}):
        return node["properties"][part]
    if "discriminator" in node:
        reference = node["discriminator"]["mapping"].get(str(part))
        return {"$ref": reference} if reference else {}
    if isinstance(part, int):
        return node.get("items", {})
    members = (member for member in node.get("anyOf", ()) if member.get("$ref", "").endswith(f"/{part}"))
    named = (*members, *node.get("patternProperties", {}).values())
    if named:
        return named[0]
    if isinstance(node.get("additionalProperties"), dict):
        return node["additionalProperties"]
    return {}
