"""Waiting for a coroutine, with and without a running event loop."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading

import pytest

from trueline.blocking import run_blocking


async def answer() -> tuple[int, str]:
    await asyncio.sleep(0)
    return 42, threading.current_thread().name


async def fail() -> None:
    raise LookupError("nothing there")


def test_without_an_event_loop_it_runs_in_this_thread() -> None:
    assert run_blocking(answer()) == (42, threading.current_thread().name)
    with pytest.raises(LookupError, match="nothing there"):
        run_blocking(fail())


def test_inside_a_running_event_loop_it_runs_in_another_thread() -> None:
    async def cell_of_a_notebook() -> tuple[int, str]:
        with pytest.raises(LookupError, match="nothing there"):
            run_blocking(fail())
        return run_blocking(answer())

    value, thread = asyncio.run(cell_of_a_notebook())
    assert value == 42
    assert thread != threading.current_thread().name


INTERRUPTED = """
import asyncio, signal
from trueline.blocking import run_blocking

# Started in the background of a shell, the tests and what they start ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

async def work():
    print("started", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        print("cleaned up", flush=True)

async def cell():
    try:
        run_blocking(work())
    except KeyboardInterrupt:
        print("interrupted", flush=True)

# As a notebook does: the interrupt is raised in the cell.
asyncio.new_event_loop().run_until_complete(cell())
"""


def test_ctrl_c_in_a_notebook_waits_for_the_cleanup() -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (out, process.returncode) == ("cleaned up\ninterrupted\n", 0)
