"""The service on a socket, until it is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trueline.guard.serve.app import build_app
from trueline.guard.serve.settings import GuardServeSettings
from trueline.guard.types import Guard
from trueline.serving import Listener, serve_app

GRACE_SECONDS = 30


async def serve(
    listener: Listener,
    guard: Guard,
    tokens: Sequence[str],
    settings: GuardServeSettings | None = None,
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
    settings = settings or GuardServeSettings()
    await serve_app(
        build_app(guard, tokens, settings),
        listener,
        most_connections=settings.max_connections,
        peer_seconds=settings.peer_seconds,
        grace_seconds=grace_s,
        stop=stop,
    )
