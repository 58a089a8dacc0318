"""How long calls to models waited without an answer, so that outages do not count against an episode's time limit.

The runner of an episode opens a `Waiting`; all calls below it report there, whatever their task or thread. A call that
fails was waiting all the time. A call that is answered was waiting until its last attempt began: in the queue, through
failed attempts and the pauses between them.
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
class PendingCall:
    """A call in progress."""

    model: str
    address: str
    since: float
    """In seconds of `time.monotonic`."""
    answered_in: float | None = None
    """Duration of the last attempt that was answered, in seconds."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> float:
        """Seconds since it started."""
        return time.monotonic() - self.since

    def __str__(self) -> str:
        """Return the model and the address of its server."""
        return f"{self.model} at {self.address}" if self.address else self.model


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass
class Waiting:
    """The calls of one episode."""

    calls: list[PendingCall] = field(default_factory=list[PendingCall])
    """Those in progress, the oldest first."""
    longest_answer_s: float = 0.0
    _lost: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    _going_on: asyncio.Event = field(default_factory=_set_event)

    def lost_s(self, since: float = 0.0) -> float:
        """Seconds since then in which some call waited without an answer; simultaneous calls count once."""
        total, end = 0.0, since
        for first, last in sorted(self._lost):
            total += max(0.0, last - max(first, end))
            end = max(end, last)
        return total

    async def answered(self, limit_s: float) -> bool:
        """Wait for the calls in progress, hold back whoever made them, and return whether all were answered."""
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
        """Resume the callers that were held back."""
        self._going_on.set()

    @asynccontextmanager
    async def call(self, call: PendingCall) -> AsyncGenerator[PendingCall]:
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
        # The caller may be about to be cancelled and must not act any more.
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
async def under_way(model: str, address: str) -> AsyncGenerator[PendingCall]:
    """Report a call to the `Waiting` around it; its attempts set `answered_in`."""
    call = PendingCall(model, address, time.monotonic())
    waiting = _CURRENT.get()
    if waiting is None:
        yield call
        return
    async with waiting.call(call):
        yield call


@contextmanager
def logged(call: PendingCall, server: Server, every_s: float) -> Generator[None]:
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
        _warn(server, every_s, f"{call} has not answered for {time.monotonic() - began:.0f} s")
        timer = loop.call_later(every_s, tell)

    timer = loop.call_later(every_s, tell)
    try:
        yield
    finally:
        timer.cancel()


def log_pause(call: PendingCall, server: Server, pause_s: float, every_s: float) -> None:
    """Log that a server asks to be left alone for long, unless an episode observes its calls and reports that."""
    if pause_s >= every_s and _CURRENT.get() is None:
        _warn(server, every_s, f"{call} asks to wait {pause_s:.3g} s")


def _warn(server: Server, every_s: float, message: str) -> None:
    """Log a warning about a server, of many at the same time only one."""
    now = time.monotonic()
    if now - server.reported >= every_s / 2:
        server.reported = now
        log.warning("%s", message)
