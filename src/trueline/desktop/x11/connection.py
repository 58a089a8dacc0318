"""A connection to an X server. The server belongs to the sandbox: what it answers is checked and timed."""

from __future__ import annotations

import re
import socket
import struct
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from trueline.desktop.x11 import wire

TIMEOUT = 5.0
"""Seconds within which a server answers, or is taken for lost."""

_LONGEST_ANSWER = 4 << 20
_LOOK_AGAIN_S = 0.0005
_MOST_AT_ONCE = 256
"""Requests sent before their answers are read: neither side's buffer fills up."""
_DEEPEST = 64
"""Windows within windows; toolkits nest a few."""
_DISPLAY = re.compile(r"(?:unix)?:(\d{1,5})(?:\.\d+)?")


class XError(Exception):
    """The server refused a request."""


class XLost(XError):
    """The server is gone, does not answer, or sent something invalid."""


def open_socket(display: str, timeout: float = TIMEOUT) -> socket.socket:
    """Connect to a display (`:5`), or to the socket at a path.

    Raises:
        XLost: Nothing listens there.
    """
    match = _DISPLAY.fullmatch(display)
    path = f"/tmp/.X11-unix/X{match[1]}" if match else display.removeprefix("unix:")  # noqa: S108 (the protocol's path)
    problem: Exception | None = None
    for name in (path, "\0" + path) if match else (path,):  # the second is Linux's abstract name of the same
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(timeout)
        try:
            sock.connect(name)
        except (OSError, ValueError) as error:
            sock.close()
            problem = problem or error
        else:
            return sock
    raise XLost(f"no X server at {display}: {problem}") from problem


class XConnection:
    """One client of an X server; requests without an answer wait until `sync` or `ask`."""

    def __init__(self, sock: socket.socket, timeout: float = TIMEOUT) -> None:
        """Greet the server over a connected socket, which the connection owns from now on."""
        self._sock = sock
        self._timeout = timeout
        self._out = bytearray()
        self._in = bytearray()
        self._atoms: dict[str, int] = {}
        self._ping, self._token, self._pong = 0, 0, 0
        self.keyboard_changed = True
        """The symbols on the keys may have changed since they were last read."""
        try:
            self._sock.sendall(wire.SETUP)
            head = self._take(8, time.monotonic() + timeout)
            body = self._take(4 * int.from_bytes(head[6:8], "little"), time.monotonic() + timeout)
            if head[0] != 1:
                raise XLost(f"the X server refused the connection: {body[: head[1]].decode('utf-8', 'replace')!r}")
            self.screen = wire.read_setup(body)
            self._xtest = wire.read_extension(self.ask(wire.query_extension("XTEST")))
        except (OSError, struct.error) as error:
            self.close()
            raise XLost(f"the X server did not accept the connection: {error}") from error
        except XError:
            self.close()
            raise

    def fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        """Queue one event of the keyboard or the mouse."""
        if self._xtest is None:
            raise XError("the X server has no XTEST extension")
        self._out += wire.fake_input(self._xtest, kind, detail, self.screen.root, x, y)

    def pointer(self) -> wire.Pointer:
        """Where the pointer is, and which buttons are down."""
        return wire.read_pointer(self.ask(wire.query_pointer(self.screen.root)))

    def keys_down(self) -> frozenset[int]:
        """The codes of the keys that are down, whoever pressed them."""
        return wire.read_keymap(self.ask(wire.QUERY_KEYMAP))

    def keyboard(self) -> dict[int, tuple[int, ...]]:
        """The symbols on each key, by key code."""
        first, last = self.screen.first_key, self.screen.last_key
        self.keyboard_changed = False
        return wire.read_keyboard(self.ask(wire.get_keyboard(first, last - first + 1)), first)

    def change_key(self, code: int, symbols: tuple[int, ...]) -> None:
        """Queue a change of the symbols on one key."""
        self._out += wire.change_key(code, symbols)

    def atom(self, name: str) -> int:
        """The number of a name."""
        return self._atom(name)

    def send(self, requests: bytes) -> None:
        """Send requests at once, without waiting for what the server says.

        Raises:
            XLost: The server is gone.
        """
        try:
            self._sock.sendall(requests)
        except OSError as error:
            raise XLost(f"the X server is gone: {error}") from error

    def next_message(self) -> bytes:
        """Wait for the next event, answer or error, for as long as it takes.

        Raises:
            XLost: The server is gone, or the connection was closed.
        """
        try:
            message = self._take(32, None)
            if message[0] == wire.REPLY:
                message += self._take(4 * int.from_bytes(message[4:8], "little"), None)
        except OSError as error:
            raise XLost(f"the X server is gone: {error}") from error
        return message

    def root_numbers(self, name: str) -> tuple[int, ...]:
        """A property of the root window as numbers: `_NET_CLIENT_LIST_STACKING`, `_NET_ACTIVE_WINDOW`."""
        return self._numbers(self.screen.root, name)

    def _numbers(self, window: int, name: str) -> tuple[int, ...]:
        return wire.read_numbers(self.ask(wire.get_property(window, self._atom(name))))

    def _atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = wire.read_atom(self.ask(wire.intern_atom(name)))
        return self._atoms[name]

    def await_active(self, seconds: float) -> bool:
        """Wait until the active window has taken in every event so far; False when it cannot say so or does not."""
        root, ping, protocols = self.screen.root, self._atom("_NET_WM_PING"), self._atom("WM_PROTOCOLS")
        active = self.root_numbers("_NET_ACTIVE_WINDOW")
        try:
            if not active or ping not in self._numbers(active[0], "WM_PROTOCOLS"):
                return False
            token = self._token = self._token % 0x7FFFFFFF + 1
            # Only while it is waited for: nobody would read the events of every window in between.
            self._out += wire.select_events(root, wire.SUBSTRUCTURE_NOTIFY)
            self._out += wire.send_ping(active[0], protocols, ping, token)
            self._ping, end = ping, time.monotonic() + seconds
            self.sync()
            while self._pong != token and time.monotonic() < end:
                time.sleep(_LOOK_AGAIN_S)
                self.sync()
            self._out += wire.select_events(root, 0)
            self.sync()
        except XLost:
            raise
        except XError:
            return False  # the window went away
        return self._pong == token

    def focus(self) -> int:
        """The window that gets the keys now; 0 or 1 if no certain one does."""
        return wire.read_focus(self.ask(wire.SYNC))

    def client_of(self, window: int) -> int:
        """The window of the window manager's list that a window is or lies in; 0 if it is none of them."""
        clients = frozenset(self.root_numbers("_NET_CLIENT_LIST"))
        for _ in range(_DEEPEST):
            if window in clients:
                return window
            if window in (0, 1, self.screen.root):
                break
            try:
                window = wire.read_parent(self.ask(wire.query_tree(window)))
            except XLost:
                raise
            except XError:
                break  # it went away
        return 0

    @contextmanager
    def alone(self) -> Generator[None]:
        """Let the server serve nobody else during the block, so that nothing changes between a question and an event.

        Keep it short: the whole desktop stands still.
        """
        self._out += wire.GRAB_SERVER
        try:
            yield
        finally:
            self._out += wire.UNGRAB_SERVER
            self.sync()

    def sync(self) -> None:
        """Send what is queued and wait until the server has done it."""
        self.ask(wire.SYNC)

    def ask(self, request: bytes) -> bytes:
        """Send what is queued and a request that is answered, and return its answer.

        Raises:
            XError: The server refused this or an earlier request.
            XLost: It did not answer in time.
        """
        self._out += request
        end = time.monotonic() + self._timeout
        refused: int | None = None
        try:
            self._sock.settimeout(self._timeout)
            self._sock.sendall(self._out)
            self._out.clear()
            while True:
                message = self._take(32, end)
                if message[0] == wire.ERROR:
                    refused = message[1] if refused is None else refused
                    if message[10] == request[0]:
                        break
                elif message[0] == wire.REPLY:
                    more = 4 * int.from_bytes(message[4:8], "little")
                    message += self._take(more, end)
                    break
                elif message[0] & 0x7F == wire.MAPPING_NOTIFY:
                    self.keyboard_changed = True
                elif (token := wire.read_pong(message, self._ping)) is not None:
                    self._pong = token
        except OSError as error:
            self.close()
            raise XLost(f"the X server did not answer: {error}") from error
        if refused is not None:
            raise XError(f"the X server refused a request with error {refused}")
        return message

    def ask_all(self, requests: Sequence[bytes]) -> list[bytes | None]:
        """Send requests that are each answered, all at once; `None` stands for one that the server refused.

        Nothing else may be queued.

        Raises:
            XLost: It did not answer in time.
        """
        answers: list[bytes | None] = []
        end = time.monotonic() + self._timeout
        try:
            for first in range(0, len(requests), _MOST_AT_ONCE):
                part = requests[first : first + _MOST_AT_ONCE]
                self._sock.settimeout(self._timeout)
                self._sock.sendall(b"".join(part))
                wanted = first + len(part)
                while len(answers) < wanted:
                    message = self._take(32, end)
                    if message[0] == wire.ERROR:
                        answers.append(None)
                    elif message[0] == wire.REPLY:
                        answers.append(message + self._take(4 * int.from_bytes(message[4:8], "little"), end))
        except OSError as error:
            self.close()
            raise XLost(f"the X server did not answer: {error}") from error
        return answers

    def _take(self, count: int, end: float | None) -> bytes:
        if count > _LONGEST_ANSWER:
            raise OSError("the answer is too long")
        while len(self._in) < count:
            self._sock.settimeout(None if end is None else max(end - time.monotonic(), 0.001))
            data = self._sock.recv(65536)
            if not data:
                raise OSError("it closed the connection")
            self._in += data
        taken = bytes(self._in[:count])
        del self._in[:count]
        return taken

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)  # wakes who waits for a message
        self._sock.close()
