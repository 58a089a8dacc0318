"""A sandbox whose desktop is on the screen: the sandbox and the host's connection to its X server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self, TypeVar

from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.sandbox import Sandbox, start_failure
from trueline.desktop.local.windows import Windows
from trueline.desktop.types import DesktopError, DesktopLost, DesktopUnavailable, Window
from trueline.desktop.x11.connection import XConnection, XLost

X_SOCKET = "/tmp/.X11-unix/X0"  # noqa: S108 - inside
POLL = 0.01
_PARTS = {"xfdesktop", "xfce4-panel"}
_ATTEMPTS = 2
_LOG = logging.getLogger(__name__)
T = TypeVar("T")


class Running:
    """One desktop from its start to its end."""

    def __init__(self, sandbox: Sandbox, windows: Windows) -> None:
        """Take over both; call `start` instead."""
        self.sandbox = sandbox
        self._windows = windows
        self._one_at_a_time = asyncio.Lock()

    @classmethod
    async def start(cls, options: LocalOptions, template: Path) -> Self:
        """Start a sandbox and wait until background and panel are shown.

        A part that does not come up, which is rare, may come up in another sandbox: half of the time is left for that.

        Raises:
            DesktopUnavailable: This machine cannot, or not in time.
        """
        for attempt in range(_ATTEMPTS):
            missing = set(_PARTS)
            try:
                async with AsyncExitStack() as undo, asyncio.timeout(options.start_limit / _ATTEMPTS):
                    sandbox = await Sandbox.start(options, template)
                    undo.push_async_callback(sandbox.stop)
                    windows = Windows(await connect_x(sandbox))
                    undo.callback(windows.close)
                    self = cls(sandbox, windows)
                    while True:
                        missing = _PARTS - {window.app for window in await self.windows()}
                        if not missing:
                            undo.pop_all()
                            return self
                        await asyncio.sleep(POLL)
            except TimeoutError as error:
                if attempt + 1 == _ATTEMPTS:
                    raise DesktopUnavailable(
                        f"the desktop did not appear within {options.start_limit:g} s (no window of "
                        f"{', '.join(sorted(missing))}); see: trueline doctor"
                    ) from error
                _LOG.warning("a desktop did not show %s; starting another one", ", ".join(sorted(missing)))
            except DesktopLost as error:
                raise DesktopUnavailable(await asyncio.to_thread(start_failure, str(error))) from error
        raise AssertionError("the last attempt returns or raises")

    async def windows(self) -> tuple[Window, ...]:
        """The windows there are, the lowest first.

        Raises:
            DesktopLost: The X server does not answer.
        """
        return await self._ask(self._windows.read)

    async def window_numbers(self) -> tuple[int, ...]:
        """What differs when a window comes, goes or becomes the active one. Raises DesktopLost."""
        return await self._ask(self._windows.numbers)

    async def _ask(self, work: Callable[[], T]) -> T:
        async with self._one_at_a_time:
            try:
                return await asyncio.to_thread(work)
            except XLost as error:
                self.sandbox.part_ended("X server")
                self.sandbox.lose(f"the X server is gone: {error}")
                raise DesktopLost(f"the X server is gone: {error}") from error

    async def stop(self) -> None:
        """Stop the sandbox; nothing is left of it."""
        self._windows.close()
        await self.sandbox.stop()


async def connect_x(sandbox: Sandbox) -> XConnection:
    """Connect to the sandbox's X server as soon as it listens. The caller limits the time."""
    while True:
        try:
            sock = await sandbox.connect(path=X_SOCKET)
            break
        except DesktopLost:
            raise
        except DesktopError:
            await asyncio.sleep(POLL)
    try:
        return await asyncio.to_thread(XConnection, sock)
    except XLost as error:
        raise DesktopLost(f"the X server does not answer: {error}") from error
