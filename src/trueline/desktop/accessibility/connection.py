"""One D-Bus connection: a socket that was let in, calls written to it, answers read from it.

Who answers is hostile: what comes back has any shape, any size, or never comes.
"""

from __future__ import annotations

import os
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from trueline.desktop.accessibility.wire import ERROR, Body, encode_call, next_message
from trueline.desktop.types import DesktopError, DesktopLost

GREETING_S = 5.0
_BITE = 1 << 18
"""Bytes read at once."""
_ADDRESS = re.compile(r"unix:(?:[^;]*,)?(path|abstract)=([^,;]+)")


class MethodCall(NamedTuple):
    """One method to call."""

    name: str
    """The application's name on the bus."""
    path: str
    interface: str
    method: str
    signature: str = ""
    body: Body = ()


@dataclass(frozen=True)
class FailedCall:
    """The answer of a call that was refused; no tuple, so that nobody takes its reason for a value."""

    reason: str


Answer = Body | FailedCall | None
"""`None`: it did not come in time."""


def unix_path(address: str) -> str:
    """The path of a socket in a D-Bus address; one without a file begins with a zero byte.

    Raises:
        DesktopError: It is not an address of a unix socket.
    """
    match = _ADDRESS.match(address)
    if match is None:
        raise DesktopError(f"D-Bus address {address!r}: only unix:path= and unix:abstract= are supported")
    return match[2] if match[1] == "path" else "\0" + match[2]


def connect(address: str) -> socket.socket:
    """Connect to a bus by its address (`unix:path=…`).

    Raises:
        DesktopLost: Nothing listens there.
    """
    path = unix_path(address)
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.settimeout(GREETING_S)
        sock.connect(path)
    except (OSError, ValueError) as error:
        sock.close()
        raise DesktopLost(f"no D-Bus at {address}: {error}; reset the desktop") from error
    return sock


class Connection:
    """A socket on which calls may be made, without waiting for the answer of one before the next is sent."""

    def __init__(self, sock: socket.socket, uid: int | None, greeting_s: float = GREETING_S) -> None:
        """Authenticate as a user; the connection then owns the socket.

        Raises:
            DesktopError: It does not let this user in.
            OSError: It is gone, or does not answer in time.
        """
        self.socket = sock
        self._serial = 0
        self._unsent = bytearray()
        self._unread = bytearray()
        try:
            sock.settimeout(greeting_s)
            who = str(os.getuid() if uid is None else uid).encode().hex()
            sock.sendall(b"\0AUTH EXTERNAL " + who.encode() + b"\r\n")
            if not sock.recv(512).startswith(b"OK"):
                raise DesktopError("the accessibility bus refuses this user")
            sock.sendall(b"BEGIN\r\n")
            sock.setblocking(False)
        except BaseException:
            sock.close()
            raise

    @property
    def unsent(self) -> bool:
        """Whether something that was written is not sent yet."""
        return bool(self._unsent)

    def write(self, call: MethodCall) -> int:
        """Make a call ready to be sent; returns the serial of its answer."""
        self._serial += 1
        self._unsent += encode_call(self._serial, *call)
        return self._serial

    def send(self) -> None:
        """Send what fits. The rest of a message goes before the next one, or the stream would be broken."""
        with suppress(BlockingIOError):
            del self._unsent[: self.socket.send(self._unsent)]

    def receive(self) -> tuple[int, list[tuple[int, Body | FailedCall]]]:
        """Read what has come: its bytes, and the serials with the answers that are whole.

        Raises:
            OSError: The other side has closed the connection.
            ValueError: It sent what is not a message.
        """
        data = self.socket.recv(_BITE)
        if not data:
            raise OSError("it closed the connection")
        self._unread += data
        return len(data), self._messages()

    def _messages(self) -> list[tuple[int, Body | FailedCall]]:
        found: list[tuple[int, Body | FailedCall]] = []
        data, start = bytes(self._unread), 0
        while True:
            message, end = next_message(data, start)
            if message is None:
                break
            start = end
            refused = message.kind == ERROR
            body = FailedCall(str(message.body[0]) if message.body else "refused") if refused else message.body
            found.append((message.serial, body))
        del self._unread[:start]
        return found

    def close(self) -> None:
        """Close the socket; closing twice is fine."""
        self.socket.close()
