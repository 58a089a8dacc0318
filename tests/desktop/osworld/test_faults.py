"""What the client makes of a network that fails: reads are asked again, whatever changes something is sent once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from support.desktop_service import Service
from support.fault_proxy import Fault, Proxy, faulty
from trueline.actions import Code, Move, Point, Type
from trueline.desktop.osworld import OSWorldDesktop, Patience
from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    Capability,
    DesktopError,
    DesktopLost,
    FileExists,
    NotSupported,
    Settled,
    WindowShown,
)
from trueline.records import ObservationSpec

QUICK = Patience(connect=5.0, read=20.0, tries=3, backoff=0.01)


@asynccontextmanager
async def through(service: Service) -> AsyncGenerator[tuple[OSWorldDesktop, Proxy]]:
    """The desktop through a proxy that can go wrong."""
    async with (
        faulty(service.port) as proxy,
        OSWorldDesktop(f"127.0.0.1:{proxy.port}", token=service.token, patience=QUICK) as desktop,
    ):
        proxy.reached.clear()
        yield desktop, proxy


READS: dict[str, tuple[str, Callable[[OSWorldDesktop], Awaitable[object]]]] = {
    "screenshot": ("/screenshot", lambda desktop: desktop.observe(ObservationSpec())),
    "tree": ("/accessibility", lambda desktop: desktop.observe(ObservationSpec(screenshot=False, tree=True))),
    "file": ("/file", lambda desktop: desktop.get("/etc/hostname")),
    "windows": ("/trueline/windows", lambda desktop: desktop.windows()),
    "diff": ("/trueline/diff", lambda desktop: desktop.diff()),
}


@pytest.mark.parametrize("fault", ["refuse", "error", "lose", "truncate"])
@pytest.mark.parametrize("read", READS)
def test_a_read_is_asked_again(runner: asyncio.Runner, service: Service, read: str, fault: Fault) -> None:
    path, ask = READS[read]

    async def work() -> None:
        async with through(service) as (desktop, proxy):
            wanted = await ask(desktop) if read in ("file", "windows", "diff") else None
            proxy.reached.clear()
            # The tree comes with the screen's size: both may meet the fault.
            proxy.faults = [fault, fault]
            got = await ask(desktop)
            assert proxy.faults == [] and proxy.reached[path] >= 1
            if wanted is not None:
                assert got == wanted

    runner.run(work())


def test_pictures_and_trees_that_make_no_sense_are_asked_for_again(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with through(service) as (desktop, proxy):
            for want in (ObservationSpec(), ObservationSpec(screenshot=False, tree=True)):
                proxy.faults = ["garbage", "garbage"]
                seen = await desktop.observe(want)
                assert (seen.screenshot is not None) == want.screenshot and (seen.tree is not None) == want.tree

    runner.run(work())


@pytest.mark.parametrize("fault", ["refuse", "error", "lose", "truncate", "garbage"])
def test_reads_are_given_up_with_a_typed_error(runner: asyncio.Runner, service: Service, fault: Fault) -> None:
    async def work() -> None:
        async with through(service) as (desktop, proxy):
            before = proxy.asked
            proxy.faults = [fault] * 10
            with pytest.raises(DesktopLost, match="/screenshot"):
                await desktop.observe(ObservationSpec())
            assert proxy.asked - before == QUICK.tries

    runner.run(work())


def test_a_silent_server_is_not_waited_for_for_ever(runner: asyncio.Runner, service: Service) -> None:
    patience = Patience(read=0.2, tries=2, backoff=0.01)

    async def work() -> None:
        async with (
            faulty(service.port) as proxy,
            OSWorldDesktop(f"127.0.0.1:{proxy.port}", token=service.token) as desktop,
            OSWorldDesktop(f"127.0.0.1:{proxy.port}", token=service.token, patience=QUICK) as quick,
        ):
            quick._connected._http._patience = patience
            proxy.faults = ["hang", "hang"]
            with pytest.raises(DesktopLost, match=r"no answer within 0\.2 s"):
                await quick.windows()
            assert await desktop.windows()

    runner.run(asyncio.wait_for(work(), 30))


@pytest.mark.parametrize(
    ("fault", "error", "reached"),
    [
        ("refuse", ActionInterrupted, 0),
        ("error", DesktopError, 0),
        ("lose", ActionInterrupted, 1),
        ("truncate", ActionInterrupted, 1),
        ("garbage", ActionInterrupted, 1),
    ],
)
def test_an_action_is_sent_once(
    runner: asyncio.Runner, service: Service, fault: Fault, error: type[DesktopError], reached: int
) -> None:
    async def work() -> None:
        async with through(service) as (desktop, proxy):
            await service.desktop.put("count", b"")
            proxy.faults = [fault]
            action = Code(source="open('/home/user/count', 'a').write('x')")
            for _ in range(2):  # asked again under the same id it says the same, and does nothing
                with pytest.raises(error):
                    await desktop.act(action, id="a")
            assert proxy.reached["/execute"] == reached
            assert await service.desktop.get("count") == b"x" * reached
            # The desktop goes on.
            assert (await desktop.act(Move(to=Point(1, 1)), id="b")).error is None

    runner.run(work())


@pytest.mark.parametrize(
    ("fault", "error"), [("error", DesktopError), ("lose", DesktopLost), ("truncate", DesktopLost)]
)
def test_setup_is_sent_once(runner: asyncio.Runner, service: Service, fault: Fault, error: type[DesktopError]) -> None:
    async def work() -> None:
        async with through(service) as (desktop, proxy):
            for attempt in (
                lambda: desktop.put("x", b"x"),
                lambda: desktop.launch(("true",)),
                lambda: desktop.run(("true",)),
            ):
                before = proxy.asked
                proxy.faults = [fault]
                with pytest.raises(error):
                    await attempt()
                assert proxy.asked - before == 1
            proxy.faults = [None, fault]  # it is asked first whether it is there
            proxy.reached.clear()
            with pytest.raises(error):
                await desktop.reset()
            assert proxy.reached["/trueline/reset"] <= 1

    runner.run(asyncio.wait_for(work(), 60))


def test_a_command_that_is_not_answered_in_time(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with through(service) as (desktop, proxy):
            proxy.faults = ["hang"]
            with pytest.raises(ActionTimeout, match="no answer within"):
                await desktop._connected.execute(("true",), -9.7)

    runner.run(asyncio.wait_for(work(), 30))


def test_a_server_that_is_not_ours(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with faulty(service.port) as proxy:
            proxy.hidden = "/trueline"
            async with OSWorldDesktop(f"127.0.0.1:{proxy.port}:9222:8006:8080", token=service.token) as desktop:
                # What the protocol itself has; DevTools, since the address names its port.
                assert desktop.capabilities == {Capability.RECORD, Capability.CDP}
                with pytest.raises(NotSupported, match="capabilities"):
                    await desktop.diff()
                with pytest.raises(NotSupported, match="revert it yourself, then rerun the same command"):
                    await desktop.reset()
                assert (await desktop.observe(ObservationSpec(tree=True))).tree is not None
                # A real pyautogui would type nothing here and say nothing.
                lost = await desktop.act(Type(text="日本"), id="lost")
                assert lost.error and "cannot type" in lost.error
                await desktop.launch(("sh", "-c", "exec xfce4-terminal --command 'sh -c \"head -1 > typed\"'"))
                await service.desktop.wait_for(WindowShown(app="terminal"), time_limit=20)
                await service.desktop.wait_for(Settled())
                if (await desktop.run(("sh", "-c", "command -v wmctrl"))).returncode:
                    with pytest.raises(NotSupported, match="wmctrl"):
                        await desktop.windows()
                else:
                    here = {window.id: window.title for window in await service.desktop.windows()}
                    assert {window.id: window.title for window in await desktop.windows()} == here
                assert (await desktop.act(Type(text="1 < 2 <\n"), id="type")).error is None
                await desktop.wait_for(FileExists("typed"))
                while not (content := await desktop.get("typed")):
                    pass
                assert content == b"1 < 2 <\n"

    runner.run(asyncio.wait_for(work(), 60))


def test_a_reset_waits_for_a_machine_that_comes_back_but_not_for_ever(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        async with through(service) as (desktop, proxy):
            proxy.faults = ["refuse"] * (QUICK.tries + 1)
            await desktop.reset()
            assert proxy.reached["/trueline/reset"] == 1
            desktop._patience = Patience(back=0.05)
            proxy.faults = ["refuse"] * 100
            with pytest.raises(DesktopLost, match=r"waited 0\.05 s"):
                await desktop.reset()
            assert proxy.reached["/trueline/reset"] == 1

    runner.run(asyncio.wait_for(work(), 60))


def test_nobody_there(runner: asyncio.Runner, service: Service) -> None:
    async def work(port: int) -> None:
        async with OSWorldDesktop(f"127.0.0.1:{port}", patience=QUICK):
            pass

    async def closed() -> int:
        async with faulty(service.port) as proxy:
            return proxy.port

    with pytest.raises(DesktopLost, match="cannot be reached"):
        runner.run(work(runner.run(closed())))
