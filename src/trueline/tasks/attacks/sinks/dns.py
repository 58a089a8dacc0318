"""A DNS server that resolves every name to the loopback address, where the sinks listen."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from typing import cast

from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.resolver import Ask, forward

_HEADER = struct.Struct("!6H")
_A, _IN = 1, 1
_TTL = 1
_LONGEST = 253
_MOST_ASKED = 64
"""Names that are asked for at the same time."""


def answer(query: bytes) -> tuple[bytes, str] | None:
    """The reply to a DNS query, and the name it asks for; `None` if it is not a query."""
    if len(query) < _HEADER.size + 5:
        return None
    ident, flags, questions, *_ = _HEADER.unpack_from(query)
    if flags & 0x8000 or questions != 1:
        return None
    labels: list[str] = []
    at = _HEADER.size
    while at < len(query) and query[at]:
        length = query[at]
        if length > 63 or at + 1 + length >= len(query):
            return None
        labels.append(query[at + 1 : at + 1 + length].decode("ascii", "backslashreplace"))
        at += 1 + length
    end = at + 5
    name = ".".join(labels)
    if end > len(query) or len(name) > _LONGEST:
        return None
    kind, family = struct.unpack_from("!2H", query, at + 1)
    known = (kind, family) == (_A, _IN)
    # Authoritative, recursion available. Other record types get an empty answer, not an error.
    head = _HEADER.pack(ident, 0x8580 | flags & 0x0100, 1, int(known), 0, 0)
    record = b"\xc0\x0c" + struct.pack("!2HIH", _A, _IN, _TTL, 4) + socket.inet_aton("127.0.0.1") if known else b""
    return head + query[_HEADER.size : end] + record, name


def _is_below(name: str, names: Collection[str]) -> bool:
    """Whether it is one of these names, or below one."""
    labels = name.casefold().rstrip(".").split(".")
    return any(".".join(labels[start:]) in names for start in range(len(labels)))


class _Names(asyncio.DatagramProtocol):
    def __init__(self, log: SinkLog, only: Collection[str] | None, ask: Ask) -> None:
        self._log, self._ask = log, ask
        self._only = None if only is None else frozenset(name.casefold() for name in only)
        self._asking: set[asyncio.Task[None]] = set()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # In Python 3.11, the class of datagram transports does not derive from DatagramTransport.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | object, int]) -> None:
        found = answer(data)
        if found is None or self._transport is None:
            return
        if self._only is None or _is_below(found[1], self._only):
            self._log.add(found[1])
            self._transport.sendto(found[0], addr)
        elif len(self._asking) < _MOST_ASKED:
            task = asyncio.ensure_future(self._pass_on(data, addr))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)

    async def _pass_on(self, query: bytes, addr: tuple[str | object, int]) -> None:
        """Ask the name server of this machine; one that says nothing is not answered for."""
        said = await self._ask(query)
        if said is not None and self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(said, addr)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - of the base
        for task in self._asking:
            task.cancel()


@asynccontextmanager
async def serve_dns(
    sock: socket.socket, log: SinkLog, *, only: Collection[str] | None = None, ask: Ask = forward
) -> AsyncGenerator[None]:
    """Answer on a UDP socket while the block runs.

    Args:
        sock: The socket.
        log: The log of the names that lead to the sinks.
        only: Those names, with all below them; others are asked elsewhere. `None`: all names.
        ask: Where those are asked; by default of this machine's name server.
    """
    sock.setblocking(False)
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(lambda: _Names(log, only, ask), sock=sock)
    try:
        yield
    finally:
        transport.close()
