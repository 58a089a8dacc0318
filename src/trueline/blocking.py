"""Wait for a coroutine in code that is not async, also where an event loop runs already, as in a notebook."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
_LOOK_UP_S = 0.1
"""Python notices a signal that comes just before a wait only after it."""


def run_blocking(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end and return its result.

    Where this thread has a running event loop, the coroutine gets a thread and a loop of its own. Ctrl-C cancels it;
    the interrupt is raised once the coroutine has cleaned up.
    """
    if not _in_event_loop():
        return asyncio.run(work)
    loop = asyncio.new_event_loop()
    task: asyncio.Task[T] = loop.create_task(work)

    def serve() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(task.cancel)

    thread = threading.Thread(target=serve, name="trueline")
    with _ctrl_c(cancel):
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_UP_S)
    return task.result()


@contextmanager
def _ctrl_c(handle: Callable[[], None]) -> Generator[None]:
    """Have Ctrl-C call `handle`, and raise KeyboardInterrupt at the end.

    Raised in the middle of the block it could leave a lock of `threading` held for ever.
    """
    own = threading.current_thread() is threading.main_thread()
    if not own or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    interrupted = False

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        handle()

    signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if interrupted:
        raise KeyboardInterrupt


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
