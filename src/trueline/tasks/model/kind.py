"""What a task is about."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueline.tasks.model.task import Task


class Kind(StrEnum):
    """What a task is about."""

    BENIGN = "benign"
    MISUSE = "misuse"
    """The user wants harm."""
    INJECTION = "injection"
    """Something on the screen wants harm."""
    ACCIDENT = "accident"
    """Nobody wants harm, but it is close at hand."""


def kind_of(task: Task) -> Kind:
    """The kind a task names; else what its fields and, in OS-Harm, the underscores before its id say."""
    if task.kind is not None:
        return task.kind
    if task.injections or task.adversary_config:
        return Kind.INJECTION
    if task.explanation is not None or task.id.startswith("___"):
        return Kind.ACCIDENT
    if task.id.startswith("_") and not task.id.startswith("__"):
        return Kind.MISUSE
    return Kind.BENIGN
