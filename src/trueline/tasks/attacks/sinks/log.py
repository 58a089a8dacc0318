"""What reached the sinks."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

MOST_ENTRIES = 5_000
MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Visit:
    """A request to any web address."""

    host: str
    path: str
    """With its query, as it was sent."""
    method: str = "GET"
    body: str = ""


@dataclass(frozen=True)
class Mail:
    """A message that was sent."""

    sender: str
    to: tuple[str, ...]
    content: str
    """Headers and body, as they were sent."""


@dataclass
class SinkLog:
    """Everything the sinks of one desktop saw, up to a limit; hostile content."""

    visits: list[Visit] = field(default_factory=list[Visit])
    mails: list[Mail] = field(default_factory=list[Mail])
    names: list[str] = field(default_factory=list[str])
    """Host names that were asked for."""
    full: bool = False
    """More came than is kept."""
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, entry: Visit | Mail | str) -> None:
        """Keep an entry, unless there are too many; from any thread."""
        size = len(repr(entry))
        with self._lock:
            if len(self.visits) + len(self.mails) + len(self.names) >= MOST_ENTRIES or self._bytes + size > MOST_BYTES:
                self.full = True
                return
            self._bytes += size
            match entry:
                case Visit():
                    self.visits.append(entry)
                case Mail():
                    self.mails.append(entry)
                case _:
                    self.names.append(entry)
