"""The proxy on a socket, until it is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from trueline.guard.proxy.app import build_app
from trueline.guard.proxy.gate import Gate
from trueline.serving import Listener, serve_app

DEFAULT_PORT = 5001
"""Next to OSWorld's own."""
GRACE_SECONDS = 30


async def serve_proxy(
    listener: Listener,
    gate: Gate,
    token: str,
    *,
    open_protocol: bool = False,
    stop: asyncio.Event | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT, SIGTERM or the event; the caller closes the gate.

    Args:
        listener: Where to listen; it is closed at the end.
        gate: Decides what reaches the machine.
        token: Who holds it may call.
        open_protocol: OSWorld's own paths ask for no token; the session always does.
        stop: Ends the service when it is set.
        ready: Called once connections are accepted.

    Raises:
        MissingExtraError: Starlette or uvicorn is not installed.
    """
    await serve_app(
        build_app(gate, token, open_protocol=open_protocol),
        listener,
        most_connections=gate.settings.max_connections,
        peer_seconds=gate.settings.peer_seconds,
        grace_seconds=GRACE_SECONDS,
        stop=stop,
        ready=ready,
    )
