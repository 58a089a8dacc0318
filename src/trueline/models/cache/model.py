"""A model whose answers are cached."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass

from trueline.models.cache.cache import Cache
from trueline.models.cache.file import CacheError
from trueline.models.cache.key import cache_key, may_cache, worth_keeping
from trueline.models.errors import BudgetSpentError, DeadlineError
from trueline.models.types import Answer, Model, ModelId, Request

log = logging.getLogger(__name__)


@dataclass
class _InFlight:
    """A question that is being asked, and how many wait for its answer."""

    task: asyncio.Task[tuple[Answer, bool]]
    terms: tuple[str, float | None]
    """The episode that is charged and the deadline: errors caused by these concern only callers with the same ones."""
    waiting: int = 0


class CachedModel:
    """Answers from the cache where the purpose allows it, else asks the inner model and keeps what it says.

    The same question asked again while its answer is on the way is not sent twice. A remembered answer says
    `cached`; its usage keeps the tokens of the original, with `calls` 0 and `cost` 0.0: nothing was sent or paid now.
    """

    def __init__(self, inner: Model, cache: Cache) -> None:
        self._inner = inner
        self._cache = cache
        self._flights: dict[bytes, _InFlight] = {}

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        return self._inner.id

    async def ask(self, request: Request) -> Answer:
        """Answer the request or raise a `ModelError`; a cache that cannot be read is a `CacheError`."""
        if not may_cache(request):
            return await self._inner.ask(request)
        began = time.perf_counter()
        answer, ours = await self._ask_once(cache_key(self.id, request), request)
        return answer if ours else _remembered(answer, time.perf_counter() - began)

    async def close(self) -> None:
        """Close the inner model; the cache belongs to whoever made it."""
        await self._inner.close()

    async def _ask_once(self, key: bytes, request: Request) -> tuple[Answer, bool]:
        """Return the answer, and whether it was asked for now by this caller."""
        began = time.perf_counter()
        terms = (request.episode, request.deadline_s)
        while True:
            flight = self._flights.get(key)
            leads = flight is None
            if flight is None:
                flight = _InFlight(asyncio.create_task(self._fetch(key, _with_rest(request, began))), terms)
                self._flights[key] = flight
            try:
                # Who leads has the deadline inside the request; who joins brings another one.
                async with asyncio.timeout(None if leads else _rest_s(request, began)):
                    answer, kept = await self._wait(key, flight)
                return answer, leads and not kept
            except TimeoutError:
                raise DeadlineError(f"no answer from {self.id} within {request.deadline_s} s") from None
            except (BudgetSpentError, DeadlineError):
                if flight.terms == terms:
                    raise

    async def _wait(self, key: bytes, flight: _InFlight) -> tuple[Answer, bool]:
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            # One who gives up does not take the answer from the others; the last one ends the question.
            if flight.waiting == 0 or flight.task.done():
                flight.task.cancel()
                if self._flights.get(key) is flight:
                    del self._flights[key]

    async def _fetch(self, key: bytes, request: Request) -> tuple[Answer, bool]:
        """Return the answer, and whether it was in the cache."""
        kept = await self._cache.get(key)
        if kept is not None:
            return kept, True
        answer = await self._inner.ask(request)
        if worth_keeping(request, answer):
            try:
                await self._cache.put(key, answer, model=self.id, purpose=request.purpose)
            except (CacheError, ValueError) as e:
                # The answer is paid for: it is given even when it cannot be kept.
                log.warning("an answer of %s was not kept: %s", self.id, e)
        return answer, False


def _rest_s(request: Request, began: float) -> float | None:
    """Return how much of the deadline is left."""
    return None if request.deadline_s is None else request.deadline_s - (time.perf_counter() - began)


def _with_rest(request: Request, began: float) -> Request:
    rest = _rest_s(request, began)
    return request if rest is None else request.model_copy(update={"deadline_s": max(rest, 0.001)})


def _remembered(answer: Answer, latency_s: float) -> Answer:
    usage = answer.usage.model_copy(update={"calls": 0, "cost": 0.0})
    return answer.model_copy(update={"cached": True, "usage": usage, "latency_s": latency_s, "attempts": 0})
