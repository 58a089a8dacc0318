"""JSON schemas: made strict for the providers that enforce them, and checked here for all.

The checker knows the keywords that pydantic writes and people use for answers. A schema with any other keyword is
refused before anything is sent, because an answer could then not be called valid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TypeGuard

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.models.types import Json

_ANNOTATIONS = {
    "title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly", "$schema", "$id",
    "$comment", "discriminator",
}  # fmt: skip
_APPLIED = {
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "prefixItems", "minItems",
    "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minProperties", "maxProperties", "anyOf", "oneOf", "allOf", "not", "$ref",
    "$defs", "definitions",
}  # fmt: skip
_TYPES: dict[str, Callable[[JsonValue], bool]] = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: _is_number(v) and (isinstance(v, int) or v.is_integer()),
    "number": lambda v: _is_number(v),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}
_DEEPEST = 64


def _is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_schema(definition: Json) -> None:
    """Refuse a schema whose answers could not be checked.

    Raises:
        InputError: it does not describe an object, uses an unknown keyword, or points nowhere.
    """
    if definition.get("type") != "object" and "$ref" not in definition:
        raise InputError('the schema must describe an object ("type": "object"), the only type that providers take')
    for where, node in _nodes(definition, "schema", 0):
        for keyword in node:
            if keyword not in _ANNOTATIONS and keyword not in _APPLIED:
                raise InputError(f"{where}: the keyword {keyword!r} cannot be checked; leave it out")
        if "$ref" in node:
            _follow(definition, node["$ref"])
        kinds = node.get("type", [])
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            if kind not in _TYPES:
                raise InputError(f"{where}: unknown type {kind!r}")
        if isinstance(pattern := node.get("pattern"), str):
            try:
                re.compile(pattern)
            except re.error as e:
                raise InputError(f"{where}: the pattern {pattern!r} is not a regular expression ({e})") from None


def _nodes(node: JsonValue, where: str, depth: int) -> Iterator[tuple[str, Json]]:
    """Yield every subschema with its place."""
    if depth > _DEEPEST:
        raise InputError(f"{where}: the schema is nested too deeply")
    if isinstance(node, bool):
        return
    if not isinstance(node, dict):
        raise InputError(f"{where}: a schema must be an object, not {type(node).__name__}")
    yield where, node
    for keyword in ("properties", "$defs", "definitions"):
        if isinstance(group := node.get(keyword), dict):
            for name, child in group.items():
                yield from _nodes(child, f"{where}.{name}", depth + 1)
    for keyword in ("additionalProperties", "items", "not"):
        if keyword in node:
            yield from _nodes(node[keyword], f"{where}.{keyword}", depth + 1)
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(several := node.get(keyword), list):
            for child in several:
                yield from _nodes(child, f"{where}.{keyword}", depth + 1)


def _follow(root: Json, ref: JsonValue) -> JsonValue:
    node: JsonValue = root
    if not isinstance(ref, str) or not ref.startswith("#"):
        raise InputError(f"schema: the reference {ref!r} must point inside the schema (#/$defs/…)")
    for part in ref.removeprefix("#").split("/")[1:]:
        node = node.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    if node is None:
        raise InputError(f"schema: the reference {ref!r} points nowhere")
    return node


def faults(definition: Json, value: JsonValue) -> list[str]:
    """Say where a value does not fit its schema; an empty list means that it is valid."""
    return list(_faults(definition, definition, value, "answer", 0))


def _faults(root: Json, schema: JsonValue, value: JsonValue, at: str, depth: int) -> Iterator[str]:
    if schema is True:
        return
    if not isinstance(schema, dict) or depth > _DEEPEST:
        yield f"{at}: not allowed"
        return

    def within(sub: JsonValue, item: JsonValue = value, place: str = at) -> list[str]:
        return list(_faults(root, sub, item, place, depth + 1))

    if "$ref" in schema:
        yield from within(_follow(root, schema["$ref"]))
    kinds = schema.get("type")
    if kinds is not None:
        names = [str(kind) for kind in (kinds if isinstance(kinds, list) else [kinds])]
        if not any(_TYPES[name](value) for name in names):
            yield f"{at}: must be {' or '.join(names)}"
            return
    if isinstance(choices := schema.get("enum"), list) and not any(_equal_json(value, choice) for choice in choices):
        yield f"{at}: must be one of {choices}"
    if "const" in schema and not _equal_json(value, schema["const"]):
        yield f"{at}: must be {schema['const']!r}"
    for sub in _list(schema, "allOf"):
        yield from within(sub)
    if (several := _list(schema, "anyOf")) and all(within(sub) for sub in several):
        yield f"{at}: fits none of the {len(several)} choices"
    if (several := _list(schema, "oneOf")) and (fits := sum(not within(sub) for sub in several)) != 1:
        yield f"{at}: fits {fits} of the {len(several)} choices, not exactly one"
    if "not" in schema and not within(schema["not"]):
        yield f"{at}: is excluded"
    if isinstance(value, str):
        yield from _string_faults(schema, value, at)
    elif _is_number(value):
        yield from _number_faults(schema, value, at)
    elif isinstance(value, list):
        yield from _size_faults(schema, len(value), "Items", at)
        if schema.get("uniqueItems") is True and len({json.dumps(v, sort_keys=True) for v in value}) < len(value):
            yield f"{at}: holds the same item twice"
        first = _list(schema, "prefixItems")
        for index, item in enumerate(value):
            sub = first[index] if index < len(first) else schema.get("items", True)
            yield from within(sub, item, f"{at}[{index}]")
    elif isinstance(value, dict):
        yield from _size_faults(schema, len(value), "Properties", at)
        known = schema.get("properties")
        known = known if isinstance(known, dict) else {}
        yield from (f"{at}.{name}: is missing" for name in _list(schema, "required") if name not in value)
        for name, item in value.items():
            yield from within(known.get(name, schema.get("additionalProperties", True)), item, f"{at}.{name}")


def _list(schema: Json, keyword: str) -> list[JsonValue]:
    found = schema.get(keyword)
    return found if isinstance(found, list) else []


def _equal_json(a: JsonValue, b: JsonValue) -> bool:
    """Equality of JSON, where true is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal_json, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal_json(a[key], b[key]) for key in a)
    return a == b


def _limit(schema: Json, keyword: str) -> float | None:
    found = schema.get(keyword)
    return found if _is_number(found) else None


def _size_faults(schema: Json, size: int, unit: str, at: str) -> Iterator[str]:
    least, most = _limit(schema, f"min{unit}"), _limit(schema, f"max{unit}")
    if (least is not None and size < least) or (most is not None and size > most):
        yield f"{at}: has {size} {unit.lower()}"


def _string_faults(schema: Json, value: str, at: str) -> Iterator[str]:
    yield from _size_faults(schema, len(value), "Length", at)
    if isinstance(pattern := schema.get("pattern"), str) and not re.search(pattern, value):
        yield f"{at}: does not match {pattern!r}"


def _number_faults(schema: Json, value: float, at: str) -> Iterator[str]:
    checks: tuple[tuple[str, str, Callable[[float], bool]], ...] = (
        ("minimum", "at least", lambda limit: value >= limit),
        ("maximum", "at most", lambda limit: value <= limit),
        ("exclusiveMinimum", "more than", lambda limit: value > limit),
        ("exclusiveMaximum", "less than", lambda limit: value < limit),
        ("multipleOf", "a multiple of", lambda limit: limit != 0 and abs(value / limit - round(value / limit)) < 1e-9),
    )
    for keyword, words, holds in checks:
        if (limit := _limit(schema, keyword)) is not None and not holds(limit):
            yield f"{at}: must be {words} {limit}"


_NOT_STRICT = {"default", "title", "examples", "$schema", "discriminator"}


def strict_schema(definition: Json) -> Json | None:
    """Return the schema in the form that OpenAI calls strict, or None when it cannot be said in it.

    Strict means: every object closed, every property required, no defaults. Objects with free keys cannot be strict.
    """
    strict = _strict(definition)
    return strict if isinstance(strict, dict) else None


def _strict(node: JsonValue) -> JsonValue | None:
    if not isinstance(node, dict) or "not" in node:
        return None
    out: Json = {key: value for key, value in node.items() if key not in _NOT_STRICT}
    if "oneOf" in out:
        out["anyOf"] = out.pop("oneOf")
    if "properties" in out or out.get("type") == "object":
        if out.get("additionalProperties", False) is not False or not out.get("properties"):
            return None
        out["additionalProperties"] = False
    for keyword in ("properties", "$defs", "definitions"):
        if isinstance(group := out.get(keyword), dict):
            made = {name: _strict(child) for name, child in group.items()}
            if any(child is None for child in made.values()):
                return None
            out[keyword] = made
            if keyword == "properties":
                out["required"] = list(made)
    for keyword in ("anyOf", "allOf", "prefixItems"):
        if keyword in out:
            several = [_strict(child) for child in _list(out, keyword)]
            if any(child is None for child in several):
                return None
            out[keyword] = several
    if "items" in out:
        out["items"] = _strict(out["items"])
        if out["items"] is None:
            return None
    return {"$ref": out["$ref"]} if "$ref" in out else out
