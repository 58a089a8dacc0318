"""What callers ask that cannot be: a typed error for them alone, whoever else uses the desktop goes on."""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.running import X_SOCKET
from trueline.desktop.types import DesktopError, DesktopUnavailable, PathRefused
from trueline.errors import InputError


def test_a_bad_request_disturbs_no_other(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def work() -> str:
        await desktop.run(("mkfifo", "gate"))
        other = asyncio.create_task(desktop.run(("sh", "-c", "read line < gate; echo $line")))
        for port in (70000, 0, -1):
            with pytest.raises(InputError, match="from 1 to 65535"):
                await desktop.connect(port=port)
        with pytest.raises(PathRefused):
            await desktop.put("a/" * 3000 + "f", b"")
        with pytest.raises(PathRefused):
            await desktop.put("a/" * 1500 + "f", b"")  # a path there could be, but deeper than Python makes folders
        # What is checked here first must not harm the agent either.
        answer = await desktop.running.sandbox.agent.ask({"op": "connect", "port": 70000})
        assert answer.message.errno is not None
        await desktop.run(("sh", "-c", "echo through > gate"))
        return (await other).text

    assert runner.run(asyncio.wait_for(work(), 60)) == "through\n"


def test_names_that_are_no_text(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def work() -> None:
        await desktop.put("odd\udcff", b"content")
        assert (await desktop.run(("sh", "-c", "ls | grep -a odd"))).stdout == b"odd\xff\n"
        assert await desktop.get("odd\udcff") == b"content"
        assert "odd\udcff" in {change.path for change in await desktop.diff()}
        assert (await desktop.run(("printf", "%s", "\udcff"))).stdout == b"\xff"
        with pytest.raises(DesktopError, match="cannot be started"):
            await desktop.run(("none\udcff",))
        with pytest.raises(PathRefused):
            await desktop.get("none\udcff")
        for argv, env in ((("echo", "\ud800"), {}), (("echo",), {"NAME": "\ud800"})):
            with pytest.raises(InputError, match="unpaired surrogate"):
                await desktop.run(argv, env=env)
        with pytest.raises(PathRefused, match="unpaired surrogate"):
            await desktop.get("a\ud800")

    runner.run(asyncio.wait_for(work(), 30))


@contextmanager
def no_descriptor_left() -> Generator[None]:
    free = os.dup(0)
    os.close(free)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_without_descriptors_the_errors_are_typed_and_it_goes_on(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def work() -> None:
        await desktop.run(("true",))
        open_before = set(os.listdir("/proc/self/fd"))
        with no_descriptor_left():
            for call in (desktop.run(("true",)), desktop.launch(("true",)), desktop.diff()):
                with pytest.raises(DesktopError, match="too many files open"):
                    await call
            with pytest.raises(DesktopError, match="ulimit"):
                await desktop.get("/etc/passwd")
            with pytest.raises(DesktopError, match="ulimit"):
                await desktop.running.sandbox.connect(path=X_SOCKET)
            with pytest.raises((DesktopError, DesktopUnavailable)):
                await LocalDesktop(LocalOptions(width=640, height=480)).start()
        assert set(os.listdir("/proc/self/fd")) == open_before
        assert (await desktop.run(("echo", "on"))).text == "on\n"

    runner.run(asyncio.wait_for(work(), 60))
