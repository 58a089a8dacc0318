"""Wait for a coroutine in code that is not async, also where an event loop runs already, as in a notebook."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
_INTERRUPT_S = 0.1
"""Seconds after which Ctrl-C is noticed at the latest."""


def run_blocking(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end and return its result.

    Where this thread has a running event loop, the coroutine gets a thread and a loop of its own. Ctrl-C cancels it;
    the interrupt is raised once the coroutine has cleaned up.
    """
    if not _in_event_loop():
        return asyncio.run(work)
    loop = asyncio.new_event_loop()
    task: asyncio.Task[T] = loop.create_task(work)
    ended = False
    running = threading.Lock()
    running.acquire()

    def serve() -> None:
        nonlocal ended
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()
            ended = True
            running.release()

    def wait() -> None:
        # Ctrl-C is only noticed between two waits if it comes just before one; and interrupting `Thread.join` or
        # `Event.wait` may leave them in a wrong state (Python 3.11).
        while not ended:
            running.acquire(timeout=_INTERRUPT_S)

    try:
        threading.Thread(target=serve, name="trueline").start()
        wait()
    except KeyboardInterrupt:
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(task.cancel)
        wait()
        raise
    return task.result()


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
