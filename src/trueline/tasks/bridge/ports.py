"""Answers, for one desktop, at the three ports that an evaluation can reach."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Protocol, runtime_checkable

from trueline.desktop.local.cdp import PORT as BROWSER
from trueline.desktop.local.forwarding import relay
from trueline.desktop.osworld.desktop import OSWorldDesktop
from trueline.desktop.serve import serve
from trueline.desktop.types import Desktop, DesktopError

_DEVTOOLS, _VLC = 9222, 8080
"""As OSWorld numbers them; tasks pass the first on to the browser's port."""
_GRACE = 10.0

Connect = Callable[[], Awaitable[socket.socket]]


@runtime_checkable
class _Connects(Protocol):
    """A desktop whose ports can be reached from the host."""

    async def connect(self, *, path: str | None = None, port: int | None = None) -> socket.socket: ...


@asynccontextmanager
async def answer_ports(desktop: Desktop, ports: tuple[socket.socket, ...]) -> AsyncGenerator[None]:
    """Answer as the desktop does at these listening sockets, while the block runs; they are closed at its end.

    Args:
        desktop: A started desktop; a machine of OSWorld's answers by itself.
        ports: Server, DevTools and player.

    Raises:
        MissingExtraError: A desktop of ours cannot be served without the extra `serve`.
    """
    server, devtools, player = ports
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(relay(devtools, _connect_to(desktop, _DEVTOOLS, BROWSER)))
        await stack.enter_async_context(relay(player, _connect_to(desktop, _VLC)))
        if isinstance(desktop, OSWorldDesktop) and not desktop.ours:
            address = desktop.address
            await stack.enter_async_context(relay(server, lambda: _open(address.host, address.server)))
        else:
            await stack.enter_async_context(_served(desktop, server))
        yield


@asynccontextmanager
async def _served(desktop: Desktop, sock: socket.socket) -> AsyncGenerator[None]:
    stop, ready = asyncio.Event(), asyncio.Event()
    # Without a token, which OSWorld's controllers do not know: only this evaluation can reach the socket.
    serving = asyncio.create_task(serve(sock, desktop, None, stop=stop, ready=ready.set, signals=False))
    waiting = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait((serving, waiting), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
        yield
    finally:
        waiting.cancel()
        stop.set()
        _, late = await asyncio.wait((serving,), timeout=_GRACE)
        for task in late:
            task.cancel()
        await asyncio.gather(serving, return_exceptions=True)


def _connect_to(desktop: Desktop, *choices: int) -> Connect:
    """Opens a connection to the first of these ports inside at which something listens."""

    async def connect() -> socket.socket:
        if isinstance(desktop, OSWorldDesktop):
            known = {_DEVTOOLS: desktop.address.chromium, _VLC: desktop.address.vlc}
            return await _open(desktop.address.host, known.get(choices[0]) or choices[0])
        if not isinstance(desktop, _Connects):
            raise DesktopError("the ports of this desktop cannot be reached")
        for port in choices[:-1]:
            with suppress(DesktopError):
                return await desktop.connect(port=port)
        return await desktop.connect(port=choices[-1])

    return connect


async def _open(host: str, port: int) -> socket.socket:
    try:
        return await asyncio.to_thread(socket.create_connection, (host, port), 10.0)
    except OSError as error:
        raise DesktopError(f"{host}: port {port} cannot be reached: {error}") from error
