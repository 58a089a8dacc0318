"""A bound socket."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

from trueline.errors import InputError, TruelineError


@dataclass(frozen=True)
class Listener:
    """A bound socket. Connections wait in it until the server answers."""

    socket: socket.socket

    @staticmethod
    def open(host: str = "127.0.0.1", port: int = 0) -> Listener:
        """Bind; port 0 takes a free one.

        Raises:
            InputError: The host is not an address of this machine.
            TruelineError: The port is taken or may not be used.
        """
        if not 0 <= port <= 65535:
            raise InputError(f"--port {port}: must be between 0 and 65535")
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            bound = socket.create_server((host, port), family=family)
            # Connections inherit it. Without it every answer on a kept connection waits 40 ms for an acknowledgement:
            # asyncio sets it only on sockets that name their protocol, which `create_server` does not.
            bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except socket.gaierror:
            raise InputError(f"--host {host}: unknown host") from None
        except OSError as error:
            raise TruelineError(f"cannot listen on {host} port {port} ({error.strerror}); try another --port") from None
        return Listener(bound)

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.socket.getsockname()[0]).is_loopback
