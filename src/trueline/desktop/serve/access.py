"""Who may call."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping

from trueline.desktop.serve.replies import Refused
from trueline.errors import InputError

MIN_TOKEN = 16


class Access:
    """With a token, whoever holds it may call. Without one, every program that reaches the port, but no web page."""

    def __init__(self, token: str | None) -> None:
        """Keep the token's digest; `None` asks for none."""
        if token is not None and (
            len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable() or " " in token
        ):
            raise InputError(f"token: at least {MIN_TOKEN} printable ASCII characters without spaces")
        self._digest = None if token is None else _digest(token)

    def check(self, headers: Mapping[str, str]) -> None:
        """Let a request in by its headers (lower case).

        Raises:
            Refused: It may not call.
        """
        if self._digest is None:
            _refuse_browsers(headers)
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if not hmac.compare_digest(_digest(token.strip()), self._digest) or scheme.lower() != "bearer":
            raise Refused(401, "a valid bearer token is needed", "unauthorized", {"www-authenticate": "Bearer"})


def _refuse_browsers(headers: Mapping[str, str]) -> None:
    """Any page that a person opens can send requests to loopback, under a name of its own that means loopback too."""
    if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
        raise Refused(403, "requests from web pages are not served without a token", "forbidden")
    if not _is_address(headers.get("host", "")):
        raise Refused(403, "without a token the server is called by its address or as localhost", "forbidden")


def _is_address(host: str) -> bool:
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
