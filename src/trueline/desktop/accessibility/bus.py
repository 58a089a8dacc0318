"""Calls over D-Bus, many at once, each batch with a moment by which it is given up.

Who answers is hostile: what comes back has any shape, any size, or never comes.
"""

from __future__ import annotations

import os
import re
import select
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from trueline.desktop.types import DesktopError, DesktopLost
from trueline.errors import MissingExtraError

Body = tuple[object, ...]

MOST_BYTES = 128 << 20
"""What one batch of answers may weigh."""
_GREETING_S = 5.0
_REPLY_SERIAL = 5
_ADDRESS = re.compile(r"unix:(?:[^;]*,)?(path|abstract)=([^,;]+)")


class Call(NamedTuple):
    """One method to call."""

    name: str
    """Of the connection on the bus."""
    path: str
    interface: str
    method: str
    signature: str | None = None
    body: Body = ()


class Failed(NamedTuple):
    """The answer of a call that was refused."""

    reason: str


Answer = Body | Failed | None
"""`None`: it did not come in time."""


class _Header(Protocol):
    message_type: object
    fields: Mapping[int, object]


class _Message(Protocol):
    header: _Header
    body: Body

    def serialise(self, serial: int) -> bytes: ...


class _Parser(Protocol):
    def add_data(self, data: bytes) -> None: ...
    def get_next_message(self) -> _Message | None: ...


class _Jeepney:
    """The parts of jeepney that are used, with types: it has none of its own."""

    def __init__(self) -> None:
        try:
            top, low = import_module("jeepney"), import_module("jeepney.low_level")
        except ImportError as error:
            raise MissingExtraError("the accessibility tree", "desktop") from error
        self.address: Callable[[str, str, str], object] = top.DBusAddress
        self.call: Callable[[object, str, str | None, Body], _Message] = top.new_method_call
        self.parser: Callable[[], _Parser] = low.Parser
        self.returned: object = top.MessageType.method_return
        self.error: object = top.MessageType.error


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
        self._jeepney = _Jeepney()
        self._parser = self._jeepney.parser()
        self._serial = 0
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
        out, awaited = self._serialised(calls)
        sent = received = 0
        try:
            while awaited and (left := end - time.monotonic()) > 0 and received <= MOST_BYTES:
                unsent = sent < len(out)
                readable, writable, _ = select.select([self._sock], [self._sock] if unsent else [], [], left)
                if writable:
                    sent += self._sock.send(memoryview(out)[sent : sent + 65536])
                if readable:
                    data = self._sock.recv(1 << 18)
                    if not data:
                        raise OSError("it closed the connection")
                    received += len(data)
                    self._parser.add_data(data)
                    self._collect(answers, awaited)
            if sent < len(out):
                raise OSError("it takes no more requests")
        except (OSError, ValueError) as error:
            self.close()
            raise DesktopLost(f"the accessibility bus is gone: {error}; reset the desktop") from error
        return answers

    def _serialised(self, calls: Sequence[Call]) -> tuple[bytes, dict[int, int]]:
        parts: list[bytes] = []
        awaited: dict[int, int] = {}
        for number, call in enumerate(calls):
            self._serial += 1
            awaited[self._serial] = number
            to = self._jeepney.address(call.path, call.name, call.interface)
            message = self._jeepney.call(to, call.method, call.signature, call.body)
            parts.append(message.serialise(self._serial))
        return b"".join(parts), awaited

    def _collect(self, answers: list[Answer], awaited: dict[int, int]) -> None:
        while (message := self._parser.get_next_message()) is not None:
            kind, serial = message.header.message_type, message.header.fields.get(_REPLY_SERIAL)
            number = awaited.pop(serial, None) if isinstance(serial, int) else None
            if number is None:
                continue
            if kind == self._jeepney.returned:
                answers[number] = tuple(message.body)
            elif kind == self._jeepney.error:
                answers[number] = Failed(str(message.body[0]) if message.body else "refused")

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self._sock.close()
