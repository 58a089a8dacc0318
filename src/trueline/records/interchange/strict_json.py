"""JSON files of others, parsed without guessing and named when they are wrong."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import NoReturn

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.folder.files import write_file
from trueline.records.lfs import json_fault

_DEEPEST = 100
"""Levels of objects and lists; what walks through them afterwards may then be recursive."""
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def load_strict(path: Path) -> JsonValue:
    """Parse a JSON file; NaN, keys that stand twice and endless nesting are errors, not surprises.

    Raises:
        InputError: The file cannot be read or is not JSON.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        value: JsonValue = json.loads(content, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {json_fault(content, error)}") from error
    _refuse_depth(path, value)
    return value


def write_json(path: Path, value: JsonValue, *, indent: int | None = 2) -> None:
    """Write a JSON file by atomic rename. ASCII: escapes can hold the broken Unicode that models send."""
    write_file(path, json.dumps(value, indent=indent, allow_nan=False).encode("ascii") + b"\n")


def json_path(*parts: str | int) -> str:
    """Name a place inside a JSON file: `$["3f2a-9"].steps[0].label`."""
    return "$" + "".join(_part(part) for part in parts)


def _part(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _PLAIN_KEY.fullmatch(part) else f"[{json.dumps(part)}]"


def _refuse_depth(path: Path, value: JsonValue) -> None:
    level: list[JsonValue] = [value]
    for _ in range(_DEEPEST):
        level = [item for holder in level for item in _items(holder)]
        if not level:
            return
    raise InputError(f"{path}: is nested deeper than {_DEEPEST} levels")


def _items(holder: JsonValue) -> list[JsonValue]:
    if isinstance(holder, dict):
        return list(holder.values())
    return holder if isinstance(holder, list) else []


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number} is no number that JSON can hold")
