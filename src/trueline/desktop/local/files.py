"""Writing and reading files inside. The agent inside opens them, so a link can only lead to what the sandbox sees."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from pathlib import Path

from trueline.desktop.local.identity import HOME
from trueline.desktop.local.link import LinkMessage
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import PathRefused


def inside(path: str) -> str:
    """The whole path inside; relative ones start at the home folder, `~/` means it too.

    Raises:
        PathRefused: It is empty or no path.
    """
    if not path or "\0" in path:
        raise PathRefused(f"{path!r}: not a path")
    return os.path.join(HOME, path.removeprefix("~/"))


async def put(sandbox: Sandbox, path: str, content: bytes | Path, mode: int) -> None:
    """Write a file inside, making its folders."""
    fd = await _open(sandbox, path, write=True, mode=mode)
    try:
        await asyncio.to_thread(_write, fd, content)
    except OSError as error:
        raise PathRefused(f"{path}: cannot be written inside: {error.strerror}") from error


async def get(sandbox: Sandbox, path: str, limit: int) -> bytes:
    """Read a plain file inside."""
    fd = await _open(sandbox, path, write=False, mode=0)
    try:
        data = await asyncio.to_thread(_read, fd, limit)
    except OSError as error:
        raise PathRefused(f"{path}: cannot be read inside: {error.strerror}") from error
    if len(data) > limit:
        raise PathRefused(f"{path}: longer than {limit} bytes")
    return data


async def exists(sandbox: Sandbox, path: str) -> bool:
    """Whether there is something at a path inside."""
    answer = await sandbox.agent.ask({"op": "exists", "path": inside(path)})
    return bool(answer.message.exists)


async def _open(sandbox: Sandbox, path: str, *, write: bool, mode: int) -> int:
    answer = await sandbox.agent.ask({"op": "open", "path": inside(path), "write": write, "mode": mode})
    if answer.message.errno is not None:
        raise PathRefused(
            f"{path}: {'cannot be written' if write else 'cannot be read'} inside: {_why(answer.message)}"
        )
    return answer.fd()


def _why(message: LinkMessage) -> str:
    # A FIFO without a reader, a socket or a device: what was opened is not a file.
    if message.errno in (errno.ENXIO, errno.EINVAL):
        return "not a plain file"
    return message.error or "no word why"


def _write(fd: int, content: bytes | Path) -> None:
    with os.fdopen(fd, "wb") as target:
        if isinstance(content, Path):
            with content.open("rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)
        else:
            target.write(content)


def _read(fd: int, limit: int) -> bytes:
    with os.fdopen(fd, "rb") as source:
        return source.read(limit + 1)
