"""The local desktop behind the contract of `desktop.types`."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from trueline.desktop.local import commands, files
from trueline.desktop.local.commands import Command
from trueline.desktop.local.diff import diff
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.pool import Pool, start_running
from trueline.desktop.local.running import POLL, Running
from trueline.desktop.local.sinks import listen
from trueline.desktop.types import ActionTimeout, Change, DesktopLost, FileExists, RunResult, Window, WindowShown


class LocalDesktop:
    """A real desktop in a sandbox. Entering starts it, leaving stops it; one event loop uses it."""

    def __init__(self, options: LocalOptions | None = None, *, pool: Pool | None = None) -> None:
        """Set it up; with a pool, starting and resetting take a desktop that is already up, of the pool's options."""
        self.options = pool.options if pool is not None else options or LocalOptions()
        self._pool = pool
        self._running: Running | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start it.

        Raises:
            DesktopUnavailable: This machine cannot; the message names what is missing.
        """
        self._running = await (start_running(self.options) if self._pool is None else self._pool.take())

    async def stop(self) -> None:
        """End it and everything in it; stopping twice is fine."""
        running, self._running = self._running, None
        if running is not None:
            await running.stop()

    async def reset(self) -> None:
        """Throw everything away and start afresh; also what is left of a lost desktop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.stop())
            group.create_task(self._replace())

    async def _replace(self) -> None:
        await asyncio.sleep(0)  # the old one is taken out first
        await self.start()

    @property
    def running(self) -> Running:
        """What runs now.

        Raises:
            DesktopLost: It was not started, or stopped.
        """
        if self._running is None:
            raise DesktopLost("the desktop is not started")
        return self._running

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: bytes = b"",
        time_limit: float = 30.0,
    ) -> RunResult:
        """Run a program inside and wait for its end; see `commands.run` for what it raises."""
        return await commands.run(self.running.sandbox, Command(argv, env or {}, cwd), stdin, time_limit)

    async def launch(self, argv: tuple[str, ...], *, env: Mapping[str, str] | None = None) -> int:
        """Start a program inside and leave it running; return its process id inside."""
        return await commands.launch(self.running.sandbox, Command(argv, env or {}, None))

    async def put(self, path: str, content: bytes | Path, *, mode: int = 0o644) -> None:
        """Write a file inside, making its folders. Raises PathRefused."""
        await files.put(self.running.sandbox, path, content, mode)

    async def get(self, path: str, *, limit: int = 64 << 20) -> bytes:
        """Read a plain file inside. Raises PathRefused."""
        return await files.get(self.running.sandbox, path, limit)

    async def windows(self) -> tuple[Window, ...]:
        """The windows there are, the lowest first."""
        return await self.running.windows()

    async def wait_for(self, condition: WindowShown | FileExists, *, time_limit: float = 10.0) -> Window | None:
        """Wait until a condition holds. Raises ActionTimeout when it does not in time."""
        try:
            async with asyncio.timeout(time_limit):
                if isinstance(condition, FileExists):
                    return await self._file(condition.path)
                return await self._window(condition)
        except TimeoutError as error:
            raise ActionTimeout(f"{condition} did not come about within {time_limit:g} s") from error

    async def _file(self, path: str) -> None:
        while True:
            if await files.exists(self.running.sandbox, path):
                return
            await asyncio.sleep(POLL)

    async def _window(self, wanted: WindowShown) -> Window:
        known = {window.id for window in await self.windows()} if wanted.new else set[int]()
        while True:
            for window in reversed(await self.windows()):
                fits = wanted.title.lower() in window.title.lower() and wanted.app.lower() in window.app
                if fits and window.id not in known:
                    return window
            await asyncio.sleep(POLL)

    async def diff(self) -> tuple[Change, ...]:
        """What changed in the home folder since the start, sorted by path."""
        sandbox = self.running.sandbox
        return await asyncio.to_thread(diff, sandbox.path("disk/upper"), sandbox.template)

    async def listen(self, port: int, *, udp: bool = False, address: str = "127.0.0.1") -> socket.socket:
        """Listen on the desktop's own loopback from outside; see `sinks.listen`."""
        return await listen(self.running.sandbox, port, udp=udp, address=address)

    async def connect(self, *, path: str | None = None, port: int | None = None) -> socket.socket:
        """Connect to a unix socket or a loopback port inside (a message bus, DevTools), without a port of the host."""
        return await self.running.sandbox.connect(path=path, port=port)
