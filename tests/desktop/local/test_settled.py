"""When a real desktop has come to rest, with things on it that never do."""

from __future__ import annotations

import asyncio

import pytest

from support.windows import open_window
from trueline.actions import Hotkey, Key, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import Settled, WindowShown

PATIENCE = 30.0
LONGER_THAN_A_BLINK = Settled(quiet=1.3)
"""Nothing that blinks would ever be quiet for so long."""
RESTLESS = {
    "a caret": "while :; do printf '\\r#'; sleep 0.5; printf '\\r '; sleep 0.5; done",
    "a clock": "while :; do printf '\\r%s' $(date +%T); sleep 1; done",
    "an animation": "while :; do for c in a b c d e f; do printf '\\r%s' $c; sleep 0.04; done; done",
}


def test_typing_and_a_dialog_are_waited_for(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def work() -> None:
        pid = await open_window(desktop, ("mousepad",), "mousepad", PATIENCE)
        assert (await desktop.settle(time_limit=PATIENCE)).settled
        known = len(await desktop.windows())
        await desktop.act(Type(text="hello"), id="settle-type")
        typed = await desktop.settle(time_limit=PATIENCE)
        assert typed.settled
        await desktop.act(Hotkey(keys=("ctrl", "o")), id="settle-open")
        await desktop.wait_for(WindowShown("Open"), time_limit=PATIENCE)
        opened = await desktop.settle(time_limit=PATIENCE)
        assert opened.settled and len(await desktop.windows()) == known + 1
        await desktop.act(Key(key="esc"), id="settle-close")
        assert (await desktop.settle(Settled(quiet=0.5), time_limit=PATIENCE)).settled
        assert len(await desktop.windows()) == known
        await desktop.run(("kill", "-KILL", str(pid)))

    runner.run(work())


@pytest.mark.parametrize("what", RESTLESS)
@pytest.mark.full
def test_what_never_rests_does_not_hold_it(runner: asyncio.Runner, desktop: LocalDesktop, what: str) -> None:
    async def work() -> None:
        argv = ("xfce4-terminal", "--disable-server", "-T", what, "-x", "sh", "-c", RESTLESS[what])
        pid = await desktop.launch(argv)
        await desktop.wait_for(WindowShown(what), time_limit=PATIENCE)
        end = await desktop.settle(LONGER_THAN_A_BLINK, time_limit=PATIENCE)
        assert end.settled
        await desktop.run(("kill", "-KILL", str(pid)))

    runner.run(work())


def test_a_real_caret_does_not_hold_it(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def work() -> None:
        await desktop.run(("xfconf-query", "-c", "xsettings", "-p", "/Net/CursorBlink", "-s", "true"))
        pid = await open_window(desktop, ("mousepad",), "mousepad", PATIENCE)
        assert (await desktop.settle(LONGER_THAN_A_BLINK, time_limit=PATIENCE)).settled
        await desktop.run(("kill", "-KILL", str(pid)))

    runner.run(work())


def test_what_changes_everywhere_ends_at_the_limit(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def work() -> None:
        endless = "while :; do head -c 3000 /dev/urandom | base64; done"
        pid = await desktop.launch(
            ("xfce4-terminal", "--disable-server", "-T", "ENDLESS", "--maximize", "-x", "sh", "-c", endless)
        )
        await desktop.wait_for(WindowShown("ENDLESS"), time_limit=PATIENCE)
        while (await desktop.settle(time_limit=2.0)).settled:
            pass  # its first line is not there yet
        await desktop.run(("kill", "-KILL", str(pid)))

    runner.run(asyncio.wait_for(work(), PATIENCE))
