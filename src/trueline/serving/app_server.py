"""Serve an application until a signal or an event stops it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from trueline.errors import MissingExtraError
from trueline.serving.listener import Listener

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn
    from starlette.applications import Starlette

_HEAD_BYTES = 32 * 1024
_POLL = 0.01


async def serve_app(
    app: Starlette,
    listener: Listener,
    *,
    most_connections: int,
    peer_seconds: float,
    grace_seconds: int,
    stop: asyncio.Event | None = None,
    ready: Callable[[], None] = lambda: None,
    signals: bool = True,
) -> None:
    """Answer requests until SIGINT, SIGTERM or the event; then finish those in progress.

    Args:
        app: Answers them.
        listener: Where to listen; it is closed at the end.
        most_connections: At the same time; further ones are answered with 503.
        peer_seconds: Time limit for receiving the head of a request, and for sending an answer.
        grace_seconds: How long requests in progress have at the end.
        stop: Ends the service when it is set.
        ready: Called once connections are accepted.
        signals: Whether SIGINT and SIGTERM end the service; if not, they are left alone.

    Raises:
        MissingExtraError: Uvicorn is not installed.
    """
    try:
        import uvicorn

        from trueline.serving.connections import bounded_protocol
    except ImportError:
        raise MissingExtraError("a service over HTTP", "serve") from None
    config = uvicorn.Config(
        app,
        http=bounded_protocol(most_connections, peer_seconds),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        timeout_graceful_shutdown=grace_seconds,
    )

    class Server(uvicorn.Server):
        """Takes no signals: what they do here is decided below."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None]:
            yield

    server = Server(config)

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
        with _stopped_by_signals(server) if signals else contextlib.nullcontext():
            await server.serve(sockets=[listener.socket])
    finally:
        watching.cancel()


@contextlib.contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Generator[None]:
    """Let signals stop the server, and nothing else."""
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
