"""The windows of a desktop, asked of its X server."""

from __future__ import annotations

import struct

from trueline.desktop.types import Window
from trueline.desktop.x11 import wire
from trueline.desktop.x11.connection import XConnection, XError, XLost

_TEXT_WORDS = 256


class Windows:
    """Reads the window list over one connection, which it owns."""

    def __init__(self, connection: XConnection) -> None:
        """Take over the connection."""
        self._x = connection
        self._atoms: dict[str, int] = {}

    def read(self) -> tuple[Window, ...]:
        """The windows on the screen that the window manager knows, the lowest first.

        Raises:
            XLost: The X server is gone.
        """
        active = self._root("_NET_ACTIVE_WINDOW")
        found = [self._window(number, number in active) for number in self._root("_NET_CLIENT_LIST_STACKING")]
        return tuple(window for window in found if window is not None)

    def numbers(self) -> tuple[int, ...]:
        """The numbers of the windows there are and of the active one: cheap to ask often. Raises XLost."""
        return (*self._root("_NET_CLIENT_LIST_STACKING"), *self._root("_NET_ACTIVE_WINDOW"))

    def close(self) -> None:
        """Close the connection."""
        self._x.close()

    def _window(self, number: int, active: bool) -> Window | None:
        """One window; `None` when it is not shown or goes away while it is asked about."""
        try:
            attributes = wire.read_window_attributes(self._x.ask(wire.get_window_attributes(number)))
            if not attributes.viewable:
                return None
            geometry = self._x.ask(wire.get_geometry(number))
            width, height = struct.unpack_from("<HH", geometry, 16)
            place = self._x.ask(struct.pack("<BxHIIhh", 40, 4, number, self._x.screen.root, 0, 0))
            x, y = struct.unpack_from("<hh", place, 12)
            title = self._text(number, "_NET_WM_NAME") or self._text(number, "WM_NAME")
            names = [name for name in self._text(number, "WM_CLASS").split("\0") if name]
            pid = wire.read_numbers(self._x.ask(wire.get_property(number, self._atom("_NET_WM_PID"), 1)))
        except XLost:
            raise
        except XError:
            return None
        app = names[-1].lower() if names else ""
        return Window(number, title, app, pid[0] if pid else None, x, y, width, height, active)

    def _root(self, name: str) -> tuple[int, ...]:
        return wire.read_numbers(self._x.ask(wire.get_property(self._x.screen.root, self._atom(name))))

    def _atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = wire.read_atom(self._x.ask(wire.intern_atom(name)))
        return self._atoms[name]

    def _text(self, window: int, name: str) -> str:
        return wire.read_text(self._x.ask(wire.get_property(window, self._atom(name), _TEXT_WORDS)))
