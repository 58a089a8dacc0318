"""Validation errors in one line: which field, what is wrong with it, and what to write instead."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from trueline.text import printable

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

_SUBJECT = re.compile(r"^(?:Input|String|Bytes|Number|List|Tuple|Set|Dictionary|Data|URL) should ")
_TYPES = {
    "string": "must be a string",
    "int": "must be an integer",
    "float": "must be a number",
    "bool": "must be true or false",
    "list": "must be a list",
    "tuple": "must be a list",
    "dict": "must be an object",
    "model": "must be an object",
    "dataclass": "must be an object",
}
_TYPE = re.compile(r"^(string|int|float|bool|list|tuple|dict|model|dataclass)(?:_attributes)?_(?:type|parsing)$")
_LONGEST_NAME = 100
_LONGEST_VALUE = 80
_MOST_NAMES = 20
"""So many field names are listed where one is unknown; more would bury the message."""


@dataclass(frozen=True)
class FieldProblem:
    """What is wrong with one field."""

    location: tuple[int | str, ...]
    """Keys and indices from the validated value down to the field; empty for the value itself."""
    kind: str
    """Pydantic's name of the error: `missing`, `extra_forbidden` …"""
    message: str
    """Printable and without the field's name: `must be an integer`."""
    value: object
    """The wrong value, which may be secret; of a missing field, the value that lacks it."""

    @property
    def field(self) -> str:
        """Where it is: `rules[3].when.command`; the empty string for the validated value itself."""
        return field_path(self.location)

    @property
    def missing(self) -> bool:
        """Whether the field is required and absent."""
        return self.kind == "missing"

    @property
    def unknown(self) -> bool:
        """Whether there is no such field."""
        return self.kind == "extra_forbidden"

    def with_value(self) -> str:
        """The message and the wrong value: `must be an integer, not "many"`."""
        return f"{self.message}{', not ' + shown if (shown := self.shown_value()) else ''}"

    def shown_value(self) -> str:
        """The wrong value, shortened and printable; empty where it would explain nothing."""
        if self.missing or self.unknown or self.kind in ("value_error", "assertion_error", "union_tag_invalid"):
            return ""
        return printable(json.dumps(self.value, default=str), _LONGEST_VALUE)

    def suggestion(self, model: type[BaseModel]) -> str:
        """What to write instead of an unknown field of a model, or of one inside: `did you mean wallpaper?`.

        Empty where the names of the fields are not known, or are too many to list.
        """
        names = _field_names(model, self.location[:-1]) if self.unknown else []
        return suggest(str(self.location[-1]), names) if names else ""


def field_problems(error: ValidationError) -> list[FieldProblem]:
    """Return all problems of a validation error."""
    return [
        FieldProblem(tuple(item["loc"]), item["type"], printable(_message(item)), item["input"])
        for item in error.errors(include_url=False)
    ]


def describe_validation_error(
    error: ValidationError,
    *,
    whole: str = "",
    model: type[BaseModel] | None = None,
    most: int = 1,
    limit: int = 300,
) -> str:
    """Describe the first problems of a validation error in one printable line.

    The values themselves are not shown: they may be secret.

    Args:
        error: What pydantic raised.
        whole: What to call the validated value where the problem is not in one of its fields, such as `the file`.
        model: What it was validated as; where a field is unknown, the closest field is suggested, or all are listed.
        most: How many problems to describe; where that is more than one, the others are counted.
        limit: How many characters the line may have.
    """
    found = field_problems(error)
    lines = [_line(problem, whole, model) for problem in found[:most]]
    more = f" (and {len(found) - most} more)" if 1 < most < len(found) else ""
    return printable("; ".join(lines), limit) + more


def field_path(location: Collection[int | str]) -> str:
    """Return where a field is: `rules[3].when.command`; the empty string for the validated value itself."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{printable(part, _LONGEST_NAME)}" for part in location)
    return "".join(parts).removeprefix(".")


def suggest(name: str, known: Collection[str]) -> str:
    """Return what to write instead of an unknown name: `did you mean wallpaper?`, or the list of all if it is short."""
    import difflib

    if near := difflib.get_close_matches(name, known, n=1):
        return f"did you mean {near[0]}?"
    return f"choose one of {', '.join(known)}" if len(known) <= _MOST_NAMES else ""


def _line(problem: FieldProblem, whole: str, model: type[BaseModel] | None) -> str:
    place = problem.field or whole
    hint = problem.suggestion(model) if model is not None else ""
    message = f"{problem.message}, {hint}" if hint else problem.message
    return f"{place}: {message}" if place else message


def _message(item: ErrorDetails) -> str:
    context = item.get("ctx", {})
    if wanted := _TYPE.match(item["type"]):
        return _TYPES[wanted[1]]
    match item["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "unknown field"
        case "string_too_short" if context.get("min_length") == 1:
            return "must be a non-empty string"
        case "too_short" if context.get("min_length") == 1:
            return "must be a non-empty list"
        case "union_tag_not_found":
            return f"the field {str(context.get('discriminator')).strip(chr(39))!r} is required"
        case "union_tag_invalid":
            name = str(context.get("discriminator")).strip("'")
            return f"{name} must be one of {context.get('expected_tags')}, not {context.get('tag')!r}"
        case "value_error" | "assertion_error":
            return re.sub(r"^(?:Value|Assertion) error, ", "", item["msg"])
        case _:
            return _SUBJECT.sub("must ", item["msg"]).replace(" after validation", "")


def _field_names(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """The fields of the model at a place inside a model, as a file names them; empty if no single model is there."""
    for part in location:
        if isinstance(part, int):
            continue
        found = next((field for name, field in model.model_fields.items() if part in (name, field.alias)), None)
        inner = _models(found.annotation) if found is not None else []
        if len(inner) != 1:
            return []
        model = inner[0]
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: object) -> list[type[BaseModel]]:
    """The models that an annotation names: `tuple[Rule, ...] | None` names one."""
    from pydantic import BaseModel

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]
