"""Typed data of our own files: an unknown key is an error that says what was expected."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, model_validator

from trueline.errors import InputError
from trueline.guard.policy.yaml_file import read_yaml
from trueline.validation import describe_validation_error

_MOST_PROBLEMS = 10


class StrictModel(BaseModel):
    """Immutable model; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: JsonValue) -> JsonValue:
        if isinstance(data, dict) and (unknown := [name for name in data if name not in cls.model_fields]):
            raise ValueError(f"unknown key {str(unknown[0])!r}; expected one of {', '.join(cls.model_fields)}")
        return data


M = TypeVar("M", bound=BaseModel)


def read_file(path: Path, model: type[M]) -> M:
    """Read a YAML file as typed data.

    Raises:
        InputError: It cannot be read; the message names the file, the key and what was expected.
    """
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise InputError(f"{path}: must be a mapping with the keys {', '.join(model.model_fields)}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = describe_validation_error(error, whole="the file", most=_MOST_PROBLEMS, limit=1500)
        raise InputError(f"{path}: {problems}") from error
