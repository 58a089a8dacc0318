"""An asynchronous context in a thread of its own, for commands that bring their own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def aside(context: AbstractAsyncContextManager[T]) -> Generator[T]:
    """Enter the context in another thread while the block runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        given = asyncio.run_coroutine_threadsafe(_enter(context), loop).result(120)
        try:
            yield given
        finally:
            asyncio.run_coroutine_threadsafe(_leave(context), loop).result(120)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _enter(context: AbstractAsyncContextManager[T]) -> T:
    return await context.__aenter__()


async def _leave(context: AbstractAsyncContextManager[T]) -> None:
    await context.__aexit__(None, None, None)
