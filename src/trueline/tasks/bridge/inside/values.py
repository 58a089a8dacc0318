"""Values of getters as JSON and back, so that a metric can be given the same ones again."""

from __future__ import annotations

import base64
import datetime
import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    left[0] -= len(value) if isinstance(value, str | bytes) else 8
    if left[0] < 0 or depth > _DEEPEST:
        raise Unrecordable
    kind = type(value)
    if value is None or kind in (str, bool, int):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if kind is list:
        return [_encode(item, left, depth + 1) for item in value]
    if kind in (tuple, set, frozenset):
        name = "$tuple" if kind is tuple else "$set"
        items = value if kind is tuple else sorted(value, key=repr)
        return {name: [_encode(item, left, depth + 1) for item in items]}
    if kind is bytes:
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if kind is datetime.datetime:
        return {"$datetime": value.isoformat()}
    if kind is dict:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: _encode(item, left, depth + 1) for key, item in value.items()}
        pairs = [[_encode(key, left, depth + 1), _encode(item, left, depth + 1)] for key, item in value.items()]
        return {"$items": pairs}
    raise Unrecordable


def decode(value: Any) -> Any:
    """The value again.

    Raises:
        Unrecordable: It could not be recorded.
    """
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    key = next(iter(value), "")
    if not key.startswith("$"):
        return {name: decode(item) for name, item in value.items()}
    content = value[key]
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
