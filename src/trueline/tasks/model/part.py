"""The base class of everything in a task file."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Part(BaseModel):
    """Immutable. Unknown fields are kept and written back; values are never converted to another type."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, allow_inf_nan=False)
    # pydantic's own way to say what unknown fields may hold
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]


Truth = bool | Literal["true", "false"]
"""Some task files write booleans as text."""


def is_true(value: Truth) -> bool:
    """The boolean that such a value stands for."""
    return value is True or value == "true"
