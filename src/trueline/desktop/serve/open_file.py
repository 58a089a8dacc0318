"""POST /setup/open_file: a file in the application made for it, or a program by its name."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from pathlib import PurePosixPath

from trueline.desktop.serve.replies import Message, ReceivedRequest, Refused, Reply, as_text, read
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.desktop.serve.windows import raise_window
from trueline.desktop.types import Window

_OPENER = ("/bin/sh", "-c", 'command -v exo-open >/dev/null && exec exo-open "$0" || exec xdg-open "$0"')
_POLL = 0.05


class OpenRequest(Message):
    """The request of `/setup/open_file`."""

    path: str


async def open_file(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """Open it and wait until its window is there; then the window is raised."""
    asked = read(call, OpenRequest).path
    path = await served.path(asked)
    name = PurePosixPath(path).name
    if not asked or not name:
        raise Refused(400, "path: must not be empty")
    before = frozenset(window.id for window in await served.desktop.windows())
    title: str | None = None
    if (await served.run("test", "-e", path)).returncode == 0:
        title = name
        await served.desktop.launch((*_OPENER, path))
    elif "/" not in asked and (await served.run("/bin/sh", "-c", 'command -v -- "$0"', asked)).returncode == 0:
        await served.desktop.launch((asked,))
    else:
        raise Refused(404, f"{asked}: there is no such file, and no such program", "path")
    limit = served.settings.open_seconds
    try:
        async with asyncio.timeout(limit):
            while True:
                window = fitting(await served.desktop.windows(), title, before)
                if window is not None:
                    break
                await asyncio.sleep(_POLL)
    except TimeoutError:
        raise Refused(500, f"{asked}: showed no window within {limit:g} s", "timeout") from None
    await raise_window(served, window.id)
    return as_text("File opened and window activated successfully")


def fitting(windows: Sequence[Window], title: str | None, before: Container[int]) -> Window | None:
    """The window of what was opened: its title holds the file's name, or it is new and holds the name without ending.

    Args:
        windows: What is on the screen, the lowest first.
        title: The file's name; `None` takes any new window.
        before: The windows that were there before.
    """
    new = [window for window in reversed(windows) if window.id not in before]
    if title is None:
        return new[0] if new else None
    stem = PurePosixPath(title).stem
    whole = [window for window in reversed(windows) if title.lower() in window.title.lower()]
    part = [window for window in new if stem.lower() in window.title.lower()]
    return next(iter((*whole, *part)), None)
