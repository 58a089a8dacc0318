"""Whose windows are on the screen: which process draws each, which program it runs, and which pages a browser shows.

Titles, classes, `_NET_WM_PID` and names on the accessibility bus are what programs say of themselves. Here only the
kernel is believed: whose connection made a window (`x_peers`), and which file a process runs. A window counts as a
process's only if everything drawn in it is of one program, apart from the frame that the window manager puts around it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from trueline.desktop.accessibility.documents import Document
from trueline.desktop.local.stacking import Stacking
from trueline.desktop.local.x_peers import XPeers
from trueline.desktop.visibility import ScreenWindow, same_window
from trueline.records.shown_window import ShownPage, ShownWindow

_WINDOW_MANAGER = "/usr/bin/openbox"
_BROWSERS = frozenset({"chromium", "chrome", "firefox", "firefox-esr", "firefox-bin", "brave", "msedge"})
_MOST_WINDOWS = 100
"""Windows of a record; menus and tooltips included, screens have a dozen."""
_MOST_PAGES = 30


class Process(NamedTuple):
    """A process by both of its numbers."""

    host: int
    inside: int
    """As the processes of the desktop see it."""
    executable: str
    """Path of the file that it runs, the same file for every program of the desktop."""


class WindowProcesses:
    """Reads the processes behind the windows of one desktop."""

    def __init__(self, server: int, stacking: Stacking) -> None:
        """Ask about the X server with this process id of the host, over a connection that the caller owns."""
        self._peers = XPeers(server)
        self._stacking = stacking

    def shown(self, windows: Sequence[ScreenWindow], documents: Sequence[Document]) -> tuple[ShownWindow, ...]:
        """The windows with their processes, the lowest first. Raises XLost."""
        windows = windows[-_MOST_WINDOWS:]
        clients = self._stacking.clients_in(windows)
        processes = self._processes({client for drawn in clients.values() for client in drawn})
        focused = self._stacking.focused()
        drawing = {window.id: _drawing(window, clients.get(window.id, frozenset()), processes) for window in windows}
        pages = _pages_by_window(windows, drawing, documents)
        found: list[ShownWindow] = []
        for window in windows:
            process, seen = drawing[window.id], ShownWindow(window.place, window.size, focused=window.top == focused)
            if process is not None:
                seen = seen._replace(pid=process.inside, executable=process.executable, pages=pages.get(window.id, ()))
            found.append(seen)
        return tuple(found)

    def _processes(self, clients: set[int]) -> dict[int, Process]:
        """The processes of these clients. Raises XLost."""
        peers = self._peers.read(self._stacking.clients())
        ours = peers.get(self._stacking.client)
        if ours is None:
            return {}
        # Whoever connects for the host has the desktop's own view of files, and cannot have any other program's.
        found = {pid: _process(pid, ours) for pid in {peers[client] for client in clients if client in peers}}
        known = ((client, found[peers[client]]) for client in clients if client in peers)
        return {client: process for client, process in known if process is not None}


def _drawing(window: ScreenWindow, clients: frozenset[int], processes: dict[int, Process]) -> Process | None:
    """The process that draws a window; `None` if it is not certain that all of it is its own."""
    own = processes.get(window.client)
    others = {processes.get(client) for client in clients if client != window.client}
    foreign = (one for one in others if one is None or one.executable not in (own and own.executable, _WINDOW_MANAGER))
    if own is None or not clients or any(True for _ in foreign):
        return None
    # The number that it gives of itself is no proof, but a wrong one is a lie.
    return own if window.pid in (None, own.inside) else None


def _pages_by_window(
    windows: Sequence[ScreenWindow], drawing: Mapping[int, Process | None], documents: Sequence[Document]
) -> dict[int, tuple[ShownPage, ...]]:
    """The pages in each window of a browser, the largest first: a frame lies within its page."""
    found: dict[int, list[ShownPage]] = {}
    for document in documents:
        of_process = [
            window
            for window in windows
            if (process := drawing[window.id]) is not None
            and process.inside == document.pid
            and os.path.basename(process.executable) in _BROWSERS
        ]
        if (window := _window_of(document, of_process)) is not None:
            found.setdefault(window.id, []).append(ShownPage(document.place, document.size, document.origin))
    return {
        number: tuple(sorted(pages, key=lambda page: -page.size.width * page.size.height)[:_MOST_PAGES])
        for number, pages in found.items()
    }


def _window_of(document: Document, windows: Sequence[ScreenWindow]) -> ScreenWindow | None:
    """The window that shows a document, among those of its process; `None` if that is not certain."""
    fitting = [window for window in windows if same_window(window, document.frame)]
    if len(fitting) > 1:
        fitting = [window for window in fitting if window.title == document.frame.name]
    return fitting[0] if len(fitting) == 1 else None


def _process(pid: int, ours: int) -> Process | None:
    """What a process of the desktop runs; `None` if it is gone, or runs what others do not see at that path."""
    with suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            numbers = next(line.split()[1:] for line in file if line.startswith("NSpid:"))
        executable = os.readlink(f"/proc/{pid}/exe")
        seen = os.stat(f"/proc/{ours}/root{executable}")
        if os.path.samestat(os.stat(f"/proc/{pid}/exe"), seen):
            return Process(pid, int(numbers[_depth(ours)]), executable)
    return None


def _depth(ours: int) -> int:
    """The place of the desktop's numbering among the numbers of a process: that of the process that is ours inside."""
    with open(f"/proc/{ours}/status", encoding="utf-8", errors="replace") as file:
        return len(next(line for line in file if line.startswith("NSpid:")).split()) - 2
