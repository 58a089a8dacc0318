"""The windows that lie on the screen, menus and tooltips included, asked of the X server."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.desktop.visibility import ScreenWindow
from trueline.desktop.x11 import XConnection, XLost, wire
from trueline.records.tree import Place, Size

MOST_WINDOWS = 4096
"""Windows of one level that are asked about; programs inside can make any number of them."""
_TEXT_WORDS = 256
_DEEPEST = 64
"""Windows within windows; toolkits nest a few."""


class Stacking:
    """Reads which windows lie over which, over one connection, which it owns."""

    def __init__(self, connection: XConnection) -> None:
        """Take over the connection."""
        self._x = connection
        names = ("_NET_CLIENT_LIST_STACKING", "_NET_WM_PID", "_NET_WM_NAME", "WM_NAME", "WM_CLASS", "_NET_WORKAREA")
        self._clients, self._pid, self._title, self._plain_title, self._class, self._area = map(connection.atom, names)

    def read(self) -> tuple[ScreenWindow, ...]:
        """The windows on the screen, the lowest first, with everything the window manager does not manage.

        Raises:
            XLost: The X server is gone.
        """
        root = self._x.screen.root
        tree, clients = self._x.ask_all([wire.query_tree(root), wire.get_property(root, self._clients)])
        if tree is None or clients is None:
            raise XLost("the X server does not tell which windows there are")
        top = wire.read_children(tree)[-MOST_WINDOWS:]
        managed = wire.read_numbers(clients)[-MOST_WINDOWS:]
        frames = self._frames(managed)
        shown = self._shown(top)
        inner = {frames[client]: client for client in managed if client in frames}
        owners = [inner.get(number, number) for number in shown]
        boxes = self._x.ask_all([wire.get_geometry(owner) for owner in owners])
        words = self._words(owners)
        found: list[ScreenWindow] = []
        for (number, (place, size, override)), owner, box, (pid, title, app) in zip(
            shown.items(), owners, boxes, words, strict=True
        ):
            inside, extent = place, size
            if owner != number and box is not None:  # the window within its frame
                x, y, width, height = wire.read_geometry(box)
                inside, extent = Place(place.x + x, place.y + y), Size(width, height)
            client = owner & ~self._x.screen.id_mask
            found.append(ScreenWindow(owner, client, pid, title, app, place, size, inside, extent, override, number))
        return tuple(found)

    def clients_in(self, windows: Sequence[ScreenWindow]) -> dict[int, frozenset[int]]:
        """By the id of each window, the connections that made it, its frame and whatever lies in it.

        A program can put windows into those of others, so a window is not all drawn by whoever made it. One with more
        windows in it than are asked about is left out. Raises XLost.
        """
        tops = {window.top: window.id for window in windows}
        found: dict[int, set[int]] = {top: set() for top in tops}
        level = {top: top for top in tops}
        seen = 0
        while level:
            seen += len(level)
            if seen > MOST_WINDOWS:
                for top in set(level.values()):
                    found.pop(top, None)
                break
            answers = self._x.ask_all([wire.query_tree(window) for window in level])
            below: dict[int, int] = {}
            for (window, top), answer in zip(level.items(), answers, strict=True):
                found[top].add(window & ~self._x.screen.id_mask)
                below |= dict.fromkeys(() if answer is None else wire.read_children(answer), top)
            level = below
        return {tops[top]: frozenset(clients) for top, clients in found.items()}

    def focused(self) -> int:
        """The window directly below the root in which the keyboard's lies; 0 if none is certain. Raises XLost."""
        window = self._x.focus()
        for _ in range(_DEEPEST):
            (answer,) = self._x.ask_all([wire.query_tree(window)]) if window > 1 else (None,)
            if answer is None:
                return 0
            if wire.read_parent(answer) == self._x.screen.root:
                return window
            window = wire.read_parent(answer)
        return 0

    def clients(self) -> tuple[int, ...]:
        """The connections that there are, by the bits that their windows share; empty if the server does not tell."""
        extension = wire.read_extension(self._x.ask(wire.query_extension("X-Resource")))
        if extension is None:
            return ()
        (answer,) = self._x.ask_all([wire.query_clients(extension)])
        return () if answer is None else wire.read_clients(answer)

    @property
    def client(self) -> int:
        """This connection."""
        return self._x.screen.first_id

    def work_area(self) -> tuple[int, int, int, int] | None:
        """Left, top, width and height of what panels leave free, as the window manager says. Raises XLost."""
        (reply,) = self._x.ask_all([wire.get_property(self._x.screen.root, self._area, 4)])
        numbers = () if reply is None else wire.read_numbers(reply)
        return None if len(numbers) < 4 else (numbers[0], numbers[1], numbers[2], numbers[3])

    def close(self) -> None:
        """Close the connection."""
        self._x.close()

    def _frames(self, managed: tuple[int, ...]) -> dict[int, int]:
        """The window directly below the root that each managed window lies in."""
        root = self._x.screen.root
        found: dict[int, int] = {}
        above = {client: client for client in managed}
        for _ in range(4):  # window managers put a client into one frame, some into two
            answers = self._x.ask_all([wire.query_tree(window) for window in above.values()])
            parents = {
                client: wire.read_parent(answer)
                for client, answer in zip(above, answers, strict=True)
                if answer is not None
            }
            found |= {client: above[client] for client, parent in parents.items() if parent == root}
            above = {client: parent for client, parent in parents.items() if parent not in (root, 0)}
            if not above:
                break
        return found

    def _shown(self, windows: tuple[int, ...]) -> dict[int, tuple[Place, Size, bool]]:
        """Those that can be seen: where they are, and whether the window manager leaves them alone."""
        asked = [
            request for window in windows for request in (wire.get_window_attributes(window), wire.get_geometry(window))
        ]
        answers = self._x.ask_all(asked)
        screen = self._x.screen
        found: dict[int, tuple[Place, Size, bool]] = {}
        for number, window in enumerate(windows):
            attributes, geometry = answers[2 * number], answers[2 * number + 1]
            if attributes is None or geometry is None:
                continue  # it went away
            said = wire.read_window_attributes(attributes)
            x, y, width, height = wire.read_geometry(geometry)
            seen = x + width > 0 and y + height > 0 and x < screen.width and y < screen.height
            if said.viewable and said.draws and seen:
                found[window] = Place(x, y), Size(width, height), said.override
        return found

    def _words(self, windows: list[int]) -> list[tuple[int | None, str, str]]:
        """Process, title and class of windows, as their programs say."""
        names = ((self._pid, 1), (self._title, _TEXT_WORDS), (self._plain_title, _TEXT_WORDS), (self._class, 64))
        answers = self._x.ask_all([wire.get_property(window, *name) for window in windows for name in names])
        found: list[tuple[int | None, str, str]] = []
        for number in range(len(windows)):
            pid, title, plain, names_of_class = answers[4 * number : 4 * number + 4]
            numbers = () if pid is None else wire.read_numbers(pid)
            classes = [word for word in wire.read_text(names_of_class).split("\0") if word]
            said = wire.read_text(title) or wire.read_text(plain)
            found.append((numbers[0] if numbers else None, said, classes[-1].lower() if classes else ""))
        return found
