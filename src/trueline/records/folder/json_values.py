"""Readers of untrusted JSON: a value of another type is dropped, never an error."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from pydantic import JsonValue

from trueline.records.base import FILE_NAME
from trueline.records.pointer_files import link_fault, pointer_fault
from trueline.records.problem import Problem
from trueline.text import printable

_PLAIN_NAME = re.compile(FILE_NAME)


def load(content: bytes | str, file: str, line: int | None = None) -> JsonValue | Problem:
    """Parse JSON, or say where it is broken."""
    try:
        value: JsonValue = json.loads(content)
    except (ValueError, RecursionError) as error:
        raw = content if isinstance(content, str) else content.decode(errors="backslashreplace")
        pointer = pointer_fault(raw.encode(errors="replace"))
        return Problem(file=file, line=line, what=pointer or printable(f"not JSON: {error}"), raw=raw)
    return value


def load_file(folder: Path, name: str) -> JsonValue | Problem | None:
    """Parse a file of the folder; `None` when it is not there."""
    try:
        return load((folder / name).read_bytes(), name)
    except FileNotFoundError:
        broken = link_fault(folder / name)
        return None if broken is None else Problem(file=name, what=broken)
    except OSError as error:
        return Problem(file=name, what=f"cannot be read ({error.strerror})")


def as_object(value: JsonValue | None) -> dict[str, JsonValue]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue | None) -> list[JsonValue]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue | None) -> str | None:
    """The value if it is a string."""
    return value if isinstance(value, str) else None


def as_number(value: JsonValue | None) -> int | None:
    """The value if it is a whole number; `true` is not one."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def plain_name(value: JsonValue | None) -> str | None:
    """The value if it names a file of the same folder and nothing beyond it."""
    text = as_text(value)
    return text if text is not None and _PLAIN_NAME.fullmatch(text) else None


def finite(value: JsonValue) -> JsonValue:
    """The value with `null` for NaN and infinities, which JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list) else value
