#!/usr/bin/python3 -IS
"""`socat` for the one thing tasks use it for, where the real one is not installed: passing a port on to another.

`socat tcp-listen:9222,fork tcp:localhost:1337`.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import threading

REAL = "/usr/bin/socat"
LISTEN = re.compile(r"tcp4?-l(?:isten)?:(\d{1,5})((?:,[a-z0-9=.-]+)*)", re.IGNORECASE)
CONNECT = re.compile(r"tcp4?(?:-connect)?:([A-Za-z0-9.-]+):(\d{1,5})", re.IGNORECASE)


def pump(source: socket.socket, target: socket.socket) -> None:
    """Pass everything on until the source ends."""
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for sock in (source, target):
            sock.close()


def serve(client: socket.socket, address: tuple[str, int]) -> None:
    """Join a client with the other side."""
    try:
        other = socket.create_connection(address)
    except OSError:
        client.close()
        return
    back = threading.Thread(target=pump, args=(other, client), daemon=True)
    back.start()
    pump(client, other)
    back.join()
    client.close()
    other.close()


def main() -> None:
    """Do as socat would."""
    if os.path.exists(REAL):
        os.execv(REAL, [REAL, *sys.argv[1:]])  # noqa: S606 - what this is for
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    here, there = (LISTEN.fullmatch(words[0]), CONNECT.fullmatch(words[1])) if len(words) == 2 else (None, None)
    if here is None or there is None:
        sys.stderr.write("socat: not installed on this desktop (Debian package socat); only tcp-listen:PORT,fork tcp:HOST:PORT is known\n")  # fmt: skip  # noqa: E501
        sys.exit(127)
    forks = "fork" in here[2].lower().split(",")
    try:
        door = socket.create_server(("127.0.0.1", int(here[1])))
    except (OSError, OverflowError) as error:
        sys.exit(f"socat: port {here[1]}: {error}")
    while True:
        client, _ = door.accept()
        worker = threading.Thread(target=serve, args=(client, (there[1], int(there[2]))), daemon=forks)
        worker.start()
        if not forks:
            return


main()
