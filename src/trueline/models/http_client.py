"""What the official clients share: the HTTP library below them. Importing this imports that library."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx2

from trueline.models.keys import Redactor

CONNECT_S = 15.0
TIMEOUT = httpx2.Timeout(None, connect=CONNECT_S)
"""Only connecting has a limit of its own; how long an attempt may take is the business of whoever asks."""
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


def direct_client(url: str) -> httpx2.AsyncClient | None:
    """Return an HTTP client for a server on this machine, or None to let the official client make its own.

    A proxy that the environment names for the network must not stand between this machine and itself.
    """
    if urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1"):
        return None
    return httpx2.AsyncClient(trust_env=False, timeout=TIMEOUT, limits=_LIMITS)


def connection_failed(error: Exception, redactor: Redactor) -> str:
    """Say in one line what did not answer, and where."""
    cause = error.__cause__ or error
    request: object = getattr(error, "request", None)
    place = f" to {request.url.copy_with(query=None, userinfo=b'')}" if isinstance(request, httpx2.Request) else ""
    hint = "; is the server running?" if isinstance(cause, httpx2.ConnectError) else ""
    return redactor.clean(f"the connection{place} failed ({cause!r}){hint}")
