"""Messages with the host: a line of JSON, then the content of the files that it announces under `files`."""

from __future__ import annotations

import json
import socket
from typing import Any

_PIECE = 1 << 18


class Channel:
    """One end of a connected socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._reader = sock.makefile("rb")

    def receive(self) -> tuple[dict[str, Any], dict[str, bytes]] | None:
        """The next message and its files; `None` at the end."""
        line = self._reader.readline()
        if not line.endswith(b"\n"):
            return None
        message: dict[str, Any] = json.loads(line)
        return message, {name: self._reader.read(size) for name, size in message.get("files", [])}

    def send(self, message: dict[str, Any], files: dict[str, bytes] | None = None) -> None:
        """Send a message with files."""
        files = files or {}
        whole = {**message, "files": [[name, len(content)] for name, content in files.items()]}
        self._socket.sendall(json.dumps(whole).encode() + b"\n")
        for content in files.values():
            for start in range(0, len(content), _PIECE):
                self._socket.sendall(content[start : start + _PIECE])
