"""The clipboard of an X server: it belongs to a client, which is asked for the text whenever somebody pastes."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress

from trueline.desktop.x11 import wire
from trueline.desktop.x11.connection import XConnection, XError, XLost

MOST_BYTES = 200_000
"""What fits into one property of a window, with room to spare."""
_OWNING_S = 5.0


class Clipboard:
    """Owns the clipboard from the first copy on, until another client copies or it is closed."""

    def __init__(self, x: XConnection) -> None:
        """Use a connection of its own, which is closed with this object."""
        self._x = x
        self._window = x.screen.first_id
        names = ("CLIPBOARD", "TARGETS", "UTF8_STRING", "STRING", "TEXT", "text/plain;charset=utf-8")
        self._clipboard, self._targets, *self._texts = (x.atom(name) for name in names)
        self._text = b""
        self._copies = 0
        self._owned, self._fetched = threading.Event(), threading.Event()
        self._asking = threading.Lock()
        # What the server will answer, in the order of the questions: who owns the clipboard (None), or that it has
        # handed over the text of that copy.
        self._asked: deque[int | None] = deque()
        self._x.send(wire.create_window(self._window, x.screen.root))
        self._thread = threading.Thread(target=self._serve, name="clipboard", daemon=True)
        self._thread.start()

    def copy(self, text: str) -> None:
        """Put a text on the clipboard.

        Raises:
            XError: The server does not let us own the clipboard.
        """
        self._text = text.encode("utf-8", "replace")[:MOST_BYTES]
        self._copies += 1
        self._owned.clear()
        self._fetched.clear()
        self._ask(wire.own_selection(self._window, self._clipboard) + wire.selection_owner(self._clipboard), None)
        if not self._owned.wait(_OWNING_S):
            raise XError("the X server does not let this program own the clipboard")

    def await_fetched(self, seconds: float) -> bool:
        """Wait until the server has handed the text to somebody since it was copied."""
        return self._fetched.wait(seconds)

    def close(self) -> None:
        """Give the clipboard up."""
        self._x.close()
        self._thread.join(_OWNING_S)

    def _serve(self) -> None:
        with suppress(XLost):
            while True:
                message = self._x.next_message()
                if message[0] == wire.REPLY:
                    self._read_answer(message)
                elif asked := wire.read_selection_request(message):
                    self._answer(asked)

    def _ask(self, requests: bytes, about: int | None) -> None:
        with self._asking:
            self._asked.append(about)
            self._x.send(requests)

    def _read_answer(self, message: bytes) -> None:
        copy = self._asked.popleft()
        if copy is None:
            if wire.read_atom(message) == self._window:
                self._owned.set()
        elif copy == self._copies:
            self._fetched.set()

    def _answer(self, asked: wire.SelectionRequest) -> None:
        name = asked.name or asked.target
        if asked.target == self._targets:
            offered = b"".join(atom.to_bytes(4, "little") for atom in (self._targets, *self._texts))
            given = wire.change_property(asked.requestor, name, wire.ATOM, 32, offered)
        elif asked.target in self._texts:
            given = wire.change_property(asked.requestor, name, asked.target, 8, self._text)
        else:
            self._x.send(wire.send_selection(asked, 0))
            return
        given += wire.send_selection(asked, name)
        if asked.target in self._texts:
            # Keys pressed through another connection may overtake what the server has not read yet.
            self._ask(given + wire.SYNC, self._copies)
        else:
            self._x.send(given)
