"""Waiting for something on a machine elsewhere: there is no event, so it is asked again and again."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable

from trueline.desktop.osworld.machine import Machine
from trueline.desktop.types import DesktopLost, Window, WindowShown

_POLL = 0.1
_LATER = 0.1
"""Seconds that are waited longer while nothing has changed at all: what was done may not show yet."""
_AGAIN = 0.5


async def wait_until_settled(machine: Machine, quiet: float) -> None:
    """Return once the picture has been the same for a while."""
    first: bytes | None = None
    last, since = b"", time.monotonic()
    while True:
        png, _ = await machine.screenshot()
        now = hashlib.sha256(png).digest()
        first = now if first is None else first
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() - since >= (quiet + _LATER if now == first else quiet):
            return
        await asyncio.sleep(_POLL / 2)


async def file_exists(machine: Machine, path: str) -> None:
    """Return once there is a file or folder of this path."""
    while True:
        if not (await machine.ask(("test", "-e", path))).returncode:
            return
        await asyncio.sleep(_POLL)


async def window_shown(windows: Callable[[], Awaitable[tuple[Window, ...]]], wanted: WindowShown) -> Window:
    """Return the topmost matching window, once there is one."""
    before = {window.id for window in await windows()} if wanted.new else set[int]()
    while True:
        for window in reversed(await windows()):
            fits = wanted.title.lower() in window.title.lower() and wanted.app.lower() in window.app
            if fits and window.id not in before:
                return window
        await asyncio.sleep(_POLL)


async def wait_until_answering(machine: Machine, seconds: float) -> None:
    """Return once the machine answers, because a restart takes a while.

    Raises:
        DesktopLost: It did not in this time.
    """
    why = "it does not answer"
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    await machine.platform()
                    return
                except DesktopLost as error:
                    why = str(error)
                await asyncio.sleep(_AGAIN)
    except TimeoutError:
        raise DesktopLost(f"{why}; waited {seconds:g} s") from None
