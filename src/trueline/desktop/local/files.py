"""Writing and reading files inside. The agent inside opens them, so a link can only lead to what the sandbox sees."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from trueline.desktop.local.identity import HOME
from trueline.desktop.local.link import LinkAnswer, LinkMessage
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import ActionTimeout, PathRefused
from trueline.errors import InputError

IO_LIMIT = 300.0
"""Seconds in which the content of a file must have been read or written."""
_LONGEST_PATH = 4095
T = TypeVar("T")


def inside(path: str) -> str:
    """The whole path inside; relative ones start at the home folder, `~/` means it too.

    Raises:
        PathRefused: It is empty or no path.
    """
    if not path or "\0" in path:
        raise PathRefused(f"{path!r}: not a path")
    whole = os.path.join(HOME, path.removeprefix("~/"))
    try:
        length = len(file_name(whole))
    except InputError as error:
        raise PathRefused(f"{path!r}: not a path: contains an unpaired surrogate") from error
    if length > _LONGEST_PATH:
        raise PathRefused(f"{path[:80]}...: a path of {length} bytes, which no file has")
    return whole


def file_name(text: str) -> bytes:
    """A word as bytes for the kernel; bytes that are not UTF-8 are surrogate-escaped, as in Python's paths.

    Raises:
        InputError: It holds half a character, which nothing stands for.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InputError(f"{text[:80]!r}: contains an unpaired surrogate, which cannot be passed on") from error


async def put(sandbox: Sandbox, path: str, content: bytes | Path, mode: int) -> None:
    """Write a file inside, making its folders."""
    fd = await _open(sandbox, path, write=True, mode=mode)
    await _in_time(path, "written", lambda: _write(fd, content))


async def get(sandbox: Sandbox, path: str, limit: int) -> bytes:
    """Read a plain file inside."""
    fd = await _open(sandbox, path, write=False, mode=0)
    data = await _in_time(path, "read", lambda: _read(fd, limit))
    if len(data) > limit:
        raise PathRefused(f"{path}: longer than {limit} bytes")
    return data


async def _in_time(path: str, done: str, work: Callable[[], T]) -> T:
    try:
        async with asyncio.timeout(IO_LIMIT):
            return await asyncio.to_thread(work)
    except TimeoutError as error:
        raise ActionTimeout(f"{path}: could not be {done} inside within {IO_LIMIT:g} s") from error
    except OSError as error:
        raise PathRefused(f"{path}: cannot be {done} inside: {error.strerror}") from error


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
    return plain_file(answer, path)


def plain_file(answer: LinkAnswer, path: str) -> int:
    """Check that a descriptor from inside is a plain file: the agent is not trusted, and a pipe could block.

    Raises:
        PathRefused: It is not a plain file.
    """
    fd = answer.fd()
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise PathRefused(f"{path}: not a plain file")
    os.set_blocking(fd, False)
    return fd


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
