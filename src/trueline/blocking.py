"""Wait for a coroutine in code that is not async, also where an event loop runs already, as in a notebook."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def run_blocking(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end and return its result.

    Where this thread has a running event loop, the coroutine gets a thread and a loop of its own. Ctrl-C cancels it;
    the interrupt is raised once the coroutine has cleaned up.
    """
    if not _in_event_loop():
        return asyncio.run(work)
    loop = asyncio.new_event_loop()
    task: asyncio.Task[T] = loop.create_task(work)
    ended = threading.Event()

    def serve() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()
            ended.set()

    try:
        threading.Thread(target=serve, name="trueline").start()
        # Not `join`: where Ctrl-C interrupts it, Python 3.11 takes the thread for ended.
        ended.wait()
    except KeyboardInterrupt:
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(task.cancel)
        ended.wait()
        raise
    return task.result()


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
