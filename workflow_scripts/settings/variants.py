"""Methods that differ from another in one optimisation setting: the entries that `vary` of a method stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue

from workflow_scripts.errors import UserError
from workflow_scripts.settings.methods import MethodSpec

SETTINGS_OF: dict[str, tuple[str, ...]] = {"rollouts": ("n_samples", "n_votes")}
"""What is varied under one name -> the settings of grpo that it sets; all others are the setting of that name."""

PRINTED = {
    "temperature": "T",
    "mini_batches": "mini-batches",
    "kl_coefficient": "KL",
    "rollouts": "N",
}


def with_variants(methods: Mapping[str, MethodSpec]) -> dict[str, MethodSpec]:
    """Return the methods, each followed by its variants: `ttrl_temperature_0_6` is `ttrl` at temperature 0.6.

    Raises
    ------
    UserError
        If a variant has the name of another method.
    """
    found: dict[str, MethodSpec] = {}
    for name, method in methods.items():
        for known, spec in ((name, method), *_variants(name, method)):
            if known in found or (known != name and known in methods):
                raise UserError(
                    f"method {name}: vary: {known} is the name of another method. Rename that one."
                )
            found[known] = spec
    return found


def _variants(name: str, method: MethodSpec) -> Iterator[tuple[str, MethodSpec]]:
    for setting, values in method.vary.items():
        for value in values:
            changes: dict[str, Any] = dict.fromkeys(SETTINGS_OF.get(setting, (setting,)), value)
            update = {
                "label": f"{method.label}, {PRINTED.get(setting, setting)} = {_plain(value)}",
                "grpo": {**method.grpo, **changes},
                "vary": {},
            }
            yield variant_name(name, setting, value), method.model_copy(update=update)


def variant_name(name: str, setting: str, value: JsonValue) -> str:
    """Return the name of a variant; every sign of the value that no name may have is a `_`."""
    return "_".join(
        [name, setting, *("".join(c if c.isalnum() else " " for c in _plain(value).lower()).split())]
    )


def _plain(value: JsonValue) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
