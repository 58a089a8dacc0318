"""Reading task files; all problems of a file are reported at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.interchange.strict_json import json_path, load_strict
from trueline.tasks.model import OtherStep, Step, Task
from trueline.tasks.rtc.addresses import is_rtc
from trueline.tasks.setup_steps import SETUP_STEPS, step_parameters
from trueline.text import printable
from trueline.validation import FieldProblem, field_problems

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
            too_large = f"is larger than {_LARGEST >> 20} MiB, the limit for task files"
            raise TaskFileError((TaskProblem(name, "$", too_large),))
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
        found = _merge((_place(problem, value), problem) for problem in field_problems(error))
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
            if step.type == "login" and not is_rtc(task):
                continue  # OSWorld's logs in at Google Drive and makes a task unsupported; ours is RTC-Bench's
            try:
                if SETUP_STEPS.provides(step.type) and isinstance(step, OtherStep):
                    step_parameters(step, SETUP_STEPS.find(step.type))
            except ValidationError as error:
                above: Place = (*place, number, "parameters")
                yield from _merge(((*above, *problem.location), problem) for problem in field_problems(error))
            except InputError as error:
                yield (*place, number, "type"), str(error)


def _place(problem: FieldProblem, value: JsonValue) -> Place:
    """The place of an error in the file: pydantic's location without the names of union members."""
    place: list[str | int] = []
    here: list[JsonValue] = [value]
    for part in problem.location:
        if inner := _inner(here[-1], part):
            here += inner
            place.append(part)
    return (*place, problem.location[-1]) if problem.missing else tuple(place)


def _inner(value: JsonValue, part: str | int) -> list[JsonValue]:
    """The value at a key or index, in a list; an empty list if there is none."""
    if isinstance(value, dict):
        return [value[part]] if isinstance(part, str) and part in value else []
    return [value[part]] if isinstance(value, list) and isinstance(part, int) and part < len(value) else []


def _merge(found: Iterable[tuple[Place, FieldProblem]]) -> list[tuple[Place, str]]:
    """One message per place; for a value that matches no member of a union, the closest member is explained."""
    problems: dict[Place, list[FieldProblem]] = {}
    for place, problem in found:
        problems.setdefault(place, []).append(problem)
    deepest = [place for place in problems if not any(_below(other, place) for other in problems)]
    return [(place, _message(problems[place])) for place in deepest]


def _below(inner: Place, outer: Place) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _message(problems: list[FieldProblem]) -> str:
    """All that a union would accept in one message: `must be a string or a non-empty list, not []`."""
    first = problems[0]
    for problem in problems:
        if problem.kind == "value_error":
            return problem.message
    if first.missing:
        return first.message
    wanted = list(dict.fromkeys(problem.message for problem in problems))
    if all(message.startswith("must be ") for message in wanted):
        wanted = [wanted[0], *(message.removeprefix("must be ") for message in wanted[1:])]
    return f"{' or '.join(wanted)}, not {first.shown_value()}"
