"""Strict parsing of foreign JSON files; errors name the file and the place."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.folder.files import write_file
from trueline.records.pointer_files import json_fault, unreadable
from trueline.strict_json import parse_strict

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def load_strict(path: Path) -> JsonValue:
    """Parse a JSON file; NaN, keys that stand twice and endless nesting are errors, not surprises.

    Raises:
        InputError: The file cannot be read or is not JSON.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        return parse_strict(content)
    except ValueError as error:
        raise InputError(f"{path}: {json_fault(content, error)}") from error


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
