"""Calls over D-Bus, many at once, each batch with a moment by which it is given up.

Who answers is hostile: what comes back has any shape, any size, or never comes.
"""

from __future__ import annotations

import os
import re
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trueline.desktop.accessibility.wire import ERROR, MOST_BYTES, Body, encode_call, next_message
from trueline.desktop.types import DesktopError, DesktopLost

_GREETING_S = 5.0
_BITE = 1 << 18
"""Bytes read at once."""
_CHUNK = 256
"""Calls written at once: while they are answered the next ones are made ready."""
_ADDRESS = re.compile(r"unix:(?:[^;]*,)?(path|abstract)=([^,;]+)")


class Call(NamedTuple):
    """One method to call."""

    name: str
    """Of the connection on the bus."""
    path: str
    interface: str
    method: str
    signature: str = ""
    body: Body = ()


@dataclass(frozen=True)
class Failed:
    """The answer of a call that was refused; no tuple, so that nobody takes its reason for a value."""

    reason: str


Answer = Body | Failed | None
"""`None`: it did not come in time."""


def connect(address: str) -> socket.socket:
    """Connect to a bus by its address (`unix:path=…`).

    Raises:
        DesktopLost: Nothing listens there.
    """
    match = _ADDRESS.match(address)
    if match is None:
        raise DesktopError(f"D-Bus address {address!r}: only unix:path= and unix:abstract= are known")
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.settimeout(_GREETING_S)
        sock.connect(match[2] if match[1] == "path" else "\0" + match[2])
    except (OSError, ValueError) as error:
        sock.close()
        raise DesktopLost(f"no D-Bus at {address}: {error}; reset the desktop") from error
    return sock


class Bus:
    """One connection to a bus. Close it in the end."""

    def __init__(self, sock: socket.socket, uid: int | None = None) -> None:
        """Greet the bus over a connected socket, which the bus owns from now on; `uid` is the user to be there."""
        self._sock = sock
        self._serial = 0
        self._unsent = bytearray()
        self._unread = bytearray()
        try:
            sock.settimeout(_GREETING_S)
            who = str(os.getuid() if uid is None else uid).encode().hex()
            sock.sendall(b"\0AUTH EXTERNAL " + who.encode() + b"\r\n")
            if not sock.recv(512).startswith(b"OK"):
                raise DesktopError("the accessibility bus does not let this user in")
            sock.sendall(b"BEGIN\r\n")
            sock.setblocking(False)
            self.one(Call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"))
        except OSError as error:
            self.close()
            raise DesktopLost(f"the accessibility bus did not greet back: {error}; reset the desktop") from error
        except DesktopError:
            self.close()
            raise

    def one(self, call: Call, seconds: float = _GREETING_S) -> Body:
        """Make one call.

        Raises:
            DesktopError: It was refused, or not answered in time.
        """
        answer = self.many([call], time.monotonic() + seconds)[0]
        if answer is None or isinstance(answer, Failed):
            reason = "no answer" if answer is None else answer.reason
            raise DesktopError(f"accessibility bus: {call.interface}.{call.method}: {reason}")
        return answer

    def many(self, calls: Sequence[Call], end: float) -> list[Answer]:
        """Make all calls without waiting in between; the answers stand in the order of the calls."""
        answers: list[Answer] = [None] * len(calls)
        awaited: dict[int, int] = {}
        made = received = 0
        try:
            while (made < len(calls) or awaited) and (left := end - time.monotonic()) > 0 and received <= MOST_BYTES:
                if made < len(calls) and not self._unsent:
                    for call in calls[made : made + _CHUNK]:
                        awaited[self._write(call)] = made
                        made += 1
                readable, writable, _ = select.select([self._sock], [self._sock] if self._unsent else [], [], left)
                if writable:
                    # What is not taken in time is sent before the next batch: half a message would break the rest.
                    del self._unsent[: self._sock.send(self._unsent)]
                if readable:
                    received += self._read(answers, awaited)
        except (OSError, ValueError) as error:
            self.close()
            raise DesktopLost(f"the accessibility bus is gone: {error}; reset the desktop") from error
        return answers

    def _write(self, call: Call) -> int:
        self._serial += 1
        self._unsent += encode_call(self._serial, *call)
        return self._serial

    def _read(self, answers: list[Answer], awaited: dict[int, int]) -> int:
        data = self._sock.recv(_BITE)
        if not data:
            raise OSError("it closed the connection")
        self._unread += data
        start = 0
        while True:
            message, end = next_message(self._unread, start)
            if message is None:
                break
            start = end
            number = awaited.pop(message.serial, None)
            if number is not None:
                refused = Failed(str(message.body[0]) if message.body else "refused")
                answers[number] = refused if message.kind == ERROR else message.body
        del self._unread[:start]
        return len(data)

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self._sock.close()
