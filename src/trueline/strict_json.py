"""JSON parsed without guessing: what two parsers could read in two ways is an error."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from pydantic import JsonValue

DEEPEST = 100
"""Levels of objects and lists; what walks through them afterwards may then be recursive."""


def parse_strict(content: str | bytes) -> JsonValue:
    """Parse JSON; NaN, repeated keys and endless nesting are errors, not surprises.

    Args:
        content: Bytes may be in any of the encodings that JSON allows for.

    Raises:
        ValueError: It is not such JSON; the message says why.
    """
    try:
        value: JsonValue = json.loads(content, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError(f"is nested deeper than {DEEPEST} levels") from None
    _refuse_depth(value)
    return value


def _refuse_depth(value: JsonValue) -> None:
    level: list[JsonValue] = [value]
    for _ in range(DEEPEST):
        level = [item for holder in level for item in _items(holder)]
        if not level:
            return
    raise ValueError(f"is nested deeper than {DEEPEST} levels")


def _items(holder: JsonValue) -> list[JsonValue]:
    if isinstance(holder, dict):
        return list(holder.values())
    return holder if isinstance(holder, list) else []


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {repeated!r} appears twice in one object")
    return found


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number} is not a number in JSON")
