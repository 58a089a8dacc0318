"""What a program knows of the servers that it asks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Server:
    """One server."""

    answered: bool = False
    """Whether it ever gave a response, be it an error: then it is there, and being away is an outage."""
    reported: float = float("-inf")
    """When the log last said that it does not answer, in seconds of `time.monotonic`."""


class Servers:
    """The servers of a program, by provider and address."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Server] = {}

    def of(self, provider: str, url: str) -> Server:
        """Return what is known of this server; all who ask get the same object."""
        return self._known.setdefault((provider, url), Server())
