"""Values of getters as JSON and back, so that a metric can be given the same ones again."""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Iterable
from typing import Any, cast

_MOST = 16 << 20
_DEEPEST = 60


class Unrecordable(Exception):
    """A value that only this process can hold."""


def encode(value: Any) -> Any:
    """The value as JSON; what JSON lacks is an object with one key that starts with `$`."""
    try:
        return _encode(value, [_MOST], 0)
    except (Unrecordable, RecursionError):
        return {"$unrecordable": f"{type(value).__name__}: {repr(value)[:200]}"}


def _encode(value: Any, left: list[int], depth: int) -> Any:
    kind = cast("Any", type(value))  # subclasses would not come back as what they are
    left[0] -= len(value) if kind in (str, bytes) else 8
    if left[0] < 0 or depth > _DEEPEST:
        raise Unrecordable

    def each(items: Iterable[Any]) -> list[Any]:
        return [_encode(item, left, depth + 1) for item in items]

    if value is None or kind in (str, bool, int):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if kind is list:
        return each(value)
    if kind is tuple:
        return {"$tuple": each(value)}
    if kind in (set, frozenset):
        return {"$set": each(sorted(value, key=repr))}
    if kind is bytes:
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if kind is datetime.datetime:
        return {"$datetime": value.isoformat()}
    if kind is dict:
        mapping = cast("dict[Any, Any]", value)
        if all(type(key) is str and not key.startswith("$") for key in mapping):
            return dict(zip(mapping, each(mapping.values()), strict=True))
        return {"$items": [each(pair) for pair in mapping.items()]}
    raise Unrecordable


def decode(value: Any) -> Any:
    """The value again.

    Raises:
        Unrecordable: It could not be recorded.
    """
    if isinstance(value, list):
        return [decode(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    mapping = cast("dict[str, Any]", value)
    key = next(iter(mapping), "")
    if not key.startswith("$"):
        return {name: decode(item) for name, item in mapping.items()}
    content = mapping[key]
    match key:
        case "$float":
            return float(content)
        case "$tuple":
            return tuple(decode(item) for item in content)
        case "$set":
            return {decode(item) for item in content}
        case "$bytes":
            return base64.b64decode(content)
        case "$datetime":
            return datetime.datetime.fromisoformat(content)
        case "$items":
            return {decode(name): decode(item) for name, item in content}
        case _:
            raise Unrecordable
