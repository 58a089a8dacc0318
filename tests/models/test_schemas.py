"""The schema checker agrees with pydantic, and strict schemas are strict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Literal

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trueline.errors import InputError
from trueline.models.schemas import check_schema, faults, strict_schema
from trueline.models.types import Json


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["leaf"]
    size: Annotated[int, Field(ge=0, lt=10)]


class Node(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["node"]
    children: Annotated[list[Tree], Field(max_length=3)]


Tree = Annotated[Leaf | Node, Field(discriminator="kind")]


class Everything(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ok: bool
    name: Annotated[str, Field(min_length=1, max_length=4, pattern="^[a-z]+$")]
    score: Annotated[float, Field(ge=-1, le=1)] | None = None
    colour: Colour = Colour.RED
    tree: Tree | None = None
    pair: tuple[int, str] = (1, "a")
    tags: list[Literal["x", "y"]] = []


class Free(BaseModel):
    counts: dict[str, int] = {}


JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats(-2, 2) | st.sampled_from(["a", "red", "x", "", "leaf"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["kind", "size", "a"]), inner),
    max_leaves=6,
)


def leaf(size: int) -> JsonValue:
    return {"kind": "leaf", "size": size}


def node(children: list[JsonValue]) -> JsonValue:
    return {"kind": "node", "children": children}


def pair(one: JsonValue, two: JsonValue) -> JsonValue:
    return [one, two]


TREE: st.SearchStrategy[JsonValue] = st.recursive(
    st.builds(leaf, st.integers(-1, 11)), lambda inner: st.builds(node, st.lists(inner, max_size=4))
)
TAGS: st.SearchStrategy[list[JsonValue]] = st.lists(st.sampled_from(["x", "y", "z"]), max_size=3)
LIKELY: dict[str, st.SearchStrategy[JsonValue]] = {
    "ok": st.booleans() | JSON,
    "name": st.sampled_from(["a", "ab", "abcd", "abcde", "A", ""]) | JSON,
}
OPTIONAL: dict[str, st.SearchStrategy[JsonValue]] = {
    "score": st.none() | st.floats(-1.5, 1.5) | JSON,
    "colour": st.sampled_from(["red", "blue", "green"]) | JSON,
    "tree": TREE | JSON,
    "pair": st.builds(pair, st.integers(), st.text(max_size=2)) | JSON,
    "tags": TAGS | JSON,
}


@settings(deadline=None, max_examples=400)
@given(st.fixed_dictionaries(LIKELY, optional=OPTIONAL))
def test_the_checker_and_pydantic_agree(value: Json) -> None:
    definition = Everything.model_json_schema()
    check_schema(definition)
    try:
        Everything.model_validate_json(json.dumps(value), strict=True)
        valid = True
    except ValidationError:
        valid = False
    if not valid and not faults(definition, value):
        # JSON knows one kind of number: 2.0 is an integer there, and not for strict pydantic.
        Everything.model_validate(value)
    else:
        assert (faults(definition, value) == []) is valid


@settings(deadline=None)
@given(JSON)
def test_whatever_comes_nothing_else_than_objects_fits(value: JsonValue) -> None:
    if not isinstance(value, dict):
        assert faults(Everything.model_json_schema(), value)


def objects(node: JsonValue) -> Iterator[Json]:
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for child in node.values():
            yield from objects(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects(child)


def test_strict_schemas_are_closed_require_everything_and_have_no_defaults() -> None:
    strict = strict_schema(Everything.model_json_schema())
    assert strict is not None
    found = list(objects(strict))
    assert len(found) == 3
    for node in found:
        properties = node["properties"]
        assert isinstance(properties, dict)
        assert node["additionalProperties"] is False
        assert node["required"] == list(properties)
    text = orjson.dumps(strict).decode()
    assert not any(word in text for word in ('"default"', '"oneOf"', '"discriminator"', '"title"'))


@settings(deadline=None, max_examples=200)
@given(st.fixed_dictionaries(LIKELY, optional=OPTIONAL))
def test_what_fits_the_strict_schema_fits_the_original(value: Json) -> None:
    original = Everything.model_json_schema()
    strict = strict_schema(original)
    assert strict is not None
    if not faults(strict, value):
        assert not faults(original, value)


def test_objects_with_free_keys_cannot_be_strict() -> None:
    assert strict_schema(Free.model_json_schema()) is None
    assert strict_schema({"type": "object"}) is None


@pytest.mark.parametrize(
    ("definition", "named"),
    [
        ({"type": "array"}, "object"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "text"),
        ({"type": "object", "properties": {"a": {"propertyNames": {}}}}, "schema.a.*propertyNames"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/Gone"}}}, "Gone"),
        ({"type": "object", "properties": {"a": {"$ref": "http://elsewhere/x"}}}, "elsewhere"),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, "pattern"),
        ({"type": "object", "properties": {"a": 3}}, "int"),
    ],
)
def test_schemas_that_cannot_be_checked_are_refused_and_say_where(definition: Json, named: str) -> None:
    with pytest.raises(InputError, match=named):
        check_schema(definition)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"const": 1}, 1, True),
        ({"enum": [1, "a"]}, "a", True),
        ({"uniqueItems": True}, [1, 2], [1, 1]),
        ({"not": {"type": "string"}}, 1, "a"),
        ({"multipleOf": 0.1}, 0.3, 0.35),
        ({"oneOf": [{"type": "integer"}, {"minimum": 5}]}, 3, 7),
        ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, 2, 3),
        ({"minProperties": 1}, {"a": 1}, {}),
        ({"exclusiveMinimum": 0}, 0.1, 0),
        ({"additionalProperties": False, "properties": {"a": True}}, {"a": 1}, {"b": 1}),
        ({"prefixItems": [{"type": "string"}], "items": False}, ["a"], ["a", 1]),
    ],
)
def test_keywords_that_pydantic_does_not_write(schema: Json, good: JsonValue, bad: JsonValue) -> None:
    definition: Json = {"type": "object", "properties": {"v": schema}}
    check_schema(definition)
    assert faults(definition, {"v": good}) == []
    assert faults(definition, {"v": bad}) != []


def test_a_schema_that_refers_to_itself_without_end_is_an_error_and_no_hang() -> None:
    assert faults({"$ref": "#"}, {"a": 1})
