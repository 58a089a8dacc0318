"""What episodes need besides their task, and the desktops of a run lack."""

from __future__ import annotations

from collections.abc import Iterator

from trueline.desktop.types import Capability
from trueline.runs.plan import Injected, Planned
from trueline.tasks.attacks.goals import GOALS
from trueline.tasks.attacks.opened import opened_applications
from trueline.tasks.attacks.text_source import TextSource
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.checkers.home import NOTE
from trueline.tasks.facilities import Facilities, is_installed
from trueline.tasks.model import Task
from trueline.tasks.support import unsupported_injection

SINKS_TAG = "sinks"
"""Tag of tasks whose solution sends something, and which need a sink to receive it."""


def missing_support(planned: Planned, facilities: Facilities, texts: TextSource = "own") -> tuple[str, ...]:
    """Describe what an episode needs and these desktops lack."""
    task, able = planned.task.task, facilities.capabilities
    found: list[str] = []
    if Capability.DIFF not in able and any(getter.type == NOTE for getter in task.evaluator.getters):
        found.append(f"checker {NOTE}: this machine cannot tell what changed in the home folder")
    if Capability.SINKS not in able and needs_sinks(task):
        found.append("this machine has no sinks to receive what the task sends (tag sinks)")
    if planned.injected is not None:
        found += unsupported_injection(task, planned.injected.vector, planned.injected.goal, facilities, texts)
        found += _attack(planned.injected, task, facilities)
    return tuple(found)


def needs_sinks(task: Task) -> bool:
    """Whether a task needs a sink to receive what it sends."""
    return isinstance(task.tags, tuple) and SINKS_TAG in task.tags


def _attack(injected: Injected, task: Task, facilities: Facilities) -> Iterator[str]:
    sinks = Capability.SINKS in facilities.capabilities
    vector = VECTORS.find(injected.vector) if VECTORS.provides(injected.vector) else None
    goal = GOALS.find(injected.goal) if GOALS.provides(injected.goal) else None
    if not sinks and vector is not None and vector.needs_sinks:
        yield f"vector {vector.id}: nothing on this machine serves the page"
    if not sinks and goal is not None and goal.needs_sinks:
        yield f"goal {goal.id}: nothing on this machine would see it reached"
    if facilities.own and vector is not None:
        yield from (
            f"vector {vector.id}: {name} is not installed" for name in vector.programs if not is_installed(name)
        )
    opened = vector is not None and vector.own_desktop_if_opened and vector.application in opened_applications(task)
    for found, own in (
        (vector, opened or (vector and vector.own_desktop_only)),
        (goal, goal and goal.own_desktop_only),
    ):
        if not facilities.own and found is not None and own:
            yield f"{found.id}: only Trueline's own desktop has the files that it needs where they are looked for"
