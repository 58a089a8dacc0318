"""Which process stands behind each connection to a desktop's X server, by what the kernel says.

A window names its process itself (`_NET_WM_PID`) and may lie. The kernel knows who connected: the host takes a copy of
each socket that the X server has accepted (`pidfd_getfd`) and asks it for the credentials of its peer. Which socket
belongs to which client, X does not say. Both get the lowest free number when a program connects and give it back when
it leaves, so the order of the sockets is that of the clients; whoever asks here checks it by what it knows of itself.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress

_PIDFD_GETFD = 438
"""The number of the system call, the same on all processors; Python has no function for it."""
_CREDENTIALS = struct.Struct("iii")


class XPeers:
    """The peers of one X server; what was learnt of a socket is kept while it lives."""

    def __init__(self, server: int) -> None:
        """Look at the X server with this process id of the host."""
        self._server = server
        self._known: dict[str, int | None] = {}
        """By the kernel's name of a socket: the process; `None` for one that is not a client's."""

    def read(self, clients: Sequence[int]) -> Mapping[int, int]:
        """The process of each client, as the host numbers them; nothing where the system does not tell.

        Args:
            clients: All clients that the server has now.
        """
        try:
            sockets = self._sockets()
        except OSError:
            return {}
        peers = [peer for name in sockets.values() if (peer := self._known[name]) is not None]
        # One that has just connected or left shows in only one of both: the next look knows.
        return dict(zip(sorted(clients), peers, strict=True)) if len(peers) == len(clients) else {}

    def _sockets(self) -> dict[int, str]:
        """The server's sockets by descriptor. Raises OSError."""
        folder = f"/proc/{self._server}/fd"
        sockets: dict[int, str] = {}
        for fd in sorted(map(int, os.listdir(folder))):
            with suppress(FileNotFoundError):  # closed meanwhile
                name = os.readlink(f"{folder}/{fd}")
                if name.startswith("socket:"):
                    sockets[fd] = name
        self._known = {name: peer for name, peer in self._known.items() if name in sockets.values()}
        new = {fd: name for fd, name in sockets.items() if name not in self._known}
        if new:
            server = os.pidfd_open(self._server)
            try:
                self._known |= {name: _peer(server, fd) for fd, name in new.items()}
            finally:
                os.close(server)
        return sockets


def _peer(server: int, fd: int) -> int | None:
    """The process that connected; `None` for a socket that listens. Raises OSError."""
    copied = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, server, fd, 0)
    if copied < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    with socket.socket(fileno=copied) as sock:
        if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return None
        pid, _, _ = _CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
        return pid
