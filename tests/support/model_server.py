"""A model server in a thread of its own, for commands that bring their own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from trueline.models.testing import FakeServer, Play
from trueline.models.testing.server import Seen


@contextmanager
def model_server(*plays: Play, default: Play | Callable[[Seen], Play]) -> Generator[FakeServer]:
    """Serve while the block runs; `url` is that of the OpenAI protocol with `/v1`."""
    server = FakeServer(*plays, default=default)
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    ready = threading.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
