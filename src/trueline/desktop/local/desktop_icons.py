"""The icons of the desktop as they are now, also right after one came, went or moved.

What xfdesktop saves is a second old at most. Three things tell that it is older than the screen: a file without a saved
icon; a change of the pixels of an icon that nothing covers; and the time since either could have happened. Only then is
the next save waited for.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trueline.desktop.accessibility import Bus
from trueline.desktop.accessibility.answers import variant
from trueline.desktop.accessibility.connection import MethodCall
from trueline.desktop.accessibility.marshal import is_table
from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.icon_layout import (
    DESKTOP_FOLDER,
    Icon,
    WorkArea,
    icon_box,
    icon_size,
    label_of,
    read_layout,
    shows_files,
)
from trueline.desktop.local.identity import HOME
from trueline.desktop.local.link import close_all
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.local.stacking import Stacking
from trueline.desktop.screen import Frame
from trueline.desktop.types import DesktopError
from trueline.desktop.visibility import ScreenWindow

_SAVED_AFTER = 1.5
"""Seconds after which xfdesktop has saved its icons: it waits for one, then writes."""
_LONGEST = 2.0
"""Seconds that an observation waits at most: icons that keep changing are saved only when they rest."""
_POLL = 0.02
_ANSWER_S = 0.5
_LIMIT = 4 << 20
_MOST = 500
_SETTINGS = MethodCall(
    "org.xfce.Xfconf", "/org/xfce/Xfconf", "org.xfce.Xfconf", "GetAllProperties", "ss",
    ("xfce4-desktop", "/desktop-icons"),
)  # fmt: skip
_XFDESKTOP = "xfdesktop"


class _Saved(BaseModel):
    """What `programs/desktop_icons.py` says; it comes from inside and is checked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: str | None
    layout_age: float
    folder_age: float
    names: tuple[str, ...]
    launchers: Mapping[str, str]


class DesktopIcons:
    """Reads the icons of one desktop; for one caller at a time."""

    def __init__(self, sandbox: Sandbox, settings: Bus, stacking: Stacking, language: str) -> None:
        """Take over the connection to the session bus; `stacking` stays the caller's."""
        self._sandbox = sandbox
        self._bus = settings
        self._stacking = stacking
        self._language = language
        self._properties: Mapping[str, object] = {}
        self._icon_digests: dict[Icon, bytes] = {}
        """Digests of the pixels of icons that were seen whole, in the last observation."""

    async def read(self, frame: Callable[[], Frame], acted: float) -> tuple[Icon, ...]:
        """The icons that are on the desktop now; waits for the next save if the last one may be too old.

        Args:
            frame: Reads the picture of the screen.
            acted: When the last action ended, in seconds of the monotonic clock.

        Raises:
            DesktopLost: The desktop is gone.
        """
        end = time.monotonic() + _LONGEST
        while True:
            area, windows = await asyncio.to_thread(self._ask)
            if area is None or not shows_files(self._properties):
                return ()
            saved = await self._saved(area)
            if saved is None:
                return ()
            now = time.monotonic()
            icons = self._icons(saved, area)
            looks = await asyncio.to_thread(_icon_digests, icons, windows, frame) if icons else {}
            since = now - acted
            moved = since < _SAVED_AFTER and saved.layout_age > since and self._differ(looks)
            if now >= end or not (_unsaved(saved) or moved):
                self._icon_digests = looks
                return icons
            await asyncio.sleep(_POLL)

    def _ask(self) -> tuple[WorkArea | None, Sequence[ScreenWindow]]:
        """Work area and windows; the settings are read on the way, and kept when they cannot be."""
        with suppress(DesktopError):
            (found,) = self._bus.call(_SETTINGS, _ANSWER_S)
            if is_table(found):
                self._properties = {str(name): variant(value) for name, value in found.items()}
        area = self._stacking.work_area()
        return None if area is None else WorkArea(*area), self._stacking.read()

    async def _saved(self, area: WorkArea) -> _Saved | None:
        """What was saved for a work area; `None` where the inside says something that cannot be."""
        with needs_descriptors("the desktop's icons"):
            fd = os.memfd_create("icons", os.MFD_CLOEXEC)
        try:
            request: dict[str, JsonValue] = {"op": "icons", "path": area.layout_file, "folder": DESKTOP_FOLDER}
            answer = await self._sandbox.agent.ask(request, [fd])
            close_all(answer.fds)
            data = os.pread(fd, _LIMIT, 0)
        finally:
            os.close(fd)
        try:
            return None if answer.message.errno is not None else _Saved.model_validate_json(data)
        except ValidationError:
            return None

    def _icons(self, saved: _Saved, area: WorkArea) -> tuple[Icon, ...]:
        there = {f"{DESKTOP_FOLDER}/{name}": name for name in saved.names}
        size = icon_size(self._properties)
        found: list[Icon] = []
        for path, cell in read_layout(_layout(saved, self._properties)).items():
            if path.startswith(f"{DESKTOP_FOLDER}/") and path not in there:
                continue  # it went away after the save
            place, extent = icon_box(cell, area, size)
            label = label_of(path, saved.launchers.get(there.get(path, "")), self._language)
            found.append(Icon(path, label, place, extent))
        found.sort(key=lambda icon: (icon.place.x, icon.place.y))
        return tuple(found[:_MOST])

    def _differ(self, looks: Mapping[Icon, bytes]) -> bool:
        """Whether an icon that was and is seen whole looks different."""
        return any(self._icon_digests.get(icon, look) != look for icon, look in looks.items())

    def close(self) -> None:
        """Close the connection."""
        self._bus.close()


def _layout(saved: _Saved, properties: Mapping[str, object]) -> str:
    """The saved layout; until the first save the home folder stands alone in the first cell."""
    if saved.layout is not None:
        return saved.layout
    home = properties.get("/desktop-icons/file-icons/show-home", True) is True
    return f"[{HOME}]\nrow=0\ncol=0\n" if home and not saved.names else ""


def _unsaved(saved: _Saved) -> bool:
    """Whether the Desktop folder changed so lately that xfdesktop has not saved its icons since."""
    if saved.layout is None:
        return bool(saved.names)
    if saved.folder_age > _SAVED_AFTER:
        return False  # what is not saved by now has no icon: the screen is full
    known = read_layout(saved.layout)
    return any(f"{DESKTOP_FOLDER}/{name}" not in known for name in saved.names)


def _icon_digests(
    icons: Iterable[Icon], windows: Sequence[ScreenWindow], look: Callable[[], Frame]
) -> dict[Icon, bytes]:
    """Digests of the pixels of the icons over which no window lies."""
    frame = look()
    over = [window for window in windows if window.app != _XFDESKTOP or window.override]
    found: dict[Icon, bytes] = {}
    for icon in icons:
        left, top, right, bottom = *icon.place, icon.place.x + icon.size.width, icon.place.y + icon.size.height
        if not any(
            window.place.x < right
            and left < window.place.x + window.size.width
            and window.place.y < bottom
            and top < window.place.y + window.size.height
            for window in over
        ):
            found[icon] = hashlib.blake2b(frame.pixels[top:bottom, left:right].tobytes(), digest_size=16).digest()
    return found
