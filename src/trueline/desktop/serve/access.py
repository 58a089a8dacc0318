"""Access control."""

from __future__ import annotations

from collections.abc import Mapping

from trueline.desktop.serve.replies import Refused
from trueline.serving import Tokens
from trueline.serving.hosts import names_an_address


class Access:
    """With a token, its holders may call. Without one, every program that reaches the port, but no web page."""

    def __init__(self, token: str | None) -> None:
        """Take the token; `None` asks for none."""
        self._tokens = None if token is None else Tokens([token])

    def check(self, headers: Mapping[str, str]) -> None:
        """Let a request in by its headers (lower case).

        Raises:
            Refused: It may not call.
        """
        if self._tokens is None:
            _refuse_browsers(headers)
            return
        if self._tokens.owner(headers.get("authorization", "")) is None:
            raise Refused(401, "a valid bearer token is required", "unauthorized", {"www-authenticate": "Bearer"})


def _refuse_browsers(headers: Mapping[str, str]) -> None:
    """Any page that a person opens can send requests to loopback, under a name of its own that means loopback too."""
    if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
        raise Refused(403, "requests from web pages are not served without a token", "forbidden")
    if not names_an_address(headers.get("host", "")):
        raise Refused(403, "without a token, call the server by its IP address or as localhost", "forbidden")
