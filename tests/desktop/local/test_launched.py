"""After an action that launches a program, settling waits for its window: what is typed next lands in it."""

from __future__ import annotations

import asyncio
import os

import pytest

from trueline.actions import Hotkey, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import ActionTimeout, FileExists, Settled, WindowShown

AS_IN_A_RUN = Settled(quiet=0.05)
HOG = ("sh", "-c", "while :; do :; done")
PATIENCE = 60.0


async def first_terminal(desktop: LocalDesktop) -> None:
    """The settings daemon takes its keys a moment after the desktop is up, and says nowhere when."""
    for number in range(20):
        await desktop.act(Hotkey(keys=("ctrl", "alt", "t")), id=f"first-{number}")
        try:
            await desktop.wait_for(WindowShown(app="xfce4-terminal"), time_limit=5)
        except ActionTimeout:
            continue
        return
    raise AssertionError("no terminal opens")


async def close_terminals(desktop: LocalDesktop) -> None:
    await desktop.run(("pkill", "-KILL", "-x", "xfce4-terminal"))
    async with asyncio.timeout(PATIENCE):
        while any(window.app == "xfce4-terminal" for window in await desktop.windows()):
            await desktop.settle(time_limit=PATIENCE)


async def landed(desktop: LocalDesktop, rounds: int) -> int:
    """How often what was typed after ctrl+alt+t reached the new terminal, while the processors have too much to do."""
    await first_terminal(desktop)
    await close_terminals(desktop)
    hogs = [await desktop.launch(HOG) for _ in range(2 * (os.cpu_count() or 1))]
    count = 0
    for number in range(rounds):
        await desktop.act(Hotkey(keys=("ctrl", "alt", "t")), id=f"open-{number}")
        await desktop.wait_for(AS_IN_A_RUN, time_limit=3.0)
        await desktop.act(Type(text=f"touch ~/landed-{number}\n"), id=f"type-{number}")
        try:
            await desktop.wait_for(FileExists(f"/home/user/landed-{number}"), time_limit=PATIENCE)
            count += 1
        except ActionTimeout:
            pass
        await close_terminals(desktop)
    await desktop.run(("kill", "-KILL", *map(str, hogs)))
    return count


@pytest.mark.full
def test_typing_after_a_launch_lands_in_the_new_window(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    assert runner.run(landed(desktop, 3)) == 3


@pytest.mark.proof
def test_50_of_50_land_in_the_terminal(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    assert runner.run(landed(desktop, 50)) == 50
