"""Keyboard shortcuts that every desktop has."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from trueline.actions import Hotkey
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import ActionTimeout, Window, WindowShown


def test_ctrl_alt_t_opens_a_terminal(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def press() -> Window | None:
        # The settings daemon takes its keys a moment after the desktop is up, and says nowhere when.
        for number in range(10):
            await desktop.act(Hotkey(keys=("ctrl", "alt", "t")), id=str(number))
            with suppress(ActionTimeout):
                return await desktop.wait_for(WindowShown(app="xfce4-terminal"), time_limit=5)
        return None

    assert runner.run(press()) is not None
