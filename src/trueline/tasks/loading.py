"""Reading task files; all problems of a file are reported at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from trueline.errors import InputError
from trueline.records.interchange.strict_json import json_path, load_strict
from trueline.tasks.model import OtherStep, Step, Task
from trueline.tasks.setup_steps import SETUP_STEPS, step_parameters
from trueline.text import printable

_LARGEST = 8 << 20
"""Bytes; the largest file of OSWorld has 20 thousand."""
Place = tuple[str | int, ...]


@dataclass(frozen=True, order=True)
class TaskProblem:
    """A problem in a task file."""

    file: str
    path: str
    """A JSON path: `$.config[0].parameters`."""
    message: str

    def __str__(self) -> str:
        """One line."""
        return printable(f"{self.file}: {self.path}: {self.message}", 600)


class TaskFileError(InputError):
    """A task file is invalid."""

    def __init__(self, problems: tuple[TaskProblem, ...], content: JsonValue = None) -> None:
        self.problems = problems
        self.content = content
        """The content of the file, if it is JSON."""
        super().__init__("; ".join(map(str, problems)))


def load_task(path: Path) -> Task:
    """Read one task file.

    Raises:
        TaskFileError: It cannot be read or is not a valid task; all problems are listed.
    """
    name = str(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise TaskFileError((TaskProblem(name, "$", f"larger than {_LARGEST >> 20} MiB, which no task file is"),))
        value = load_strict(path)
    except OSError as error:
        raise TaskFileError((TaskProblem(name, "$", f"cannot be read ({error.strerror})"),)) from error
    except TaskFileError:
        raise
    except InputError as error:
        raise TaskFileError((TaskProblem(name, "$", str(error).removeprefix(f"{name}: ")),)) from error
    return parse_task(value, file=name)


def parse_task(value: JsonValue, *, file: str) -> Task:
    """Make a task from parsed JSON.

    Raises:
        TaskFileError: It is not a valid task; all problems are listed, with their place and what was expected.
    """
    try:
        # In JSON mode lists become tuples; no other conversion takes place.
        task = Task.model_validate_json(json.dumps(value))
    except ValidationError as error:
        found = _merge((_place(item, value), item) for item in error.errors(include_url=False))
        raise TaskFileError(tuple(TaskProblem(file, json_path(*at), what) for at, what in found), value) from error
    if problems := tuple(TaskProblem(file, json_path(*at), what) for at, what in _step_problems(task)):
        raise TaskFileError(problems, value)
    return task


def _step_problems(task: Task) -> Iterator[tuple[Place, str]]:
    """Problems of steps that packages provide. An unknown step is not a problem: it makes the task unsupported."""
    lists: tuple[tuple[Place, tuple[Step, ...]], ...] = (
        (("config",), task.config),
        (("evaluator", "postconfig"), task.evaluator.postconfig),
    )
    for place, steps in lists:
        for number, step in enumerate(steps):
            try:
                if SETUP_STEPS.provides(step.type) and isinstance(step, OtherStep):
                    step_parameters(step, SETUP_STEPS.find(step.type))
            except ValidationError as error:
                above: Place = (*place, number, "parameters")
                items = [((*above, *item["loc"]), item) for item in error.errors(include_url=False)]
                yield from _merge(items)
            except InputError as error:
                yield (*place, number, "type"), str(error)


def _place(item: ErrorDetails, value: JsonValue) -> Place:
    """The place of an error in the file: pydantic's location without the names of union members."""
    place: list[str | int] = []
    here: list[JsonValue] = [value]
    for part in item["loc"]:
        if inner := _inner(here[-1], part):
            here += inner
            place.append(part)
    return (*place, item["loc"][-1]) if item["type"] == "missing" else tuple(place)


def _inner(value: JsonValue, part: str | int) -> list[JsonValue]:
    """The value at a key or index, in a list; an empty list if there is none."""
    if isinstance(value, dict):
        return [value[part]] if isinstance(part, str) and part in value else []
    return [value[part]] if isinstance(value, list) and isinstance(part, int) and part < len(value) else []


def _merge(found: Iterable[tuple[Place, ErrorDetails]]) -> list[tuple[Place, str]]:
    """One message per place; for a value that matches no member of a union, the closest member is explained."""
    messages: dict[Place, list[ErrorDetails]] = {}
    for place, item in found:
        messages.setdefault(place, []).append(item)
    deepest = [place for place in messages if not any(_below(other, place) for other in messages)]
    return [(place, _message(messages[place])) for place in deepest]


def _below(inner: Place, outer: Place) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _message(items: list[ErrorDetails]) -> str:
    if items[0]["type"] == "missing":
        return "is missing"
    for item in items:
        if item["type"] == "value_error":
            return item["msg"].removeprefix("Value error, ")
    wanted = " or ".join(dict.fromkeys(map(_wanted, items)))
    return f"expected {wanted}, found {printable(json.dumps(items[0]['input'], default=str), 80)}"


def _wanted(item: ErrorDetails) -> str:
    match item["type"]:
        case "string_pattern_mismatch":
            return "a name usable as a file name, without / or \\ and not beginning with a dot"
        case "string_too_short":
            return "text"
        case "too_short":
            return "a non-empty list"
        case _:
            wanted = item["msg"].removeprefix("Input should be ").replace("a valid ", "a ").replace("array", "list")
            return wanted.replace("a integer", "an integer")
