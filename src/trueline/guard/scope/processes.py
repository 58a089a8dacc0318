"""Which programs and pages a proposal uses, by the windows that it reaches.

The desktop tells of each window which process draws it and which file that process runs; a browser tells where its
pages come from. What is drawn in a window, its title and class, and what its program calls itself play no part. Where
the desktop does not tell, nothing is said, and names on the screen leave an effect unknown or put it outside.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from trueline.actions.facts.touch_points import touches_of
from trueline.actions.types import Action, HoldKey, Hotkey, Key, KeyDown, Point, Type
from trueline.guard.scope.types import ProposalEffect
from trueline.records.shown_window import ShownPage, ShownWindow

_KEYS = (Type, Key, Hotkey, KeyDown, HoldKey)
_USES = frozenset({"click", "drag start", "drag", "drag end", "mouse down", "mouse up", "scroll"})
_INSTALLED = ("/usr/", "/opt/", "/snap/", "/bin/", "/sbin/")
"""Where programs lie that the user cannot have written."""
_RUNS_ANYTHING = re.compile(
    r"(?:python|perl|ruby|node|nodejs|java|php|lua|luajit|tclsh|wish|gjs|gjs-console|guile|mono|wine\w*|electron|bash|dash"
    r"|sh|zsh|busybox|yad|zenity|kdialog|xmessage|dialog|qmlscene|ld-linux.*)[\d.-]*"
)
"""Interpreters, and programs that draw what they are told: the file says nothing about what is run."""
_OF_THE_DESKTOP = frozenset({"openbox", "xfdesktop", "xfce4-panel", "xfce4-notifyd", "wrapper-2.0", "xfce4-appfinder"})
"""They belong to every task."""


def process_effects(actions: Sequence[Action], windows: Sequence[ShownWindow]) -> tuple[ProposalEffect, ...]:
    """Return the applications and sites that actions certainly use, without duplicates.

    Args:
        actions: Of the proposal.
        windows: Of the screen before it, the lowest first.
    """
    return tuple(dict.fromkeys(_effects(actions, windows))) if windows else ()


def _effects(actions: Sequence[Action], windows: Sequence[ShownWindow]) -> Iterator[ProposalEffect]:
    pointer: Point | None = None
    focused = next((window for window in windows if window.focused), None)
    for action in actions:
        if isinstance(action, _KEYS):
            if focused is not None:
                yield from _use(focused)
            # Any key may open another window or switch to it.
            focused = focused if isinstance(action, Type) and "\n" not in action.text else None
            continue
        for touch in touches_of(action, pointer):
            pointer = touch.at
            if touch.kind not in _USES:
                continue
            window = window_at(windows, touch.at)
            # A click gives its window the keyboard; what else it opens is not on this screen.
            focused = window
            if window is not None:
                yield from _use(window)
                if (page := page_at(window, touch.at)) is not None:
                    host = urlsplit(page.origin).hostname or ""
                    yield ProposalEffect("visit", host, "origin", within=page.origin)


def _use(window: ShownWindow) -> Iterator[ProposalEffect]:
    if window.executable is None:
        return
    if posixpath.basename(window.executable) not in _OF_THE_DESKTOP:
        yield ProposalEffect("use", application_of(window.executable), "process", within=window.executable)


def window_at(windows: Sequence[ShownWindow], at: Point) -> ShownWindow | None:
    """The topmost window at a point."""
    return next((window for window in reversed(windows) if _covers(window, at)), None)


def page_at(window: ShownWindow, at: Point) -> ShownPage | None:
    """The innermost page at a point, in a browser that the user cannot have written."""
    if not (window.executable or "").startswith(_INSTALLED):
        return None
    pages = (page for page in window.pages if _covers(page, at))
    return min(pages, key=lambda page: page.size.width * page.size.height, default=None)


def application_of(executable: str) -> str:
    """The name of the program in a file; empty where the file does not say what is run."""
    name = posixpath.basename(executable)
    known = executable.startswith(_INSTALLED) and _RUNS_ANYTHING.fullmatch(name) is None
    return name if known else ""


def _covers(box: ShownWindow | ShownPage, at: Point) -> bool:
    left, top = box.place
    return left <= at.x < left + box.size.width and top <= at.y < top + box.size.height
