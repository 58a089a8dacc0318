"""Forwards a port of the host's loopback, or an X display, to a socket inside the sandbox."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from trueline.desktop.local.running import X_SOCKET
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import DesktopError

_PIECE = 1 << 16
_DISPLAYS = range(60, 1000)
_DISPLAY_SOCKET = "/tmp/.X11-unix/X"  # noqa: S108 - the protocol's path
_CREDENTIALS = struct.Struct("3i")


@asynccontextmanager
async def forward(connect: Callable[[], Awaitable[socket.socket]], at: int = 0) -> AsyncGenerator[int]:
    """Open a port on 127.0.0.1 while the block runs; any program of this machine can then reach the one inside.

    Args:
        connect: Opens a connection to the one inside.
        at: The port; 0 takes a free one.

    Raises:
        DesktopError: The port is taken.
    """
    try:
        door = socket.create_server(("127.0.0.1", at))
    except OSError as error:
        raise DesktopError(f"port {at} of 127.0.0.1 cannot be opened: {error.strerror}") from error
    async with relay(door, connect):
        yield door.getsockname()[1]


@asynccontextmanager
async def display(sandbox: Sandbox) -> AsyncGenerator[str]:
    """Open a free X display (`:60`) of the host while the block runs, for programs of this user alone.

    It is a socket without a file: nothing is left of it, however this process ends.

    Raises:
        DesktopError: No number is free.
    """
    number, door = _free_display()
    async with relay(door, lambda: sandbox.connect(path=X_SOCKET), admit=_is_ours):
        yield f":{number}"


@asynccontextmanager
async def relay(
    door: socket.socket,
    connect: Callable[[], Awaitable[socket.socket]],
    *,
    admit: Callable[[socket.socket], bool] = lambda _: True,
) -> AsyncGenerator[None]:
    """Pass each connection to a listening socket on to one that `connect` opens, while the block runs.

    Args:
        door: Where to listen; it is closed at the end.
        connect: Opens the other end; raises DesktopError if it cannot.
        admit: Whether a connection is let in.
    """
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            # Only the end below cancels it; asyncio 3.11 prints a traceback when such a task ends as cancelled.
            with suppress(DesktopError, ConnectionError, asyncio.CancelledError):
                if admit(writer.get_extra_info("socket")):
                    inner_reader, inner_writer = await asyncio.open_connection(sock=await connect())
                    await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, sock=door)
    try:
        yield
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def _free_display() -> tuple[int, socket.socket]:
    for number in _DISPLAYS:
        if Path(f"{_DISPLAY_SOCKET}{number}").exists():
            continue
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.bind(f"\0{_DISPLAY_SOCKET}{number}")
        except OSError:
            sock.close()  # another has it
        else:
            return number, sock
    raise DesktopError("every display number of this machine is taken")


def _is_ours(sock: socket.socket) -> bool:
    """Whether this user (or root) is at the other end."""
    _, user, _ = _CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return user in (0, os.geteuid())


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry bytes one way until their end, and pass the end on."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
