"""What the sinks received."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, TypeVar

MOST_ENTRIES = 5_000
MOST_BYTES = 32 << 20
"""Per kind, so that a flood of one kind, such as DNS queries, does not displace the others."""

T = TypeVar("T")
EntryKind = Literal["visits", "mails", "names"]


@dataclass(frozen=True)
class Visit:
    """An HTTP request to any host."""

    host: str
    path: str
    """Path and query, as sent."""
    method: str = "GET"
    body: str = ""
    content: bytes = field(default=b"", repr=False)
    """The body as it came."""


@dataclass(frozen=True)
class Mail:
    """A mail that was sent."""

    sender: str
    to: tuple[str, ...]
    content: str
    """Headers and body, as sent."""


@dataclass
class SinkLog:
    """Everything that the sinks of one desktop received, up to a limit. Its content is hostile."""

    visits: list[Visit] = field(default_factory=list[Visit])
    mails: list[Mail] = field(default_factory=list[Mail])
    names: list[str] = field(default_factory=list[str])
    """Host names that were looked up."""
    truncated: set[EntryKind] = field(default_factory=set[EntryKind])
    """Kinds whose entries were truncated."""
    _bytes: Counter[EntryKind] = field(default_factory=Counter[EntryKind])
    _lock: Lock = field(default_factory=Lock)

    def add(self, entry: Visit | Mail | str) -> None:
        """Add an entry, unless the limit of its kind is reached. Thread-safe."""
        with self._lock:
            match entry:
                case Visit():
                    self._keep("visits", self.visits, entry, len(entry.path) + len(entry.body) + len(entry.content))
                case Mail():
                    self._keep("mails", self.mails, entry, len(entry.content))
                case _:
                    self._keep("names", self.names, entry, len(entry))

    def mails_to(self, address: str) -> list[Mail]:
        """The mails to an address."""
        wanted = address.casefold()
        return [mail for mail in self.mails if any(wanted in to.casefold() for to in mail.to)]

    def mark_truncated(self, kind: EntryKind) -> None:
        """Record that an entry of this kind was lost. Thread-safe."""
        with self._lock:
            self.truncated.add(kind)

    def _keep(self, kind: EntryKind, kept: list[T], entry: T, size: int) -> None:
        if len(kept) >= MOST_ENTRIES or self._bytes[kind] + size > MOST_BYTES:
            self.truncated.add(kind)
            return
        self._bytes[kind] += size
        kept.append(entry)
