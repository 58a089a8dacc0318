"""The server on a socket, until it is told to stop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from trueline.desktop.perturbations.model import Applied
from trueline.desktop.serve.access import Access
from trueline.desktop.serve.app import build_app
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.desktop.serve.settings import ServeSettings
from trueline.desktop.types import Desktop
from trueline.serving import Listener, serve_app

DEFAULT_PORT = 5000
"""OSWorld's."""
GRACE_SECONDS = 5


async def serve(
    listener: Listener | socket.socket,
    desktop: Desktop,
    token: str | None,
    settings: ServeSettings | None = None,
    *,
    perturbation: Applied | None = None,
    stop: asyncio.Event | None = None,
    ready: Callable[[], None] = lambda: None,
    signals: bool = True,
) -> None:
    """Serve a started desktop until the event, SIGINT or SIGTERM.

    Args:
        listener: Where to listen, or a socket that listens already; it is closed at the end.
        desktop: What is served; whoever started it stops it.
        token: Who holds it may call; `None` lets in every program that reaches the port.
        settings: Limits.
        perturbation: The perturbation applied to the desktop, which clients are told.
        stop: Ends the service when it is set.
        ready: Called once connections are accepted.
        signals: Whether SIGINT and SIGTERM end the service; if not, they are left alone.

    Raises:
        MissingExtraError: Starlette or uvicorn is not installed.
    """
    settings = settings or ServeSettings()
    served = ServedDesktop(desktop, settings, perturbation)
    try:
        await serve_app(
            build_app(served, Access(token)),
            listener if isinstance(listener, Listener) else Listener(listener),
            most_connections=settings.max_connections,
            peer_seconds=settings.peer_seconds,
            grace_seconds=GRACE_SECONDS,
            stop=stop,
            ready=ready,
            signals=signals,
        )
    finally:
        await served.recording.stop()
