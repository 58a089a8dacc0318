"""A DNS server that resolves every name to the loopback address, where the sinks listen."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from trueline.tasks.attacks.sinks.log import SinkLog

_HEADER = struct.Struct("!6H")
_A, _IN = 1, 1
_TTL = 1
_LONGEST = 253


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


class _Names(asyncio.DatagramProtocol):
    def __init__(self, log: SinkLog) -> None:
        self._log = log
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # In Python 3.11, the class of datagram transports does not derive from DatagramTransport.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | object, int]) -> None:
        found = answer(data)
        if found is not None and self._transport is not None:
            self._log.add(found[1])
            self._transport.sendto(found[0], addr)


@asynccontextmanager
async def serve_dns(sock: socket.socket, log: SinkLog) -> AsyncGenerator[None]:
    """Answer on a UDP socket while the block runs."""
    sock.setblocking(False)
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(lambda: _Names(log), sock=sock)
    try:
        yield
    finally:
        transport.close()
