"""The strict pydantic base of every settings model, and short aliases for bounded numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$")]
"""Names become parts of paths and wildcards: lower case, digits and underscores only."""


def _each_once(names: list[str]) -> list[str]:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"{name} is named twice")
    return names


Names = Annotated[list[Name], AfterValidator(_each_once), Field(json_schema_extra={"uniqueItems": True})]
"""Each once: what is named twice would count twice in every mean."""


def check_sum(what: str, *shares: float) -> None:
    """Raise ValueError if shares of one whole are more than it."""
    total = sum(shares)
    if total > 1 + 1e-9:
        raise ValueError(f"{what} sum to {total:g}, to more than 1")


NO_NUMBERS: dict[str, JsonValue] = {"identity": False}
"""`json_schema_extra` of a field that changes no number: it is left out of every id (settings/identity.py)."""

LATER: dict[str, JsonValue] = {"identity": "if_set"}
"""Of a field that came later: it is left out of every id at its default, so that older results keep their place."""


class Strict(BaseModel):
    """Unknown keys, silently converted types (the text `1e-6` for a number), NaN and infinity are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
