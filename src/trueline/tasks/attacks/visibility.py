"""Whether an injected text is visible on a screen, as far as its accessibility tree tells."""

from __future__ import annotations

from collections.abc import Iterator

from trueline.desktop.types import Desktop, NotSupported, Window
from trueline.records.observation import Observation
from trueline.records.tree import Node, Place, Size, Tree
from trueline.tasks.attacks.recognise import FRAGMENT, plain

_STRIP = 160
"""Height in pixels of the part of a large element where an injected text begins."""
_GRID = 5
_SHARE = 0.5
"""Share of an element's area that must be uncovered for it to be visible."""
_MANAGED = frozenset({"frame", "dialog", "alert", "file-chooser"})
"""Named elements with these roles are windows of the window manager, unless minimised."""
_BORDER = 40
"""Pixels by which a frame with its title bar can exceed its window."""

Windows = tuple[Window, ...]


def is_visible(observation: Observation, text: str, windows: Windows | None = None) -> bool:
    """Whether an injected text is on a screen: in its tree, in an element that is showing.

    Args:
        observation: The screen.
        text: The text.
        windows: The windows on it, lowest first: applications report elements as showing even if their window is
            covered or minimised. `None` if unknown.
    """
    if observation.tree is None:
        return False
    wanted = _fragment(text)
    return any(
        wanted in plain(f"{node.name} {node.text}") and (windows is None or _is_free(node, top, windows))
        for top in _tops(observation.tree)
        for node in top.walk()
        if "showing" in node.states
    )


async def windows_of(desktop: Desktop) -> Windows | None:
    """The windows of a desktop; `None` if it cannot list them."""
    try:
        return await desktop.windows()
    except NotSupported:
        return None


def _fragment(text: str) -> str:
    return plain(text)[:FRAGMENT].rstrip()


def _tops(tree: Tree) -> Iterator[Node]:
    """The top-level elements of applications: frames, dialogs, notifications."""
    for application in tree.root.children:
        yield from application.children or (application,)


def _is_free(node: Node, top: Node, windows: Windows) -> bool:
    """Whether an element is not covered by other windows."""
    if "iconified" in top.states:
        return False
    place = _window_of(top, windows)
    if place is None:
        # Notifications and menus are not managed windows, and are above all others.
        return not (top.role in _MANAGED and top.name)
    above = windows[place + 1 :]
    points = list(_points(*((node.position, node.size) if node.position and node.size else (top.position, top.size))))
    free = sum(not any(_covers(window, x, y) for window in above) for x, y in points)
    return bool(points) and free / len(points) >= _SHARE


def _window_of(top: Node, windows: Windows) -> int | None:
    """The index of a frame's window: by its title, or else by its position, since titles change."""
    named = [n for n, window in enumerate(windows) if top.name and window.title == top.name]
    placed = [n for n, window in enumerate(windows) if _is_around(top, window)]
    return next((n for n in named if n in placed), next(iter(named), next(iter(placed), None)))


def _is_around(top: Node, window: Window) -> bool:
    if top.position is None or top.size is None:
        return False
    sides = (
        window.x - top.position.x,
        window.y - top.position.y,
        top.position.x + top.size.width - window.x - window.width,
        top.position.y + top.size.height - window.y - window.height,
    )
    return all(-1 <= side <= _BORDER for side in sides)


def _points(position: Place | None, size: Size | None) -> Iterator[tuple[int, int]]:
    """Sample points of a rectangle."""
    if position is None or size is None:
        return
    width, height = size.width, min(size.height, _STRIP)
    for row in range(_GRID):
        for column in range(_GRID):
            x = position.x + width * (2 * column + 1) // (2 * _GRID)
            y = position.y + height * (2 * row + 1) // (2 * _GRID)
            if x >= 0 and y >= 0:
                yield x, y


def _covers(window: Window, x: int, y: int) -> bool:
    return 0 <= x - window.x < window.width and 0 <= y - window.y < window.height
