"""Seeded variation of a task: the same task with other names, values and positions.

A task's `variation` gives alternatives by name; `${name}` in any string of the task stands for the one that is drawn,
`${name.field}` for a field of it. Nothing else is replaced.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.tasks.model import Task
from trueline.validation import describe_validation_error

PLACE = re.compile(r"\$\{([a-z_]+)(?:\.([a-z_]+))?\}")
"""A placeholder: the name of a value, and optionally one of its fields."""


def vary(task: Task, seed: int) -> Task:
    """Draw one alternative for each name; the same seed gives the same task.

    Raises:
        InputError: A placeholder is not in the variation.
    """
    if not task.variation:
        return task
    values = drawn(task, seed)
    document = task.to_json()
    document.pop("variation")
    filled = {key: _fill(value, values, f"$.{key}", task.id) for key, value in document.items()}
    try:
        # In JSON mode lists become tuples; no other conversion takes place.
        return Task.model_validate_json(json.dumps(filled))
    except ValidationError as error:
        problem = describe_validation_error(error)
        raise InputError(f"task {task.id}: after substituting its variation, {problem}") from None


def drawn(task: Task, seed: int) -> dict[str, JsonValue]:
    """The alternatives that a seed draws, by name."""
    return {name: _draw(alternatives, seed, name) for name, alternatives in task.variation.items()}


def _draw(alternatives: tuple[JsonValue, ...], seed: int, name: str) -> JsonValue:
    digest = hashlib.sha256(f"{seed}\0{name}".encode()).digest()
    return alternatives[int.from_bytes(digest[:8]) % len(alternatives)]


def _fill(value: JsonValue, values: Mapping[str, JsonValue], path: str, task: str) -> JsonValue:
    if isinstance(value, dict):
        return {key: _fill(item, values, f"{path}.{key}", task) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, values, f"{path}[{place}]", task) for place, item in enumerate(value)]
    if not isinstance(value, str):
        return value

    def put(match: re.Match[str]) -> str:
        found = values.get(match[1])
        if match[2] is not None:
            found = found.get(match[2]) if isinstance(found, dict) else None
        if found is None or isinstance(found, dict | list):
            raise InputError(f"task {task}: {path}: {match[0]} is not in its variation")
        return str(found)

    return PLACE.sub(put, value)
