"""The screen and the windows on it at one moment: what a verdict rests on, and what it is compared with later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from trueline.actions import Action, Click, Code, Drag, MouseDown, MouseUp, Move, Point, Scroll
from trueline.desktop.types import Desktop, NotSupported, Window
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.tree import Node, Place, Size

_MOST_LOOKS = 3
"""Most observations of a screen on which windows come and go."""

_DECORATION = 60
"""Pixels by which a window may be larger with its frame and shadow."""

WindowLayout = tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class ScreenState:
    """An observation together with the windows that were open."""

    observation: Observation
    windows: tuple[Window, ...] | None = None
    """`None` where the desktop cannot list them."""


@dataclass(frozen=True)
class ExpectedFocus:
    """The window that should have the keyboard, by what was seen and by what has been done since."""

    window: int
    """Its id; 0 for none."""
    windows: tuple[Window, ...]
    """The windows that were seen, the lowest first."""
    pointer: Point | None = None

    @classmethod
    def on(cls, windows: tuple[Window, ...]) -> ExpectedFocus:
        """The focus on a screen that was just seen."""
        return cls(next((window.id for window in windows if window.active), 0), windows)

    def after(self, action: Action) -> ExpectedFocus:
        """The focus after an action: a press takes it to the window under the pointer, keys are not known to move it.

        A window that was not seen never counts: what opens one and goes on typing must be checked again.
        """
        match action:
            case Move():
                return replace(self, pointer=action.to)
            case Click() | MouseDown():
                return self._pressed(action.at or self.pointer)
            case Drag():
                pressed = self._pressed(action.start or self.pointer)
                return replace(pressed, pointer=action.path[-1])
            case MouseUp() | Scroll():
                return replace(self, pointer=action.at or self.pointer)
            case Code():
                return replace(self, pointer=None)
            case _:
                return self

    def _pressed(self, at: Point | None) -> ExpectedFocus:
        under = [window for window in self.windows if at is not None and _contains(window, at)]
        return replace(self, window=under[-1].id if under else self.window, pointer=at)


def _contains(window: Window, at: Point) -> bool:
    return window.x <= at.x < window.x + window.width and window.y <= at.y < window.y + window.height


def with_active_window(screen: ScreenState) -> Observation:
    """The observation with the window in front as the window manager says.

    Applications report late who has the keyboard, and some (xterm) are in no accessibility tree at all. Where the tree
    calls another window active, neither that window nor the focus in it counts, but the real one does; it is added if
    it is missing. An observation that fits is returned as it is.
    """
    seen = screen.observation
    active = next((window for window in screen.windows or () if window.active), None)
    if seen.tree is None or active is None:
        return seen
    applications = seen.tree.root.children
    frames = [(app, frame) for app in applications for frame in app.children]
    if any("active" in frame.states and _shows(active, app, frame) for app, frame in frames):
        return seen
    real = next((frame for app, frame in frames if _shows(active, app, frame)), None)
    children = tuple(
        replace(app, children=tuple(_activated(frame) if frame is real else _passive(frame) for frame in app.children))
        for app in applications
    )
    if real is None:
        frame = Node(
            "frame", active.title, states=frozenset({"active", "showing", "visible"}),
            position=Place(active.x, active.y), size=Size(active.width, active.height),
        )  # fmt: skip
        children = (*children, Node("application", active.app, children=(frame,)))
    return replace(seen, tree=replace(seen.tree, root=replace(seen.tree.root, children=children)))


def _shows(window: Window, app: Node, frame: Node) -> bool:
    """Whether a frame of the tree is a window: two of title, application and place fit; each may lag or be forged."""
    name, title = app.name.casefold(), frame.name == window.title
    same_app = bool(name and window.app) and (name.startswith(window.app) or window.app.startswith(name))
    place, size = frame.position, frame.size
    boxed = place is not None and size is not None and max(
        abs(place.x - window.x), abs(place.y - window.y),
        abs(place.x + size.width - window.x - window.width), abs(place.y + size.height - window.y - window.height),
    ) <= _DECORATION  # fmt: skip
    return title + same_app + boxed >= 2


def _activated(frame: Node) -> Node:
    return replace(frame, states=frame.states | {"active"})


def _passive(node: Node) -> Node:
    """The node without activity and focus, its own and that of what is in it."""
    lost = node.states & {"active", "focused"}
    children = tuple(_passive(child) for child in node.children)
    if not lost and all(a is b for a, b in zip(children, node.children, strict=True)):
        return node
    return replace(node, states=node.states - lost, children=children)


async def observe_with_windows(desktop: Desktop, want: ObservationSpec) -> ScreenState:
    """Observe the screen and list its windows.

    The windows are listed before the screen is observed: one that opens meanwhile is not in the picture, so it must
    count as a change. If windows came or went, the screen is observed again, a few times at most.
    """
    looks = 0
    while True:
        windows = await list_windows(desktop)
        observation = await desktop.observe(want)
        looks += 1
        if windows is None or looks == _MOST_LOOKS:
            return ScreenState(observation, windows)
        if window_layout(windows) == window_layout(await list_windows(desktop) or ()):
            return ScreenState(observation, windows)


async def list_windows(desktop: Desktop) -> tuple[Window, ...] | None:
    """List the windows; `None` where the desktop cannot."""
    try:
        return await desktop.windows()
    except NotSupported:
        return None


def window_layout(windows: Iterable[Window]) -> WindowLayout:
    """Return which windows there are and where, in a form that can be compared; titles are left out."""
    return tuple((w.id, w.app, w.x, w.y, w.width, w.height) for w in windows)
