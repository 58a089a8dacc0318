"""Rate limits of a provider: requests in flight and per minute, reduced on pushback, fair between callers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class ProviderLimits:
    """The limits of one process for one provider."""

    in_flight: int = 64
    """Requests at the same time."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


class Bucket:
    """A token bucket. The caller passes the time."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._most = per_minute
        self._left = per_minute or 0.0
        self._at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until this amount is there; more than the bucket can hold counts as all it holds."""
        if self._most is None:
            return 0.0
        self._left = min(self._most, self._left + (now - self._at) * self._most / 60)
        self._at = now
        # Float arithmetic may leave a hair missing after exactly the announced time.
        missing = min(amount, self._most) - self._left
        return missing * 60 / self._most if missing > 1e-9 else 0.0

    def take(self, amount: float) -> None:
        """Use it up; below zero is a debt that later requests wait for."""
        if self._most is not None:
            self._left -= amount


@dataclass
class Slot:
    """The right to send one request."""

    started: float
    tokens: float
    """Estimated before, corrected with what it really took."""
    pushed_back: bool = False
    retry_after_s: float = 0.0

    def push_back(self, retry_after_s: float | None) -> None:
        """Note that the provider asked to slow down."""
        self.pushed_back, self.retry_after_s = True, retry_after_s or 0.0


@dataclass
class _Waiter:
    future: asyncio.Future[None]
    tokens: float


class Limiter:
    """One provider's limits, shared by everything in this process that talks to it. For one event loop.

    Callers that wait take turns, so that one with a thousand requests does not keep out one with a single request.
    Pushback halves the number in flight (once per wave, not once per request of it); each success wins back a little.
    """

    def __init__(self, limits: ProviderLimits) -> None:
        self._most = max(1, limits.in_flight)
        self._window = float(self._most)
        self._active = 0
        self._paused_until = 0.0
        self._cut_at = float("-inf")
        self._limits = limits
        self._buckets: tuple[Bucket, Bucket] | None = None
        self._waiting: OrderedDict[str, deque[_Waiter]] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def window(self) -> int:
        """How many requests may be in flight now."""
        return int(self._window)

    @property
    def active(self) -> int:
        """How many requests are in flight."""
        return self._active

    @asynccontextmanager
    async def slot(self, caller: str = "", tokens: float = 0.0) -> AsyncGenerator[Slot]:
        """Wait for the right to send one request, and give it back at the end."""
        loop = asyncio.get_running_loop()
        waiter = _Waiter(loop.create_future(), tokens)
        self._waiting.setdefault(caller, deque()).append(waiter)
        self._admit()
        try:
            await waiter.future
        except asyncio.CancelledError:
            if waiter.future.done() and not waiter.future.cancelled():
                self._release()
            raise
        slot = Slot(loop.time(), tokens)
        try:
            yield slot
            if not slot.pushed_back:
                self._window = min(float(self._most), self._window + 1 / self._window)
        finally:
            self._settle(slot, tokens)
            self._release()

    def _settle(self, slot: Slot, estimated: float) -> None:
        if self._buckets:
            self._buckets[1].take(slot.tokens - estimated)
        if slot.pushed_back:
            now = asyncio.get_running_loop().time()
            self._paused_until = max(self._paused_until, now + slot.retry_after_s)
            if slot.started > self._cut_at:
                self._window = max(1.0, self._window / 2)
                self._cut_at = now

    def _release(self) -> None:
        self._active -= 1
        self._admit()

    def _admit(self) -> None:
        """Admit the waiters that may go now, and try again later for those that only have to wait for time."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._buckets is None:
            self._buckets = (
                Bucket(self._limits.requests_per_minute, now),
                Bucket(self._limits.tokens_per_minute, now),
            )
        requests, tokens = self._buckets
        while self._active < int(self._window) and (waiter := self._next()):
            wait = max(self._paused_until - now, requests.wait_s(1, now), tokens.wait_s(waiter.tokens, now))
            if wait > 0:
                if self._timer:
                    self._timer.cancel()
                self._timer = loop.call_later(wait, self._admit)
                return
            self._pop()
            requests.take(1)
            tokens.take(waiter.tokens)
            self._active += 1
            waiter.future.set_result(None)

    def _next(self) -> _Waiter | None:
        """The first waiter of the caller whose turn it is; those who gave up are dropped."""
        while self._waiting:
            caller, queue = next(iter(self._waiting.items()))
            while queue and queue[0].future.done():
                queue.popleft()
            if queue:
                return queue[0]
            del self._waiting[caller]
        return None

    def _pop(self) -> None:
        caller, queue = next(iter(self._waiting.items()))
        queue.popleft()
        self._waiting.move_to_end(caller)


class Limiters:
    """The limiters of a process: one for each provider and address."""

    def __init__(
        self, default: ProviderLimits | None = None, by_provider: Mapping[str, ProviderLimits] | None = None
    ) -> None:
        self._default = default or ProviderLimits()
        self._by_provider = by_provider or {}
        self._made: dict[tuple[str, str], Limiter] = {}

    def for_server(self, provider: str, url: str) -> Limiter:
        """Return the limiter of this server."""
        if (provider, url) not in self._made:
            self._made[provider, url] = Limiter(self._by_provider.get(provider, self._default))
        return self._made[provider, url]
