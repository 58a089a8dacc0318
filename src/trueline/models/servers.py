"""The state of the servers that a program talks to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Server:
    """One server."""

    answered: bool = False
    """Whether it ever responded, even with an error: if it is unreachable later, that is an outage."""
    reported: float = float("-inf")
    """When the log last said that it does not answer, in seconds of `time.monotonic`."""


class Servers:
    """The servers of a program, by provider and address."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Server] = {}

    def for_server(self, provider: str, url: str) -> Server:
        """Return the state of this server, one object for all callers."""
        return self._known.setdefault((provider, url), Server())
