"""Calls to all applications at once, in batches with a deadline.

An application that is asked a lot is asked over a connection of its own, as screen readers' libraries do, which spares
the bus and the time it takes to hand every message on. One that has stopped answering is given up long before the end
of the batch: it costs the others nothing.
"""

from __future__ import annotations

import select
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from trueline.desktop.accessibility.connection import (
    GREETING_S,
    Answer,
    Connection,
    FailedCall,
    MethodCall,
    unix_path,
)
from trueline.desktop.accessibility.wire import MOST_BYTES, Body
from trueline.desktop.types import DesktopError, DesktopLost

PATIENCE_S = 3.0
_CHUNK = 256
"""Calls written at once: while they are answered the next ones are made ready."""
_TICK_MS = 250
_MANY = 128
_GATHER_S = 0.001
_WORTH = 200
"""Number of calls in a batch from which an application gets its own connection."""
_CONNECT_S = 1.0
_PART = 400
"""Elements asked at once by `of_each`."""
_PARTS_AHEAD = 2
T = TypeVar("T")

ConnectDirect = Callable[[str], socket.socket]
"""Connects to a unix socket of the desktop by its path; raises `DesktopError` or `OSError` when nothing is there."""


class Bus:
    """The accessibility bus, and direct connections to applications on it. Close it in the end."""

    def __init__(
        self,
        sock: socket.socket,
        uid: int | None = None,
        connect_direct: ConnectDirect | None = None,
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Register on the bus over a connected socket, which this object then owns.

        Args:
            sock: Connected to the bus.
            uid: The user to be there; `None` is this one.
            connect_direct: Connects to applications; `None` asks all of them over the bus.
            patience_s: After so long without any answer an application is asked no more in this reading.
        """
        self._patience_s = patience_s
        self._uid = uid
        self._connect_direct = connect_direct
        self._direct: dict[str, Connection | None] = {}
        """Direct connections by bus name; `None` where there can be none."""
        self._stalled: set[str] = set()
        try:
            self._main = Connection(sock, uid)
        except OSError as error:
            raise DesktopLost(f"the accessibility bus does not answer: {error}; reset the desktop") from error
        try:
            self.call(MethodCall("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"))
        except DesktopError:
            self.close()
            raise

    @property
    def direct(self) -> frozenset[str]:
        """The applications that have a connection of their own."""
        return frozenset(name for name, connection in self._direct.items() if connection is not None)

    @property
    def stalled(self) -> frozenset[str]:
        """The applications that stopped answering since the reading began."""
        return frozenset(self._stalled)

    def begin_reading(self) -> None:
        """Start a new reading: applications that stalled before are asked again."""
        self._stalled.clear()

    def forget_others(self, names: Collection[str]) -> None:
        """Close the connections to applications that are gone; a name is never given to another one."""
        for name in self._direct.keys() - set(names):
            self._drop(name)
            del self._direct[name]

    def call(self, call: MethodCall, seconds: float = GREETING_S) -> Body:
        """Make one call.

        Raises:
            DesktopError: It was refused, or not answered in time.
        """
        answer = self.call_all([call], time.monotonic() + seconds)[0]
        if answer is None or isinstance(answer, FailedCall):
            reason = "no answer" if answer is None else answer.reason
            raise DesktopError(f"accessibility bus: {call.interface}.{call.method}: {reason}")
        return answer

    def call_all(self, calls: Sequence[MethodCall], end: float) -> list[Answer]:
        """Make all calls without waiting in between; the answers stand in the order of the calls.

        Raises:
            DesktopLost: The bus is gone. An application that is gone leaves its answers out.
        """
        self._connect_busy(calls, end)
        batch = _Batch(calls, self._stalled, self._patience_s)
        for number, call in enumerate(calls):
            if call.name not in self._stalled:
                batch.queue(self._direct.get(call.name) or self._main, number)
        while batch.unfinished and time.monotonic() < end and batch.received <= MOST_BYTES:
            for connection, error in batch.exchange(end):
                if connection is self._main:
                    self.close()
                    raise DesktopLost(f"the accessibility bus is gone: {error}; reset the desktop") from error
                for name in [name for name, one in self._direct.items() if one is connection]:
                    self._drop(name)
        return batch.answers

    def of_each(
        self, elements: Sequence[T], questions: Callable[[T], list[MethodCall]], end: float
    ) -> Iterator[tuple[T, list[Answer]]]:
        """Ask each element its questions; yields elements with their answers while the next are being asked.

        Raises:
            DesktopLost: The bus is gone.
        """
        parts = [elements[start : start + _PART] for start in range(0, len(elements), _PART)]
        if len(parts) <= 1:
            asked = [questions(element) for element in elements]
            yield from _dealt(elements, asked, self.call_all([call for calls in asked for call in calls], end))
            return
        with ThreadPoolExecutor(1) as asking:
            awaited: deque[tuple[Sequence[T], list[list[MethodCall]], Future[list[Answer]]]] = deque()
            for part in parts:
                asked = [questions(element) for element in part]
                calls = [call for calls in asked for call in calls]
                awaited.append((part, asked, asking.submit(self.call_all, calls, end)))
                if len(awaited) > _PARTS_AHEAD:
                    before, its, answers = awaited.popleft()
                    yield from _dealt(before, its, answers.result())
            while awaited:
                before, its, answers = awaited.popleft()
                yield from _dealt(before, its, answers.result())

    def _connect_busy(self, calls: Sequence[MethodCall], end: float) -> None:
        """Open connections to the applications that most of the calls are for."""
        if self._connect_direct is None or len(calls) < _WORTH:
            return
        for name, count in Counter(call.name for call in calls).items():
            if count >= _WORTH and name not in self._direct and name not in self._stalled:
                self._direct[name] = self._open_direct(name, min(_CONNECT_S, end - time.monotonic()))

    def _open_direct(self, name: str, seconds: float) -> Connection | None:
        assert self._connect_direct is not None
        ask = MethodCall(
            name, "/org/a11y/atspi/accessible/root", "org.a11y.atspi.Application", "GetApplicationBusAddress"
        )
        try:
            (address,) = self.call(ask, seconds)
            path = unix_path(str(address))
            # What has no file belongs to nobody in particular: only what lies inside the desktop is connected to.
            return None if path.startswith("\0") else Connection(self._connect_direct(path), self._uid, _CONNECT_S)
        except (DesktopError, OSError, ValueError):
            return None  # Qt's applications have none; they are asked over the bus

    def _drop(self, name: str) -> None:
        connection = self._direct.get(name)
        if connection is not None:
            connection.close()
            self._direct[name] = None

    def close(self) -> None:
        """Close all connections; closing twice is fine."""
        for name in self._direct:
            self._drop(name)
        self._main.close()


def _dealt(
    elements: Sequence[T], asked: list[list[MethodCall]], answers: list[Answer]
) -> Iterator[tuple[T, list[Answer]]]:
    """Each element with the answers to its questions."""
    start = 0
    for element, calls in zip(elements, asked, strict=True):
        yield element, answers[start : start + len(calls)]
        start += len(calls)


def _can_send(event: tuple[int, int]) -> bool:
    return bool(event[1] & select.POLLOUT)


class _Batch:
    """Calls on their way, over several connections at the same time."""

    def __init__(self, calls: Sequence[MethodCall], stalled: set[str], patience_s: float) -> None:
        self._patience_s = patience_s
        self.answers: list[Answer] = [None] * len(calls)
        self.received = 0
        self._calls = calls
        self._stalled = stalled
        self._queues: dict[Connection, deque[int]] = {}
        self._awaited: dict[Connection, dict[int, int]] = {}
        """By connection: the number of the call by the serial of its answer."""
        self._owed: Counter[str] = Counter()
        """Pending answers by application."""
        self._heard: dict[str, float] = {}
        """Time of the last answer by application."""

    def queue(self, connection: Connection, number: int) -> None:
        """Queue a call on this connection."""
        self._queues.setdefault(connection, deque()).append(number)
        self._awaited.setdefault(connection, {})

    @property
    def unfinished(self) -> bool:
        """Whether something is still to be sent or to come."""
        return any(self._queues.values()) or any(self._awaited.values())

    def exchange(self, end: float) -> list[tuple[Connection, Exception]]:
        """Send and receive once; returns the connections that broke."""
        waiting = select.poll()
        by_number: dict[int, Connection] = {}
        broken: list[tuple[Connection, Exception]] = []
        for connection, queue in self._queues.items():
            if queue and not connection.unsent:
                self._write(connection, queue)
            if self._awaited[connection] or connection.unsent:
                by_number[connection.socket.fileno()] = connection
                waiting.register(connection.socket, select.POLLIN | (select.POLLOUT if connection.unsent else 0))
        left_ms = max(0, int((end - time.monotonic()) * 1e3))
        events = waiting.poll(min(_TICK_MS, left_ms + 1))
        if events and sum(map(len, self._awaited.values())) > _MANY and not any(map(_can_send, events)):
            # Each answer wakes whoever waits for it: a thousandth of a second later there are forty to be read at once.
            time.sleep(_GATHER_S)
        for number, event in events:
            connection = by_number[number]
            try:
                if event & select.POLLOUT:
                    connection.send()
                if event & ~select.POLLOUT:
                    self._read(connection)
            except (OSError, ValueError) as error:
                self._queues[connection].clear()
                self._awaited[connection].clear()
                broken.append((connection, error))
        self._give_up_silent()
        return broken

    def _write(self, connection: Connection, queue: deque[int]) -> None:
        awaited, now = self._awaited[connection], time.monotonic()
        for _ in range(min(_CHUNK, len(queue))):
            number = queue.popleft()
            call = self._calls[number]
            if call.name in self._stalled:
                continue
            awaited[connection.write(call)] = number
            if not self._owed[call.name]:
                self._heard[call.name] = now
            self._owed[call.name] += 1

    def _read(self, connection: Connection) -> None:
        awaited, now = self._awaited[connection], time.monotonic()
        size, messages = connection.receive()
        self.received += size
        for serial, answer in messages:
            number = awaited.pop(serial, None)
            if number is not None:
                self.answers[number] = answer
                name = self._calls[number].name
                self._owed[name] -= 1
                self._heard[name] = now

    def _give_up_silent(self) -> None:
        """Stop asking applications with pending answers that have been silent for too long."""
        late = time.monotonic() - self._patience_s
        silent = {name for name, heard in self._heard.items() if heard < late and self._owed[name]}
        if not silent:
            return
        self._stalled |= silent
        for name in silent:
            self._owed[name] = 0
        for connection, queue in self._queues.items():
            self._queues[connection] = deque(number for number in queue if self._calls[number].name not in silent)
        for awaited in self._awaited.values():
            for serial in [serial for serial, number in awaited.items() if self._calls[number].name in silent]:
                del awaited[serial]
