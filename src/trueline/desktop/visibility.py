"""Which elements of an accessibility tree can be seen and clicked, and which lie beneath another window.

Applications call an element "showing" whatever lies over it. The X server knows which windows there are, in which
order, and whose they are; an element can be reached at a point if the topmost window there is the one that draws it.

An application's windows are known by the process that connected to the accessibility bus and by the X connection that
made them. Which of them draws an element is found by its place: each window of the tree belongs to the window of that
application with about the same box. Menus and other pop-ups have windows of their own on the screen, but in the tree
they are part of the window that opened them; what lies in them is known by its role or by a box like the pop-up's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_

from trueline.records.tree import Node, Place, Size, Tree, is_listed

_DECORATION = 60
"""Pixels by which the box of a window may differ from what its application says: its frame, or a shadow."""
_POPUP = 12
"""The same for a pop-up."""
_MENU_ENTRIES = frozenset(
    {"menu-item", "check-menu-item", "radio-menu-item", "tear-off-menu-item", "menu", "separator"}
)
_MENUS = frozenset({"menu", "popup-menu"})
_STEPS = (1, 3, 5, 7, 9)
"""Tenths of the width and height at which an element is looked at when its middle is covered."""
_MOST = len(_STEPS) ** 2 // 2
"""More than so many of the points must be seen for an element to count as visible."""


@dataclass(frozen=True)
class ScreenWindow:
    """A window directly on the screen; all words in it are what its program says."""

    id: int
    client: int
    """The X connection that made it: no other program can have the same."""
    pid: int | None
    title: str
    app: str
    place: Place
    size: Size
    """The box it covers, its frame included."""
    inside: Place
    extent: Size
    """The box without the frame."""
    override: bool = False
    """The window manager leaves it alone: a menu, a tooltip, a notification."""
    top: int = 0
    """The window directly below the root that it is, or lies in."""

    def covers(self, x: int, y: int) -> bool:
        """Whether a point lies in it."""
        left, top = self.place
        return left <= x < left + self.size.width and top <= y < top + self.size.height


def flag_covered(tree: Tree, pids: Sequence[int | None], windows: Sequence[ScreenWindow], screen: Size) -> Tree:
    """The tree with every listed element flagged that cannot be clicked in its middle.

    One that is mostly seen gets a point where it is reached; any other is `covered`.

    Args:
        tree: Of the whole screen: applications, below them their windows.
        pids: The process of each application, in the order of the tree; `None` where it is not known.
        windows: What lies on the screen, the lowest first.
        screen: What lies outside of it cannot be seen.
    """
    stack = _Stack(windows, screen)
    known = [*pids, *[None] * (len(tree.root.children) - len(pids))]
    applications = tuple(
        _flag_application(application, pid, stack) for application, pid in zip(tree.root.children, known, strict=False)
    )
    return replace(tree, root=replace(tree.root, children=applications))


def window_at(windows: Sequence[ScreenWindow], at: Place) -> ScreenWindow | None:
    """The topmost window at a point; `None` where only the screen itself is."""
    return next((window for window in reversed(windows) if window.covers(*at)), None)


class _Stack:
    """The windows of a screen, looked up by point."""

    def __init__(self, windows: Sequence[ScreenWindow], screen: Size) -> None:
        self.windows = windows
        self._screen = screen
        self._found: dict[tuple[int, int], ScreenWindow | None] = {}

    def at(self, x: int, y: int) -> ScreenWindow | None:
        """The topmost window at a point of the screen."""
        if not (0 <= x < self._screen.width and 0 <= y < self._screen.height):
            return None
        if (x, y) not in self._found:
            self._found[x, y] = window_at(self.windows, Place(x, y))
        return self._found[x, y]

    def hides(self, window: ScreenWindow) -> bool:
        """Whether a single window above covers the whole of one."""
        above = self.windows[self.windows.index(window) + 1 :]
        return any(_within(window.place, window.size, other.place, other.size) for other in above)

    def is_free(self, window: ScreenWindow) -> bool:
        """Whether no window above touches one, and all of it is on the screen."""
        above = self.windows[self.windows.index(window) + 1 :]
        on_screen = _within(window.place, window.size, Place(0, 0), self._screen)
        return on_screen and not any(_touch(window, other) for other in above)

    def windows_of(self, application: Node, pid: int | None) -> list[ScreenWindow]:
        """The windows of an application."""
        clients = {window.client for window in self.windows if pid is not None and window.pid == pid}
        if clients:
            return [window for window in self.windows if window.client in clients]
        return [
            window
            for window in self.windows
            if any(same_window(window, frame, by_title=True) for frame in application.children)
        ]


def _flag_application(application: Node, pid: int | None, stack: _Stack) -> Node:
    own = stack.windows_of(application, pid)
    drawn = _match(application.children, own)
    ids, matched = {window.id for window in own}, {window.id for window in drawn.values()}
    popups = not ids <= matched
    frames: list[Node] = []
    for number, frame in enumerate(application.children):
        window = drawn.get(number)
        if window is not None and not popups and stack.is_free(window) and _lies_in(frame, window):
            frames.append(frame)  # the usual case of the window in front: nothing to flag
            continue
        hidden = window is not None and not popups and stack.hides(window)
        frames.append(_flag(frame, _Reach(stack, ids, window, matched, popups, hidden), (), popup=False))
    return _with_children(application, tuple(frames))


def _match(frames: Iterable[Node], own: Sequence[ScreenWindow]) -> Mapping[int, ScreenWindow]:
    """The window on the screen of each window in the tree, by number; each is given once, the best fit first."""
    pairs = sorted(
        (
            (frame.name != window.title, _distance(frame, window), number, window.id)
            for number, frame in enumerate(frames)
            for window in own
            if same_window(window, frame)
        ),
    )
    by_id = {window.id: window for window in own}
    found: dict[int, ScreenWindow] = {}
    for _, _, number, id in pairs:
        if number not in found and id in by_id:
            found[number] = by_id.pop(id)
    return found


@dataclass(frozen=True)
class _Reach:
    """Where the elements of one window of the tree are reached."""

    stack: _Stack
    own: set[int]
    """All windows of the application."""
    window: ScreenWindow | None
    """The one that draws this window of the tree, if it is known."""
    matched: set[int]
    """Windows that draw some window of the tree."""
    popups: bool
    """Whether the application has windows on the screen that the tree does not have."""
    hidden: bool
    """Whether nothing of it can be seen."""

    def at(self, x: int, y: int, boxes: tuple[Node, ...], *, popup: bool) -> bool:
        """Whether a point belongs to an element in these boxes (its own the last); `popup` if it is in a menu."""
        top = self.stack.at(x, y)
        if top is None or top.id not in self.own:
            return False
        if self.window is not None and top.id == self.window.id:
            return True
        if top.id in self.matched:
            return False
        if self.window is None:
            return True  # none of its windows is known: one that draws nothing else is its own
        return popup or any(_near(node, top.place, top.size, _POPUP) for node in boxes)


def _flag(node: Node, reach: _Reach, above: tuple[Node, ...], *, popup: bool) -> Node:
    """Flag an element and all below it; `above` are those around it within its window."""
    boxes = (*above, node) if reach.popups and node.position is not None else above
    if node.position is not None and node.size is not None and is_listed(node):
        node = _flag_one(node, node.position, node.size, reach, boxes, popup=popup)
    if not node.children:
        return node
    menu = node.role in _MENUS
    children = tuple(
        [_flag(child, reach, boxes, popup=popup or (menu and child.role in _MENU_ENTRIES)) for child in node.children]
    )
    return _with_children(node, children)


def _flag_one(node: Node, at: Place, size: Size, reach: _Reach, boxes: tuple[Node, ...], *, popup: bool) -> Node:
    if reach.hidden:
        return replace(node, covered=True)
    middle = Place(at.x + size.width // 2, at.y + size.height // 2)
    if reach.at(*middle, boxes, popup=popup):
        return node
    points = [
        Place(at.x + size.width * across // 10, at.y + size.height * down // 10) for down in _STEPS for across in _STEPS
    ]
    seen = [point for point in points if reach.at(*point, boxes, popup=popup)]
    if len(seen) <= _MOST:
        return replace(node, covered=True)
    nearest = min(seen, key=lambda point: (point.x - middle.x) ** 2 + (point.y - middle.y) ** 2)
    return replace(node, visible_point=nearest)


def same_window(window: ScreenWindow, frame: Node, *, by_title: bool = False) -> bool:
    """Whether a window of the tree may be one on the screen: it has about the same box."""
    if by_title and frame.name != window.title:
        return False
    return _near(frame, window.place, window.size, _DECORATION) or _near(
        frame, window.inside, window.extent, _DECORATION
    )


def _lies_in(frame: Node, window: ScreenWindow) -> bool:
    """Whether the middle of every listed element lies in a window."""
    left, top = window.place
    right, bottom = left + window.size.width, top + window.size.height
    for node in frame.walk():
        at, size = node.position, node.size
        if at is not None and size is not None:
            x, y = at.x + size.width // 2, at.y + size.height // 2
            if not (left <= x < right and top <= y < bottom) and is_listed(node):
                return False
    return True


def _touch(window: ScreenWindow, other: ScreenWindow) -> bool:
    """Whether two windows have a pixel of the screen in common."""
    return (
        window.place.x < other.place.x + other.size.width
        and other.place.x < window.place.x + window.size.width
        and window.place.y < other.place.y + other.size.height
        and other.place.y < window.place.y + window.size.height
    )


def _within(place: Place, size: Size, other: Place, extent: Size) -> bool:
    """Whether a box lies in another."""
    return (
        other.x <= place.x
        and other.y <= place.y
        and place.x + size.width <= other.x + extent.width
        and place.y + size.height <= other.y + extent.height
    )


def _near(node: Node, place: Place, size: Size, most: int) -> bool:
    return (
        node.position is not None and node.size is not None and _farthest(node.position, node.size, place, size) <= most
    )


def _distance(frame: Node, window: ScreenWindow) -> int:
    if frame.position is None or frame.size is None:
        return 1 << 16
    boxes = (window.place, window.size), (window.inside, window.extent)
    return min(_farthest(frame.position, frame.size, *box) for box in boxes)


def _farthest(place: Place, size: Size, other: Place, extent: Size) -> int:
    """Return the largest distance in pixels between edges of the same side of two boxes."""
    return max(
        abs(place.x - other.x), abs(place.y - other.y),
        abs(place.x + size.width - other.x - extent.width), abs(place.y + size.height - other.y - extent.height),
    )  # fmt: skip


def _with_children(node: Node, children: tuple[Node, ...]) -> Node:
    if all(map(is_, children, node.children)):
        return node
    return replace(node, children=children)
