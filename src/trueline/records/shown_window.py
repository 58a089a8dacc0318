"""The windows of a screen by what cannot be made up on it: whose process draws them, and where a page comes from."""

from __future__ import annotations

from typing import NamedTuple

from trueline.records.tree import Place, Size


class ShownPage(NamedTuple):
    """A web page, or a frame within one."""

    place: Place
    size: Size
    origin: str
    """Scheme, host and port as the browser says; empty where it has none (a local file, a page of the browser)."""


class ShownWindow(NamedTuple):
    """A window on the screen. Only the local desktop knows these; titles and classes are left out on purpose."""

    place: Place
    size: Size
    pid: int | None = None
    """The process that draws all of it, as the desktop numbers it; `None` where that is not certain."""
    executable: str | None = None
    """Path of the program that the process runs, which the host resolves."""
    focused: bool = False
    """Whether the keyboard goes there."""
    pages: tuple[ShownPage, ...] = ()
    """In windows of a browser, the outermost first."""
