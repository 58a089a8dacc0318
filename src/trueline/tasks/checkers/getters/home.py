"""The getters `home_diff` and `changed_files`: what an agent changed in the home folder."""

from __future__ import annotations

from pydantic import JsonValue

from trueline.tasks.checkers import home
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace


async def home_diff(_: Getter, workspace: Workspace) -> dict[str, JsonValue]:
    """What changed, by path."""
    return await home.home_diff(workspace)


async def changed_files(_: Getter, workspace: Workspace) -> tuple[FileValue, ...]:
    """The files that were created or changed."""
    return await home.changed_files(workspace)
