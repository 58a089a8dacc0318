"""A channel to a program beside or inside the sandbox: requests with answers, events, descriptors handed over."""

from __future__ import annotations

import asyncio
import errno
import itertools
import json
import os
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trueline.desktop.types import ActionInterrupted, ActionTimeout, DesktopError, DesktopLost
from trueline.errors import InputError

MESSAGE_LIMIT = 160_000
"""Bytes of one message; the kernel takes no more than its send buffer."""
_RECEIVE = 1 << 18
_FDS = 4
_PASS_LIMIT = 3.0
"""Seconds for which it is tried to pass a descriptor while other programs of this user keep too many on their way."""


class LinkMessage(BaseModel):
    """A message from the other side; answers and events have different fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int | None = None
    event: str | None = None
    errno: int | None = None
    error: str | None = None
    detail: str = ""
    part: str = ""
    pid: int | None = None
    exists: bool | None = None
    request: int | None = None
    returncode: int | None = None
    total: int = 0
    freed: int = 0
    pids: tuple[int, ...] = ()
    """Processes that the supervisor killed, as the host numbers them."""


@dataclass(frozen=True)
class LinkAnswer:
    """The answer to a request and the descriptors that came with it, which are the caller's to close."""

    message: LinkMessage
    fds: tuple[int, ...] = ()

    def fd(self) -> int:
        """The one descriptor that was asked for.

        Raises:
            DesktopError: It did not come: this process may have no room for another.
        """
        if len(self.fds) != 1:
            close_all(self.fds)
            raise DesktopError("no descriptor came from inside: too many files may be open here; see `ulimit -n`")
        return self.fds[0]


class Link:
    """Our end of the channel. All calls come from one event loop."""

    def __init__(self, sock: socket.socket, name: str, on_event: Callable[[LinkMessage], None]) -> None:
        """Take over the socket; events go to `on_event`, the last of them is `closed`."""
        self.name = name
        self._sock = sock
        self._on_event = on_event
        self._waiting: dict[int, asyncio.Future[LinkAnswer]] = {}
        self._numbers = itertools.count(1)
        self._lost: str | None = None
        self._loop = asyncio.get_running_loop()
        sock.setblocking(False)
        self._loop.add_reader(sock, self._read)

    def new_id(self) -> int:
        """A number no other request has."""
        return next(self._numbers)

    async def ask(
        self, request: dict[str, JsonValue], fds: Iterable[int] = (), *, time_limit: float = 10.0, number: int = 0
    ) -> LinkAnswer:
        """Send a request and wait for its answer.

        Raises:
            ActionTimeout: No answer in time.
            ActionInterrupted: The program at the other end was killed before it answered.
            DesktopLost: The channel is closed.
        """
        number = number or self.new_id()
        future: asyncio.Future[LinkAnswer] = self._loop.create_future()
        self._waiting[number] = future
        try:
            async with asyncio.timeout(time_limit):
                await self.tell({**request, "id": number}, fds)
                return await future
        except TimeoutError as error:
            _drop(future)
            raise ActionTimeout(f"{self.name}: no answer within {time_limit:g} s to {request['op']!r}") from error
        except asyncio.CancelledError:
            _drop(future)
            raise
        finally:
            self._waiting.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # seen: asyncio need not complain that nobody looked

    async def tell(self, message: dict[str, JsonValue], fds: Iterable[int] = ()) -> None:
        """Send a message without an answer; undecodable file names are surrogate-escaped.

        Raises:
            InputError: It is too long.
            DesktopLost: The channel is closed.
            DesktopError: A descriptor cannot be passed.
        """
        data, passed = json.dumps(message).encode(), list(fds)
        if len(data) > MESSAGE_LIMIT:
            raise InputError(
                f"{len(data)} bytes of command and environment; at most {MESSAGE_LIMIT}; put a file instead"
            )
        end = self._loop.time() + _PASS_LIMIT
        while True:
            self.check()
            try:
                socket.send_fds(self._sock, [data], passed)
                return
            except BlockingIOError:
                await asyncio.sleep(0.002)
            except OSError as error:
                if error.errno == errno.ETOOMANYREFS:
                    if self._loop.time() > end:
                        raise DesktopError(f"{self.name}: this user has too many descriptors in transit") from error
                    await asyncio.sleep(0.01)
                    continue
                self._end(f"the {self.name} is gone")
                raise DesktopLost(f"the {self.name} is gone") from error

    def check(self) -> None:
        """Do nothing while the channel is open, as far as is known. Raises DesktopLost."""
        if self._lost is not None:
            raise DesktopLost(self._lost)

    def interrupt(self, reason: str) -> None:
        """Fail all pending requests."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ActionInterrupted(reason))

    def close(self, reason: str) -> None:
        """Close the channel; pending and later requests fail with DesktopLost."""
        if self._lost is not None:
            return
        self._lost = reason
        self._loop.remove_reader(self._sock)
        self._sock.close()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(DesktopLost(reason))

    def _end(self, reason: str) -> None:
        self.close(reason)
        self._on_event(LinkMessage(event="closed", detail=reason))

    def _read(self) -> None:
        try:
            data, fds, _, _ = socket.recv_fds(self._sock, _RECEIVE, _FDS)
        except BlockingIOError:
            return
        except OSError:
            data, fds = b"", []
        for fd in fds:
            os.set_inheritable(fd, False)
        if not data:
            self._end(f"the {self.name} is gone")
            return
        try:
            message = LinkMessage.model_validate_json(data)
        except ValidationError:
            close_all(fds)
            self._end(f"the {self.name} sent an invalid message")
            return
        future = None if message.id is None else self._waiting.get(message.id)
        if future is not None and not future.done():
            future.set_result(LinkAnswer(message, tuple(fds)))
            return
        close_all(fds)
        if message.event is not None:
            self._on_event(message)


def _drop(future: asyncio.Future[LinkAnswer]) -> None:
    """Close what came in the very moment in which nobody wanted it any more."""
    if future.done() and not future.cancelled() and future.exception() is None:
        close_all(future.result().fds)


def close_all(fds: Iterable[int]) -> None:
    """Close descriptors that nobody will use."""
    for fd in fds:
        os.close(fd)
