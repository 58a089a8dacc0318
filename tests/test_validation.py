"""One line for everything that pydantic finds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from trueline.validation import describe_validation_error


class Click(BaseModel):
    kind: Literal["click"]
    x: int


class Type(BaseModel):
    kind: Literal["type"]
    text: str = Field(min_length=1)


class File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    summary: str
    steps: list[Annotated[Click | Type, Field(discriminator="kind")]] = []
    mode: Literal["cost", "latency"] = "cost"

    @field_validator("summary")
    @classmethod
    def _no_tabs(cls, value: str) -> str:
        if "\t" in value:
            raise ValueError("must not hold a tab")
        return value


def described(value: object, **options: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        File.model_validate(value)
    return describe_validation_error(caught.value, **options)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({}, "summary: is required"),
        ({"summary": 5}, "summary: must be a string"),
        ({"summary": "a\tb"}, "summary: must not hold a tab"),
        ({"summary": "a", "sumary": "b"}, "sumary: unknown field"),
        ({"summary": "a", "mode": "both"}, "mode: must be 'cost' or 'latency'"),
        (
            {"summary": "a", "steps": [{"kind": "type", "text": ""}]},
            "steps[0].type.text: must be a non-empty string",
        ),
        ({"summary": "a", "steps": [{"kind": "clik"}]}, "steps[0]: kind must be one of 'click', 'type', not 'clik'"),
        ({"summary": "a", "steps": [{}]}, "steps[0]: the field 'kind' is required"),
        ("text", "must be an object"),
    ],
)
def test_first_problem(value: object, line: str) -> None:
    assert described(value) == line


def test_the_value_itself_has_a_name() -> None:
    assert described("text", whole="the file").startswith("the file: must be an object")


def test_what_to_write_instead_of_an_unknown_field() -> None:
    assert described({"summary": "a", "sumary": 1}, model=File) == ("sumary: unknown field, did you mean summary?")
    assert described({"summary": "a", "xyz": 1}, model=File) == (
        "xyz: unknown field, choose one of summary, steps, mode"
    )


def test_several_problems_are_counted() -> None:
    value = {"a": 1, "b": 2, "c": 3}
    assert described(value, most=2) == "summary: is required; a: unknown field (and 2 more)"
    assert described(value) == "summary: is required"


def test_hostile_names_and_values_stay_on_one_short_line() -> None:
    line = described({"summary": "a", "\x1b[31m\n" + "k" * 1000: "secret"})
    assert line.isprintable() and len(line) < 350 and line.endswith(": unknown field") and "secret" not in line
    line = described({"summary": "a", "steps": [{"kind": "\u202e\n" + "k" * 1000}]})
    assert line.isprintable() and len(line) < 350


def test_without_a_model() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, list[int]]).validate_python({"a": [1, "b"]})
    assert describe_validation_error(caught.value).startswith("a[1]: must be an integer")
