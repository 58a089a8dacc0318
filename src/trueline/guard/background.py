"""An event loop of its own thread, for callers that are not async.

A guard's connections belong to the loop that opened them, so a new loop for each call would break them.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")
_INTERRUPT_S = 0.1
"""Seconds after which Ctrl-C is noticed at the latest; a wait without a limit can miss one that comes just before."""

_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""By process id: a forked child inherits the loop but not its thread."""


class CallerThread:
    """The thread that waits for work on the shared background loop; the work can have functions called in it."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def wait(self, work: Coroutine[object, object, T]) -> T:
        """Run a coroutine on the background loop and wait for its result; an interrupt cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, _running_loop())
        future.add_done_callback(lambda _: self._calls.put(None))
        try:
            while (call := self._next()) is not None:
                call()
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def call(self, function: Callable[[], T]) -> T:
        """Call a function in the waiting thread: what it uses may belong to that thread."""
        answer: Future[T] = Future()

        def call() -> None:
            try:
                answer.set_result(function())
            except StopIteration as error:  # no future takes it
                answer.set_exception(RuntimeError(f"{function!r} raised StopIteration: {error}"))
            except Exception as error:
                answer.set_exception(error)

        self._calls.put(call)
        return await asyncio.wrap_future(answer)

    def _next(self) -> Callable[[], None] | None:
        while True:
            try:
                return self._calls.get(timeout=_INTERRUPT_S)
            except Empty:
                continue


def run_in_background(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine on the shared background loop and wait for its result.

    An interrupt of the waiting thread cancels the work.
    """
    return CallerThread().wait(work)


def _running_loop() -> asyncio.AbstractEventLoop:
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="trueline-guard", daemon=True).start()
        return loop
