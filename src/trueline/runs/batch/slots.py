"""Where episodes play: so many places, and nobody plays while the model is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from trueline.models.errors import DeadlineError, ModelError
from trueline.runs.batch.types import BatchOptions


class Slots:
    """Calling it gives a place; whoever is set up waits for one."""

    def __init__(self, options: BatchOptions) -> None:
        """Open it with a place for each worker."""
        self.full = asyncio.Event()
        """All places were taken, or there is not enough work for all of them."""
        self._options = options
        self._places = asyncio.Semaphore(options.workers)
        self._outages = 0
        self._paused_until = 0.0
        self._away_since: float | None = None

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[None]:
        """A place to play, from when there is one."""
        async with self._places:
            if self._places.locked():
                self.full.set()
            await self.pause()
            try:
                yield
            except ModelError as error:
                if error.retryable or isinstance(error, DeadlineError):
                    # Before the place is free: who is ready would run into the same.
                    self.away()
                raise

    @property
    def away_for_all(self) -> bool:
        """Whether the model has answered nobody since the last outage but one."""
        return self._outages > 1

    @property
    def given_up(self) -> bool:
        """Whether it has been away for longer than anybody wants to wait."""
        since = self._away_since
        return since is not None and asyncio.get_running_loop().time() - since >= self._options.patience_s

    def away(self) -> float:
        """The model does not answer: pause all, the longer the more often in a row; how many seconds are left of it."""
        now = asyncio.get_running_loop().time()
        if self._paused_until <= now:
            wait = min(self._options.outage_s * 2**self._outages, self._options.longest_outage_s)
            self._outages += 1
            self._paused_until = now + wait
            self._away_since = now if self._away_since is None else self._away_since
        return self._paused_until - now

    def answered(self) -> None:
        """An episode has a score: the model is there."""
        self._outages, self._away_since = 0, None

    async def pause(self) -> None:
        """Wait until the pause is over; another outage during the wait makes it longer."""
        while True:
            left = self._paused_until - asyncio.get_running_loop().time()
            if left <= 0:
                return
            await asyncio.sleep(left)
