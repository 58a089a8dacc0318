"""Files of the home folder read from outside, whatever the permissions inside say.

The supervisor reads them (`programs/contents.py`).
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from typing import Literal

from pydantic import TypeAdapter

from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.link import close_all
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import DesktopError, DesktopLost, HomeFile

_LIMIT = 300.0
"""Seconds within which the other side must say something."""
_Kind = Literal["file", "large", "link", "other", "gone", "error", "end"]
_LINE: TypeAdapter[tuple[_Kind, int, str]] = TypeAdapter(tuple[_Kind, int, str])


async def read(sandbox: Sandbox, paths: Sequence[str], limit: int) -> tuple[HomeFile, ...]:
    """The content of files that were created or changed; see `ReadsHome`."""
    return tuple(file for file, _ in await _ask(sandbox, paths, limit))


async def digests(sandbox: Sandbox, paths: Sequence[str]) -> tuple[str, ...]:
    """Digests of the content of such files; see `ReadsHome`."""
    return tuple(f"{file.kind} {digest}" for file, digest in await _ask(sandbox, paths, None))


async def _ask(sandbox: Sandbox, paths: Sequence[str], limit: int | None) -> list[tuple[HomeFile, str]]:
    if not paths:
        return []
    sandbox.check()
    with needs_descriptors("files of the home folder"):
        ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            answer = await sandbox.supervisor.ask({"op": "contents"}, [theirs.fileno()])
        close_all(answer.fds)
        return await asyncio.to_thread(_receive, ours, paths, limit)


def _receive(sock: socket.socket, paths: Sequence[str], limit: int | None) -> list[tuple[HomeFile, str]]:
    found: list[tuple[HomeFile, str]] = []
    sock.settimeout(_LIMIT)
    try:
        with sock.makefile("rwb") as stream:
            # ASCII: names need not be text.
            stream.write(json.dumps({"limit": limit, "paths": list(paths)}).encode() + b"\n")
            stream.flush()
            for path in paths:
                kind, length, said = _LINE.validate_json(stream.readline())
                if kind == "error" or kind == "end":
                    raise DesktopError(f"files of the home folder cannot be read: {said}")
                found.append((HomeFile(path, kind, stream.read(length)), said))
    except (OSError, ValueError) as error:
        raise DesktopLost("the desktop is gone and its home folder with it; reset it") from error
    return found
