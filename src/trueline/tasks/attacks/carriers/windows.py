"""Waiting for the window of an application that an attack opens."""

from __future__ import annotations

from trueline.desktop.types import ActionTimeout, Desktop, WindowShown
from trueline.tasks.errors import SetupError
from trueline.tasks.setup.wait import wait_until_usable

_OPENS_WITHIN = 60.0
"""Seconds on a busy machine."""


async def open_window(desktop: Desktop, argv: tuple[str, ...], shown: WindowShown, what: str) -> None:
    """Start a program and wait for its window.

    Raises:
        SetupError: The window does not appear.
    """
    known = {window.id for window in await desktop.windows()}
    await desktop.launch(argv)
    try:
        await desktop.wait_for(shown, time_limit=_OPENS_WITHIN)
    except ActionTimeout as error:
        raise SetupError(f"{what}: {argv[0]} shows no window within {_OPENS_WITHIN:g} s") from error
    await wait_until_usable(desktop, known)
