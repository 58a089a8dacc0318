"""Rate limits."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]


class RateLimit:
    """A number of requests per minute for each owner; bursts may use a quarter of it at once."""

    def __init__(self, per_minute: float, clock: Clock = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = max(1.0, per_minute / 4)
        self._clock = clock
        self._left: dict[int, tuple[float, float]] = {}
        """Owner to what is left, and when that was."""

    def wait(self, owner: int) -> float:
        """Take one request; return 0 when it may go, else the seconds after which to try again."""
        now = self._clock()
        left, then = self._left.get(owner, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        if left < 1:
            self._left[owner] = (left, now)
            return (1 - left) / self._per_second
        self._left[owner] = (left - 1, now)
        return 0.0
