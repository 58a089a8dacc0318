"""The host's end of a live view: a unix socket for one user alone; whoever connects gets a VNC server of their own.

The VNC server runs inside the sandbox, as one more program there, with the connection as its input and output: it
listens on no port, reads nothing of the host's, and ends with its viewer.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import struct

from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.commands import SandboxCommand
from trueline.desktop.types import DesktopError

_AT_ONCE = 16
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group, as the kernel gives them."""
_PATIENCE, _AGAIN = 30.0, 0.1


def vnc_argv(*, control: bool) -> tuple[str, ...]:
    """The VNC server for one viewer; without `control` it throws the viewer's input away."""
    return (
        "x11vnc", "-inetd", "-quiet", "-norc", "-nopw", "-safer", "-nolookup", "-noshm", "-shared", "-nobell",
        "-nocursorshape",  # drawn into the picture, so that one sees where the agent points
        *(() if control else ("-viewonly", "-nosel")),
    )  # fmt: skip


class Viewers:
    """Accepts viewers until it is closed."""

    def __init__(self, desktop: LocalDesktop, uid: int, *, control: bool) -> None:
        """Listen for programs of the user `uid`."""
        self.name = f"\0trueline-watch-{secrets.token_hex(8)}"
        """Where it listens: no file, so nothing is left of it however this process ends."""
        self._desktop = desktop
        self._uid = uid
        self._argv = vnc_argv(control=control)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.setblocking(False)
        self._listening.bind(self.name)
        self._listening.listen(_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        asyncio.get_running_loop().add_reader(self._listening, self._accept)

    def _accept(self) -> None:
        try:
            viewer, _ = self._listening.accept()
        except OSError:
            return  # it has gone again
        # The name can be seen by all users of the machine.
        if _peer(viewer) != self._uid:
            viewer.close()
            return
        viewer.setblocking(True)
        task = asyncio.create_task(self._serve(viewer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: viewer.close())

    async def _serve(self, viewer: socket.socket) -> None:
        """Give a viewer its server. Between two desktops it waits: noVNC's page tries again only once."""
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            request = SandboxCommand(self._argv, {}, None).request()
            async with asyncio.timeout(_PATIENCE):
                while True:
                    try:
                        await self._desktop.running.sandbox.spawn(request, (viewer.fileno(), viewer.fileno(), null))
                        return
                    except DesktopError:
                        await asyncio.sleep(_AGAIN)
        except TimeoutError:
            pass  # the page says that the connection is closed
        finally:
            os.close(null)

    async def close(self) -> None:
        """Take no more viewers; those there are go with the desktop."""
        asyncio.get_running_loop().remove_reader(self._listening)
        self._listening.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _peer(sock: socket.socket) -> int:
    """The user at the other end."""
    credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1]
