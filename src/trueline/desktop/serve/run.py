"""The server on a socket, until it is told to stop."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass

from trueline.desktop.serve.access import Access
from trueline.desktop.serve.app import build_app
from trueline.desktop.serve.served import Served
from trueline.desktop.serve.settings import ServeSettings
from trueline.desktop.types import Desktop
from trueline.errors import InputError, MissingExtraError, TruelineError

DEFAULT_PORT = 5000
"""OSWorld's."""
GRACE_SECONDS = 5
_HEAD_BYTES = 32 * 1024
_POLL = 0.01


@dataclass(frozen=True)
class Listener:
    """A bound socket. Connections wait in it until the server answers."""

    socket: socket.socket

    @staticmethod
    def open(host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> Listener:
        """Bind; port 0 takes a free one.

        Raises:
            InputError: The host is not an address of this machine.
            TruelineError: The port is taken or may not be used.
        """
        if not 0 <= port <= 65535:
            raise InputError(f"--port {port}: a port is 0 to 65535")
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            bound = socket.create_server((host, port), family=family)
            # Connections inherit it. Without it every answer on a kept connection waits 40 ms for an acknowledgement:
            # asyncio sets it only on sockets that name their protocol, which `create_server` does not.
            bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except socket.gaierror:
            raise InputError(f"--host {host}: there is no such host") from None
        except OSError as error:
            raise TruelineError(f"cannot listen on {host} port {port} ({error.strerror}); try another --port") from None
        return Listener(bound)

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.socket.getsockname()[0]).is_loopback


async def serve(
    listener: Listener,
    desktop: Desktop,
    token: str | None,
    settings: ServeSettings | None = None,
    *,
    stop: asyncio.Event | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve a started desktop until the event, SIGINT or SIGTERM; a signal is raised once more when it has ended.

    Args:
        listener: Where to listen; it is closed at the end.
        desktop: What is served; whoever started it stops it.
        token: Who holds it may call; `None` lets in every program that reaches the port.
        settings: Limits.
        stop: Ends the service when it is set.
        ready: Called once connections are accepted.

    Raises:
        MissingExtraError: Starlette or uvicorn is not installed.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtraError("a desktop over HTTP", "serve") from None
    settings = settings or ServeSettings()
    served = Served(desktop, settings)
    config = uvicorn.Config(
        build_app(served, Access(token)),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=4 * settings.max_in_flight,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)

    async def watch() -> None:
        while True:
            if server.started:
                break
            await asyncio.sleep(_POLL)
        ready()
        if stop is not None:
            await stop.wait()
            server.should_exit = True

    watching = asyncio.create_task(watch())
    try:
        await server.serve(sockets=[listener.socket])
    finally:
        watching.cancel()
        await served.film.stop()
