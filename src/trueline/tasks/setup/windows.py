"""Steps that bring windows to the front and close them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator

from trueline.desktop.types import ActionTimeout, DesktopError, DesktopLost, Window
from trueline.tasks.model import is_true
from trueline.tasks.model.steps import WindowParameters
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace

_APPEARS = 10.0
"""Seconds a window may take to appear."""
_GONE = 1.0
"""Seconds after which a window counts as closed by the agent."""
_TOLD = 10.0
_OBEYS = 3.0
_AGAIN = 0.1
_CHROME = re.compile("google chrome", re.IGNORECASE)
_GEDIT = re.compile(r"([^/]+) \((.+)\) - gedit", re.IGNORECASE)
"""The title of gedit: `NAME (FOLDER) - gedit`. Mousepad, which opens text here, has the path in its own."""


async def _activate(parameters: WindowParameters, workspace: Workspace) -> None:
    """Bring a window to the front as soon as it exists."""
    window = await _find(parameters, workspace)
    number = str(window.id)
    await _tell(workspace, ("wmctrl", "-i", "-a", number), ("xdotool", "windowactivate", number))
    await _until(workspace, lambda windows: any(each.id == window.id and each.active for each in windows))


async def _close(parameters: WindowParameters, workspace: Workspace) -> None:
    """Ask a window to close. It may answer with a dialog, which later steps must handle."""
    window = await _find(parameters, workspace)
    number = str(window.id)
    keys = ("xdotool", "windowactivate", "--sync", number, "key", "alt+F4")
    await _tell(workspace, ("wmctrl", "-i", "-c", number), keys)
    await _until(workspace, lambda windows: all(each.id != window.id for each in windows))


ACTIVATE_WINDOW = StepKind.typed(WindowParameters, _activate, may_be_skipped=True)
CLOSE_WINDOW = StepKind.typed(WindowParameters, _close, may_be_skipped=True)


def fits(window: Window, wanted: WindowParameters) -> bool:
    """Whether this is the window: the whole title where `strict`, else a piece of it in any case."""
    name = wanted.window_name
    if is_true(wanted.by_class):
        # wmctrl's class is `instance.Class`; a window here has the second part.
        return name.lower().rpartition(".")[2] == window.app
    if is_true(wanted.strict):
        return window.title in _titles(name)
    title = window.title.lower()
    return any(each.lower() in title for each in _titles(name))


def _titles(name: str) -> Iterator[str]:
    """A title, and those that it has with the applications of our desktops."""
    yield name
    yield _CHROME.sub("Chromium", name)
    if (gedit := _GEDIT.fullmatch(name)) is not None:
        yield f"{gedit[2]}/{gedit[1]} - Mousepad"


async def _find(wanted: WindowParameters, workspace: Workspace) -> Window:
    within = _GONE if workspace.after_agent else _APPEARS
    end = time.monotonic() + within
    while True:
        windows = await workspace.desktop.windows()
        for window in reversed(windows):
            if fits(window, wanted):
                return window
        if time.monotonic() > end:
            there = ", ".join(repr(window.title) for window in windows)
            raise StepFailed(f"no window {wanted.window_name!r} within {within:g} s; there are {there}")
        await asyncio.sleep(_AGAIN)


async def _tell(workspace: Workspace, *ways: tuple[str, ...]) -> None:
    """Tell the window manager with the first of these programs that is there."""
    for argv in ways:
        try:
            done = await workspace.desktop.run(argv, time_limit=_TOLD)
        except (DesktopLost, ActionTimeout):
            raise
        except DesktopError:
            continue
        if done.returncode == 0:
            return
    raise StepFailed(f"none of {', '.join(argv[0] for argv in ways)} could reach the window manager")


async def _until(workspace: Workspace, done: Callable[[tuple[Window, ...]], bool]) -> None:
    """Wait briefly until the window manager has complied; a window may refuse."""
    end = time.monotonic() + _OBEYS
    while time.monotonic() < end:
        if done(await workspace.desktop.windows()):
            return
        await asyncio.sleep(_AGAIN)
