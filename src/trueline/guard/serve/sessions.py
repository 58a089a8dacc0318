"""The sessions that are open, each visible to its owner only."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from trueline.guard.serve.errors import ApiError
from trueline.guard.serve.limits import Clock
from trueline.guard.session import Session


@dataclass(frozen=True)
class OpenSession:
    """A session and the screen sizes its owner declared."""

    session: Session
    screen: tuple[int, int] | None = None
    display: tuple[int, int] | None = None


class SessionStore:
    """Sessions by owner and id, the least recently used first."""

    def __init__(self, per_owner: int, idle_s: float, clock: Clock = time.monotonic) -> None:
        self._per_owner = per_owner
        self._idle_s = idle_s
        self._clock = clock
        self._held: dict[int, OrderedDict[str, tuple[OpenSession, float]]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many are open."""
        for owner in self._held:
            self._expire(owner)
        return sum(map(len, self._held.values()))

    def add(self, owner: int, make: Callable[[], OpenSession]) -> OpenSession:
        """Open a session.

        Raises:
            ApiError: The owner has too many.
        """
        self._expire(owner)
        held = self._held.setdefault(owner, OrderedDict())
        if len(held) >= self._per_owner:
            raise ApiError(
                "too_many_sessions", f"{self._per_owner} sessions are open; end one, or wait until it expires"
            )
        opened = make()
        held[opened.session.id] = (opened, self._clock())
        return opened

    def get(self, owner: int, id: str) -> OpenSession:
        """Return a session of the owner and mark it as used.

        Raises:
            ApiError: The owner has no such session. Those of others are not told from those that never were.
        """
        self._expire(owner)
        held = self._held.get(owner, OrderedDict())
        if id not in held:
            raise ApiError("not_found", "unknown session; it may have expired", field="session")
        opened, _ = held[id]
        held[id] = (opened, self._clock())
        held.move_to_end(id)
        return opened

    def end(self, owner: int, id: str) -> None:
        """End a session."""
        self._drop(self.get(owner, id))
        del self._held[owner][id]

    def _expire(self, owner: int) -> None:
        held = self._held.get(owner)
        while held:
            id, (opened, used) = next(iter(held.items()))
            if self._clock() - used <= self._idle_s:
                break
            self._drop(opened)
            del held[id]

    def _drop(self, opened: OpenSession) -> None:
        task = asyncio.ensure_future(opened.session.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
