"""The getters `rule` and `cache_file`: values of the task file, and outputs that setup steps stored."""

from __future__ import annotations

from pydantic import JsonValue

from trueline.tasks.checkers.values import FileValue
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import Workspace


class RuleFields(Part):
    """Fields of the getter `rule`."""

    rules: JsonValue


class CacheFileFields(Part):
    """Fields of the getter `cache_file`."""

    path: Text
    """The name that a step gave to its output."""


async def rule(getter: Getter, _: Workspace) -> JsonValue:
    """The rules themselves."""
    return getter.parse(RuleFields).rules


async def cache_file(getter: Getter, workspace: Workspace) -> FileValue:
    """The output that an earlier step stored."""
    name = getter.parse(CacheFileFields).path
    if name not in workspace.outputs:
        raise CheckerError(f"no step has stored its output as {name!r}")
    return FileValue(name, workspace.outputs[name])
