"""Open a desktop from Python: a local one, or any machine that speaks OSWorld's protocol."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Literal

from trueline.desktop.types import Desktop
from trueline.extras import require_extra


@asynccontextmanager
async def open_desktop(
    machine: str | None = None,
    *,
    width: int = 1920,
    height: int = 1080,
    network: Literal["none", "open"] = "none",
    root: bool = False,
    password: str = "password",  # noqa: S107 - OSWorld's, which its tasks and everybody know
) -> AsyncGenerator[Desktop]:
    """Open a fresh desktop; it is taken down when the block ends.

    Args:
        machine: `host:port` of a machine that runs OSWorld's server; without one, a local desktop is started. The
            other arguments are about local desktops.
        width: Of the screen, in pixels.
        height: Of the screen, in pixels.
        network: `none` keeps everything on the desktop, `open` lets it reach the internet but nothing of this machine.
        root: Whether `sudo` makes its command root of the desktop; otherwise it runs without privilege.
        password: Of the desktop's account.

    Raises:
        MissingExtraError: The extra `desktop` is not installed.
        DesktopLost: The desktop could not be started, or the machine cannot be reached.
    """
    require_extra("desktop", "a desktop")
    if machine is not None:
        from trueline.desktop.osworld.run_machine import open_run_machine

        async with open_run_machine(machine) as remote:
            yield remote
        return
    from trueline.desktop.local import LocalDesktop, LocalOptions

    options = LocalOptions(width, height, network=network, root=root, sudo_password=password)
    async with LocalDesktop(options) as local:
        yield local
