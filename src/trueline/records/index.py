"""Index files of suites: `{domain: [task ids]}`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.errors import InputError
from trueline.records.pointer_files import pointer_fault
from trueline.text import printable
from trueline.validation import describe_validation_error

if TYPE_CHECKING:
    from pydantic import JsonValue


def read_index(path: Path) -> dict[str, tuple[str, ...]]:
    """Read an index; an id listed twice in a domain counts once.

    Raises:
        InputError: The file is missing, is no JSON or has another shape; all wrong places are named.
    """
    # Reading results needs no index: only those who name one pay for loading the validator.
    from pydantic import TypeAdapter, ValidationError

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); name an index file like test_all.json") from error
    try:
        index = TypeAdapter(dict[str, tuple[str, ...]]).validate_python(
            json.loads(content.decode("utf-8-sig"), object_pairs_hook=_unique_keys)
        )
    except (ValueError, RecursionError) as error:
        if (pointer := pointer_fault(content)) is not None:
            raise InputError(f"{path}: {pointer}") from None
        if not isinstance(error, ValidationError):
            raise InputError(
                f"{path}: must be an index of the form {{domain: [task ids]}}: {printable(str(error))}"
            ) from None
        wrong = describe_validation_error(error, whole="the file", most=5, limit=1500)
        raise InputError(f"{path}: must be an index of the form {{domain: [task ids]}}: {wrong}") from None
    if not any(index.values()):
        raise InputError(f"{path}: lists no tasks")
    return {domain: tuple(dict.fromkeys(ids)) for domain, ids in index.items()}


def _unique_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """A JSON object whose keys are unique; of two equal keys one would be lost."""
    found: dict[str, JsonValue] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"duplicate key {key!r}")
        found[key] = value
    return found
