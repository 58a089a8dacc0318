"""The slots in which episodes run: a limited number, all paused while the model is unreachable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from trueline.models.errors import DeadlineError, ModelError
from trueline.runs.batch.types import BatchOptions


class Slots:
    """Hands out slots: call it to wait for one."""

    def __init__(self, options: BatchOptions) -> None:
        """Make one slot for each worker."""
        self.full = asyncio.Event()
        """Set once all slots were taken, or there is too little work for all."""
        self._options = options
        self._places = asyncio.Semaphore(options.workers)
        self._outages = 0
        self._paused_until = 0.0
        self._away_since: float | None = None

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[None]:
        """Wait for a slot and hold it while the block runs."""
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
        """Whether the model has answered no episode since the last but one outage."""
        return self._outages > 1

    @property
    def given_up(self) -> bool:
        """Whether the model has been unreachable for longer than `patience_s`."""
        since = self._away_since
        return since is not None and asyncio.get_running_loop().time() - since >= self._options.patience_s

    def away(self) -> float:
        """Pause all slots after an outage, longer with each one in a row; returns the seconds left."""
        now = asyncio.get_running_loop().time()
        if self._paused_until <= now:
            wait = min(self._options.outage_s * 2**self._outages, self._options.longest_outage_s)
            self._outages += 1
            self._paused_until = now + wait
            self._away_since = now if self._away_since is None else self._away_since
        return self._paused_until - now

    def answered(self) -> None:
        """Note that an episode was scored, so the model answers."""
        self._outages, self._away_since = 0, None

    async def pause(self) -> None:
        """Wait until the pause is over; another outage meanwhile extends it."""
        while True:
            left = self._paused_until - asyncio.get_running_loop().time()
            if left <= 0:
                return
            await asyncio.sleep(left)
