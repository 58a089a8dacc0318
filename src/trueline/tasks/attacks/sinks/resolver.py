"""The name server of this machine, for names that no attack is about."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import cast

_CONFIGURED = Path("/etc/resolv.conf")
_PORT = 53
_PATIENCE_S = 4.0


Ask = Callable[[bytes], Awaitable[bytes | None]]
"""Returns the reply to a DNS query; `None` without one."""


async def forward(query: bytes, *, server: tuple[str, int] | None = None) -> bytes | None:
    """The reply of a name server to a DNS query, by default of this machine's; `None` if there is none in time."""
    address = name_server(_CONFIGURED)
    server = server or (None if address is None else (address, _PORT))
    if server is None:
        return None
    loop = asyncio.get_running_loop()
    reply: asyncio.Future[bytes] = loop.create_future()
    try:
        transport, _ = await loop.create_datagram_endpoint(lambda: _Reply(query, reply), remote_addr=server)
    except OSError:
        return None
    try:
        return await asyncio.wait_for(reply, _PATIENCE_S)
    except (TimeoutError, OSError):
        return None
    finally:
        transport.close()


@cache
def name_server(path: Path) -> str | None:
    """The address of the first name server that a resolv.conf names."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    for line in lines:
        match line.split():
            case ["nameserver", address, *_]:
                try:
                    return str(ip_address(address))
                except ValueError:
                    continue
            case _:
                continue
    return None


class _Reply(asyncio.DatagramProtocol):
    def __init__(self, query: bytes, reply: asyncio.Future[bytes]) -> None:
        self._query, self._reply = query, reply

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # In Python 3.11, the class of datagram transports does not derive from DatagramTransport.
        cast("asyncio.DatagramTransport", transport).sendto(self._query)

    def datagram_received(self, data: bytes, addr: tuple[str | object, int]) -> None:  # noqa: ARG002 - of the base
        if data[:2] == self._query[:2] and not self._reply.done():
            self._reply.set_result(data)

    def error_received(self, exc: Exception) -> None:
        if not self._reply.done():
            self._reply.set_exception(exc)
