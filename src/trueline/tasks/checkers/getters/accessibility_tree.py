"""The getter `accessibility_tree`."""

from __future__ import annotations

from trueline.records import ObservationSpec
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace


async def accessibility_tree(_: Getter, workspace: Workspace) -> str | None:
    """The whole accessibility tree as OSWorld's XML."""
    spec = ObservationSpec(screenshot=False, tree=True, tree_scope="whole")
    return (await workspace.desktop.observe(spec)).tree_xml
