"""Windows that programs open on a desktop."""

from __future__ import annotations

import asyncio

from trueline.desktop.local import LocalDesktop


async def open_window(desktop: LocalDesktop, argv: tuple[str, ...], app: str, time_limit: float = 30.0) -> int:
    """Start a program and wait for its window; what is there is listed first, for it may open at once."""
    known = {window.id for window in await desktop.windows()}
    pid = await desktop.launch(argv)
    async with asyncio.timeout(time_limit):
        while True:
            if any(app in window.app and window.id not in known for window in await desktop.windows()):
                return pid
            await desktop.run(("true",))
