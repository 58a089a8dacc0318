"""Waiting until a new window can be used."""

from __future__ import annotations

import asyncio
import time

from trueline.desktop.types import Desktop, Settled
from trueline.records import ObservationSpec
from trueline.records.tree import Tree

PATIENCE = 10.0
"""Seconds to wait; an application without an accessibility tree is taken as it is."""
_AGAIN = 0.2
_ENOUGH = 4
"""A window with more visible elements than this is no longer an empty frame."""
_WINDOWS = frozenset({"frame", "dialog", "alert", "window", "file-chooser"})


async def wait_until_usable(desktop: Desktop, known: set[int]) -> None:
    """Wait until new windows are filled and the screen is still: a large program first shows an empty frame."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        titles = {window.title for window in await desktop.windows() if window.id not in known}
        tree = (await desktop.observe(ObservationSpec(screenshot=False, tree=True))).tree
        if tree is None or all(_filled(tree, title) for title in titles):
            break
        await asyncio.sleep(_AGAIN)
    await desktop.wait_for(Settled())


def _filled(tree: Tree, title: str) -> bool:
    frames = (node for node in tree.root.walk() if node.role in _WINDOWS and node.name == title)
    return any(sum("showing" in node.states for node in frame.walk()) > _ENOUGH for frame in frames)
