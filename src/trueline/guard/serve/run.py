"""The service on a socket, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
import socket
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.errors import InputError, MissingExtraError, TruelineError
from trueline.guard.serve.app import build_app
from trueline.guard.serve.settings import ServeSettings
from trueline.guard.types import Guard

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn

DEFAULT_PORT = 8787
GRACE_SECONDS = 30
_HEAD_BYTES = 32 * 1024


@dataclass(frozen=True)
class Listener:
    """A bound socket. Connections wait in it until the service answers."""

    socket: socket.socket
    host: str

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
        return Listener(bound, host)

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
    guard: Guard,
    tokens: Sequence[str],
    settings: ServeSettings | None = None,
    *,
    stop: asyncio.Event | None = None,
    grace_s: int = GRACE_SECONDS,
) -> None:
    """Answer requests until SIGINT, SIGTERM or the event; then finish those that are under way.

    Args:
        listener: Where to listen; it is closed at the end.
        guard: Gives the verdicts.
        tokens: Who holds one of them may call.
        settings: Limits and policies.
        stop: Ends the service when it is set.
        grace_s: How many seconds those under way have.

    Raises:
        MissingExtraError: Starlette, uvicorn or the Prometheus client is not installed.
    """
    try:
        import uvicorn

        from trueline.guard.serve.connections import bounded_protocol
    except ImportError:
        raise MissingExtraError("the guard over HTTP", "serve") from None
    settings = settings or ServeSettings()
    config = uvicorn.Config(
        build_app(guard, tokens, settings),
        http=bounded_protocol(settings.max_connections, settings.peer_seconds),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        timeout_graceful_shutdown=grace_s,
    )
    server = uvicorn.Server(config)

    async def wait() -> None:
        if stop is not None:
            await stop.wait()
            server.should_exit = True

    waiting = asyncio.create_task(wait())
    try:
        with _stopped_by_signals(server):
            await server.serve(sockets=[listener.socket])
    finally:
        waiting.cancel()


@contextlib.contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Generator[None]:
    """Let signals stop the server, and nothing else: uvicorn raises them once more after it has stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
