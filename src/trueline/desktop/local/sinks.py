"""Sinks: sockets on the sandbox's own loopback that the host holds.

A mail sink, a web site or a name server is then an ordinary server of a host process: nothing inside can kill it, read
its records or write into them.
"""

from __future__ import annotations

import ipaddress
import socket

from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import DesktopError
from trueline.errors import InputError
from trueline.text import printable


async def listen(sandbox: Sandbox, port: int, *, udp: bool = False, address: str = "127.0.0.1") -> socket.socket:
    """Return a socket that is bound inside (and listens, unless it is UDP); low ports are fine. The caller closes it.

    Raises:
        InputError: No such port or address.
        DesktopError: Something inside has the port already.
    """
    if not 0 <= port <= 65535:
        raise InputError(f"port {port}: must be from 0 to 65535")
    try:
        ipaddress.IPv4Address(address)
    except ValueError:
        raise InputError(f"address {printable(address)}: must be an IPv4 address such as 127.0.0.1") from None
    answer = await sandbox.supervisor.ask({"op": "listen", "port": port, "udp": udp, "address": address})
    if answer.message.errno is not None:
        raise DesktopError(f"cannot listen on {address}:{port} inside: {answer.message.error}")
    sock = socket.socket(fileno=answer.fd())
    sock.setblocking(True)
    return sock
