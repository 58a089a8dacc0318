"""How long models have been waited for in vain: what a server takes without answering is not the caller's time.

Whoever plays an episode opens a `Waiting`; every call that is made below it, in whatever task or thread, reports there.
A call that ends without an answer was waiting from its beginning; one that is answered was waiting until the attempt
that brought the answer began: failed attempts, pauses the server asked for, and the queue before it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from trueline.models.servers import Server

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Call:
    """A call that is under way."""

    model: str
    address: str
    since: float
    """In seconds of `time.monotonic`."""
    answered_in: float | None = None
    """Seconds of the attempt that was answered last."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> float:
        """How long it has been under way."""
        return time.monotonic() - self.since

    def __str__(self) -> str:
        """Return who is asked, and where."""
        return f"{self.model} at {self.address}" if self.address else self.model


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass
class Waiting:
    """The calls of one episode."""

    calls: list[Call] = field(default_factory=list[Call])
    """Those that are under way, the oldest first."""
    longest_answer_s: float = 0.0
    _lost: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    _going_on: asyncio.Event = field(default_factory=_set_event)

    def lost_s(self, since: float = 0.0) -> float:
        """Seconds since then in which some call was waited for in vain; calls at the same time count once."""
        total, end = 0.0, since
        for first, last in sorted(self._lost):
            total += max(0.0, last - max(first, end))
            end = max(end, last)
        return total

    async def answered(self, limit_s: float) -> bool:
        """Let the calls under way end, but let nobody go on with what they answer; whether all of them did answer."""
        self._going_on.clear()
        waited = tuple(self.calls)
        try:
            async with asyncio.timeout(limit_s):
                for call in waited:
                    await call.ended.wait()
        except TimeoutError:
            return False
        return all(call.answered_in is not None for call in waited)

    def release(self) -> None:
        """Let go on whoever was held back."""
        self._going_on.set()

    @asynccontextmanager
    async def call(self, call: Call) -> AsyncGenerator[Call]:
        """Report a call while the block runs."""
        self.calls.append(call)
        try:
            yield call
        except BaseException:
            call.answered_in = None
            raise
        finally:
            self.calls.remove(call)
            end = time.monotonic()
            self._lost.append((call.since, end - (call.answered_in or 0.0)))
            self.longest_answer_s = max(self.longest_answer_s, call.answered_in or 0.0)
            call.ended.set()
        # Whoever asked may be about to be ended, and must not act any more.
        await self._going_on.wait()


_CURRENT: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


@contextmanager
def observed() -> Generator[Waiting]:
    """Give the `Waiting` to which the calls in this block report: that of the block around it, or a new one."""
    waiting = _CURRENT.get()
    if waiting is not None:
        yield waiting
        return
    waiting = Waiting()
    token = _CURRENT.set(waiting)
    try:
        yield waiting
    finally:
        _CURRENT.reset(token)


@asynccontextmanager
async def under_way(model: str, address: str) -> AsyncGenerator[Call]:
    """A call to a model, reported to whoever observes it; its attempts set `answered_in`."""
    call = Call(model, address, time.monotonic())
    waiting = _CURRENT.get()
    if waiting is None:
        yield call
        return
    async with waiting.call(call):
        yield call


@contextmanager
def logged(call: Call, server: Server, every_s: float) -> Generator[None]:
    """Log again and again that an attempt gets no answer, unless an episode observes its calls and reports that.

    Args:
        call: The call that the attempt belongs to.
        server: Who is asked; of many attempts at the same time one is logged.
        every_s: How often.
    """
    if _CURRENT.get() is not None:
        yield
        return
    loop, began = asyncio.get_running_loop(), time.monotonic()

    def tell() -> None:
        nonlocal timer
        now = time.monotonic()
        if now - server.reported >= every_s / 2:
            server.reported = now
            log.warning("%s has not answered for %.0f s", call, now - began)
        timer = loop.call_later(every_s, tell)

    timer = loop.call_later(every_s, tell)
    try:
        yield
    finally:
        timer.cancel()
