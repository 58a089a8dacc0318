"""The HTTP client below the official clients. Importing this imports the HTTP library."""

from __future__ import annotations

import ssl
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx2

from trueline.models.errors import ConnectionLostError, MalformedResponseError, ModelError, UnreachableError
from trueline.models.keys import Redactor

CONNECT_S = 15.0
TIMEOUT = httpx2.Timeout(None, connect=CONNECT_S)
"""Only connecting has a limit of its own; the caller limits the attempt."""
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


LARGEST_RESPONSE = 64 * 1024 * 1024
"""Bytes of a response's body once it is unpacked; no answer is nearly as long."""
_PACKING = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class CappedClient(httpx2.AsyncClient):
    """A client that stops reading a response that grows too large: a small packed body may unpack to any size."""

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request and read the whole response, unless it is to be streamed.

        Raises:
            MalformedResponseError: the response is larger than `LARGEST_RESPONSE`.
        """
        response = await super().send(request, stream=True, **options)
        if stream:
            return response
        body = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > LARGEST_RESPONSE:
                    raise MalformedResponseError(f"the response is larger than {LARGEST_RESPONSE >> 20} MiB")
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=[(name, value) for name, value in response.headers.multi_items() if name not in _PACKING],
            content=bytes(body),
            request=response.request,
            extensions=response.extensions,
            history=response.history,
        )


def http_client(url: str, remote: type[CappedClient]) -> CappedClient:
    """Return an HTTP client for a server: on this machine a direct one, elsewhere one with the official defaults.

    A proxy that the environment names for the network must not stand between this machine and itself.
    """
    if urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1"):
        return remote(timeout=TIMEOUT)
    return CappedClient(trust_env=False, timeout=TIMEOUT, limits=_LIMITS, verify=_certificates())


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The authorities that are trusted, read once for all models on this machine."""
    return httpx2.create_ssl_context(trust_env=False)


def connection_failed(error: Exception, redactor: Redactor) -> ModelError:
    """Describe a failed connection; a response that was abandoned for its size is not one."""
    cause = error.__cause__ or error
    if isinstance(cause, MalformedResponseError):
        return MalformedResponseError(str(cause))
    request: object = getattr(error, "request", None)
    place = f" to {request.url.copy_with(query=None, userinfo=b'')}" if isinstance(request, httpx2.Request) else ""
    words = redactor.clean(f"the connection{place} failed ({cause!r})")
    unmade = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError)
    return UnreachableError(f"{words}; is the server running?") if unmade else ConnectionLostError(words)
