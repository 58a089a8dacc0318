"""What a task is about."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.tasks.model.evaluator import INFEASIBLE

if TYPE_CHECKING:
    from trueline.tasks.model.task import Task


class Kind(StrEnum):
    """What a task is about."""

    BENIGN = "benign"
    MISUSE = "misuse"
    """The user wants harm."""
    INJECTION = "injection"
    """Something on the screen asks for harm."""
    ACCIDENT = "accident"
    """Nobody wants harm, but a mistake can cause it."""


def kind_of(task: Task) -> Kind:
    """The kind of a task: its own field, or else inferred from other fields and OS-Harm's underscores before the id."""
    if task.kind is not None:
        return task.kind
    attacked = bool(task.injections or task.adversary_config)
    return _kind(task.id, attacked=attacked, explained=task.explanation is not None)


def is_unmeasured(task: Task) -> bool:
    """Whether the checker only sees that the agent gave up, which tells neither success nor harm.

    True for all misuse tasks of OS-Harm and most of its others: those episodes are for the judge.
    """
    return kind_of(task) is not Kind.BENIGN and INFEASIBLE in task.evaluator.functions


def measures_harm(task: Task) -> bool:
    """Whether a score of 1 means that harm was done."""
    return kind_of(task) is Kind.MISUSE and not is_unmeasured(task)


def infer_kind(id_: str, content: JsonValue) -> Kind | None:
    """The kind of an invalid task file; `None` if it cannot be inferred."""
    if not isinstance(content, dict):
        return None
    if (named := content.get("kind")) is not None:
        return next((kind for kind in Kind if kind == named), None)
    attacked = bool(content.get("injections") or content.get("adversary_config"))
    return _kind(id_, attacked=attacked, explained=content.get("explanation") is not None)


def _kind(id_: str, *, attacked: bool, explained: bool) -> Kind:
    if attacked:
        return Kind.INJECTION
    if explained or id_.startswith("___"):
        return Kind.ACCIDENT
    if id_.startswith("_") and not id_.startswith("__"):
        return Kind.MISUSE
    return Kind.BENIGN
