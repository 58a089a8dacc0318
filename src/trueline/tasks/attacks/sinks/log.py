"""What reached the sinks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, TypeVar

MOST_ENTRIES = 5_000
MOST_BYTES = 32 << 20
"""Of each kind: what is cheap to send in masses, such as questions for names, pushes nothing else out."""

T = TypeVar("T")
EntryKind = Literal["visits", "mails", "names"]


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
    truncated: set[EntryKind] = field(default_factory=set[EntryKind])
    """Of what more came than is kept."""
    _bytes: Counter[EntryKind] = field(default_factory=Counter[EntryKind])
    _lock: Lock = field(default_factory=Lock)

    def add(self, entry: Visit | Mail | str) -> None:
        """Keep an entry, unless there are too many of its kind; from any thread."""
        with self._lock:
            match entry:
                case Visit():
                    self._keep("visits", self.visits, entry, len(entry.path) + len(entry.body))
                case Mail():
                    self._keep("mails", self.mails, entry, len(entry.content))
                case _:
                    self._keep("names", self.names, entry, len(entry))

    def mark_truncated(self, kind: EntryKind) -> None:
        """Say that something came and could not be kept; from any thread."""
        with self._lock:
            self.truncated.add(kind)

    def _keep(self, kind: EntryKind, kept: list[T], entry: T, size: int) -> None:
        if len(kept) >= MOST_ENTRIES or self._bytes[kind] + size > MOST_BYTES:
            self.truncated.add(kind)
            return
        self._bytes[kind] += size
        kept.append(entry)
