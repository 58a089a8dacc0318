"""A live view of a desktop in the browser: noVNC's page, websockify on the loopback, a VNC server inside."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from urllib.parse import quote, urlencode

from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.checks import SEARCH_PATH
from trueline.desktop.local.ownership import Owner, owner
from trueline.desktop.types import DesktopUnavailable
from trueline.desktop.watch.packages import NOVNC, check_packages
from trueline.desktop.watch.viewers import Viewers

_UP, _END = 20.0, 30.0
"""Seconds within which the web server must answer, and must end."""


@asynccontextmanager
async def watching(desktop: LocalDesktop, *, control: bool = False, port: int = 0) -> AsyncGenerator[str]:
    """Show a desktop in the browser while the block runs; yields the address to open.

    Only who knows the address can watch: it holds a secret, and the server listens on 127.0.0.1 alone. A viewer sees;
    with `control` the mouse and the keyboard work too. A reset desktop is shown again by itself.

    Raises:
        DesktopUnavailable: A package is missing, or the port is taken.
    """
    check_packages()
    token, user = secrets.token_urlsafe(24), owner()
    viewers = Viewers(desktop, user.uid, control=control)
    try:
        with _listening(port) as sock, _tokens({token: viewers.name}) as tokens:
            number: int = sock.getsockname()[1]
            with _websockify(sock, tokens, user) as server:
                await _answers(number, server)
                yield address(number, token, control=control)
    finally:
        await viewers.close()


def address(port: int, token: str, *, control: bool) -> str:
    """The page to open. What follows the `#` is not part of what a browser asks for, so it is in no log."""
    settings = {
        "autoconnect": "1",
        "reconnect": "1",
        "reconnect_delay": "1000",
        "resize": "scale",
        "view_only": "0" if control else "1",
        "path": f"websockify?token={token}",
    }
    return f"http://127.0.0.1:{port}/vnc.html#{urlencode(settings, quote_via=quote)}"


@contextmanager
def _tokens(targets: Mapping[str, str]) -> Generator[int]:
    """Where a token leads to, as websockify reads it: a file in memory that goes with those who have it open."""
    fd = os.memfd_create("tokens", os.MFD_CLOEXEC)
    try:
        os.write(fd, "".join(f"{token}: unix_socket:{name}\n" for token, name in targets.items()).encode())
        yield fd
    finally:
        os.close(fd)


def _listening(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        sock.listen(16)
    except (OSError, OverflowError) as error:
        sock.close()
        raise DesktopUnavailable(f"port {port} on 127.0.0.1: {error}; choose another one") from error
    return sock


@contextmanager
def _websockify(sock: socket.socket, tokens: int, user: Owner) -> Generator[subprocess.Popen[bytes]]:
    """Run websockify on a socket that already listens; it ends with the block, and when this process is killed."""
    argv = [
        "setpriv", "--pdeathsig", "KILL", "websockify", "--inetd", f"--web={NOVNC}",
        "--token-plugin=ReadOnlyTokenFile", f"--token-source=/dev/fd/{tokens}",
    ]  # fmt: skip
    process = subprocess.Popen(  # noqa: S603 - a fixed command line
        argv,
        stdin=sock.fileno(),
        pass_fds=(tokens,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": SEARCH_PATH, "LANG": "C.UTF-8"},
        start_new_session=True,
        user=user.uid if user.drop else None,
        group=user.gid if user.drop else None,
        extra_groups=[] if user.drop else None,
    )
    try:
        yield process
    finally:
        # The group: each viewer has a process of its own.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(_END)


async def _answers(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until the page is served."""
    try:
        async with asyncio.timeout(_UP):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(b"GET /vnc.html HTTP/1.0\r\n\r\n")
                await reader.readline()
            finally:
                writer.close()
    except (TimeoutError, OSError) as error:
        ended = f"it ended with {server.poll()}" if server.poll() is not None else f"no answer within {_UP:g} s"
        raise DesktopUnavailable(f"websockify does not serve the page ({ended}); see: trueline doctor") from error
