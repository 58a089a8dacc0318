"""Reads one JSON object of a model strictly: every field must have its type, and none may be left over.

A place may also stand as text, as models now and then write it; nothing else is read for what it is not.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, TypeGuard

from trueline.actions.coordinates import Scale
from trueline.actions.decoded import DecodeError, well_formed
from trueline.actions.keys import read_key
from trueline.actions.types import Point

_MAX_NUMBER = 1e9
_NUMBER = r"([-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?)"
_PAIR = re.compile(
    rf"\s*(?:\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\]|\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)|{_NUMBER}\s*,\s*{_NUMBER})\s*"
)
"""A place that a model wrote as text: `[100, 200]`, `(100, 200)`, `100, 200`."""


def _pair_of(value: object) -> object:
    found = _PAIR.fullmatch(value) if isinstance(value, str) else None
    return [float(number) for number in found.groups() if number is not None] if found else value


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Tell whether a value is a JSON object."""
    return isinstance(value, Mapping)


def is_array(value: object) -> TypeGuard[Sequence[object]]:
    """Tell whether a value is a JSON array."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def dump(value: object) -> str:
    """Return the value as JSON text, whatever it is, for keeping as raw."""
    try:
        return well_formed(json.dumps(value, ensure_ascii=False, default=repr))
    except (ValueError, TypeError, RecursionError):
        return well_formed(f"{type(value).__name__} that cannot be written as JSON")


class Fields:
    """The fields of one object. `null` counts as absent. `end` refuses fields that were not read."""

    def __init__(self, codec: str, data: object, raw: str | None = None) -> None:
        self.codec = codec
        self.raw = dump(data) if raw is None else raw
        if not is_object(data):
            self.fail(f"expected a JSON object, got {type(data).__name__}")
        self._left: dict[str, object] = {str(name): value for name, value in data.items() if value is not None}
        self.what = ""
        """Name of the action, for messages."""

    def fail(self, reason: str) -> NoReturn:
        """Refuse the whole object."""
        raise DecodeError(self.codec, reason, self.raw)

    def has(self, name: str) -> bool:
        """Tell whether a field is there and not yet read."""
        return name in self._left

    def take(self, name: str) -> object:
        """Return a field of any type, None when absent."""
        return self._left.pop(name, None)

    def maybe_text(self, name: str) -> str | None:
        """Return a string field, None when absent."""
        value = self.take(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self._wrong(name, "a string", value)
        return well_formed(value)

    def text(self, name: str) -> str:
        """Return a string field that must be there."""
        value = self.maybe_text(name)
        return self._missing(name) if value is None else value

    def maybe_number(self, name: str) -> float | None:
        """Return a finite number, None when absent."""
        value = self.take(name)
        return None if value is None else self._number(name, value)

    def number(self, name: str) -> float:
        """Return a finite number that must be there."""
        value = self.maybe_number(name)
        return self._missing(name) if value is None else value

    def seconds(self, name: str) -> float:
        """Return a duration that must be there."""
        value = self.number(name)
        return value if value >= 0 else self.fail(f"{name} must not be negative, got {value:g}")

    def maybe_integer(self, name: str) -> int | None:
        """Return a whole number, None when absent."""
        value = self.maybe_number(name)
        if value is None:
            return None
        return int(value) if value == int(value) else self.fail(f"{name} must be a whole number, got {value:g}")

    def integer(self, name: str) -> int:
        """Return a whole number that must be there."""
        value = self.maybe_integer(name)
        return self._missing(name) if value is None else value

    def maybe_point(self, name: str, scale: Scale) -> Point | None:
        """Return the pixel of an `[x, y]` field, None when absent."""
        value = self.take(name)
        return None if value is None else self.place(name, value, scale)

    def point(self, name: str, scale: Scale) -> Point:
        """Return the pixel of an `[x, y]` field that must be there."""
        value = self.maybe_point(name, scale)
        return self._missing(name) if value is None else value

    def place(self, name: str, value: object, scale: Scale) -> Point:
        """Return the pixel that an `[x, y]` value or an `{x, y}` value means."""
        pair = [value.get("x"), value.get("y")] if is_object(value) else _pair_of(value)
        if not is_array(pair) or len(pair) != 2:
            self._wrong(name, "two numbers", value)
        try:
            return scale.to_screen(self._number(name, pair[0]), self._number(name, pair[1]))
        except ValueError as error:
            self.fail(f"{name}: {error}")

    def array(self, name: str) -> Sequence[object]:
        """Return a list field that must be there."""
        value = self.take(name)
        if value is None:
            self._missing(name)
        return value if is_array(value) else self._wrong(name, "a list", value)

    def keys(self, name: str, read: Callable[[str], str] = read_key) -> tuple[str, ...]:
        """Return the keys of a list of key names that must be there and not be empty."""
        names = [read(self._key(name, item)) for item in self.array(name)]
        return tuple(names) or self.fail(f"{name} names no key")

    def end(self) -> None:
        """Refuse fields that were not read."""
        if self._left:
            takes = f"{self.what} takes no" if self.what else "unknown field"
            self.fail(f"{takes} {', '.join(sorted(self._left))}")

    def _key(self, name: str, value: object) -> str:
        if not isinstance(value, str) or not value:
            self._wrong(name, "names of keys", value)
        return well_formed(value)

    def _number(self, name: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(name, "a number", value)
        if abs(value) > _MAX_NUMBER or not math.isfinite(value):
            self.fail(f"{name} is not a usable number")
        return value

    def _missing(self, name: str) -> NoReturn:
        self.fail(f"{self.what} needs {name}" if self.what else f"{name} is missing")

    def _wrong(self, name: str, expected: str, value: object) -> NoReturn:
        self.fail(f"{name} must be {expected}, got {dump(value)[:80]}")
