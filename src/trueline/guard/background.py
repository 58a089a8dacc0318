"""An event loop of its own thread, for callers that are not async.

A guard's connections belong to the loop that opened them, so a new loop for each call would break them.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""By process id: a forked child inherits the loop but not its thread."""


def run_in_background(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine on the shared background loop and wait for its result.

    An interrupt of the waiting thread cancels the work.
    """
    future = asyncio.run_coroutine_threadsafe(work, _running_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _running_loop() -> asyncio.AbstractEventLoop:
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="trueline-guard", daemon=True).start()
        return loop
