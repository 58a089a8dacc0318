"""Which applications the steps of a task start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from trueline.tasks.applications import application_named
from trueline.tasks.model import Execute, Launch, Open, Step, Task


def opened_applications(task: Task) -> frozenset[str]:
    """The titles of the applications that a task's setup starts by their programs' names."""
    programs = (program for step in task.config for program in _programs(step))
    found = (application_named(program) for program in programs)
    return frozenset(application.title for application in found if application is not None)


def _programs(step: Step) -> Iterator[str]:
    match step:
        case Launch() | Execute():
            command = step.parameters.command
            words = (command if isinstance(command, str) else " ".join(command)).split()
            yield from (PurePosixPath(word).name for word in words)
        case Open():
            yield step.parameters.path
        case _:
            return
