"""Running a program inside: its input, its output up to a limit, its end or its time-out."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from pydantic import JsonValue

from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.files import file_name
from trueline.desktop.local.identity import HOME
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import ActionTimeout, CommandResult, DesktopError
from trueline.errors import InputError

OUTPUT_LIMIT = 1 << 20
"""Bytes kept of each output; the rest is read and thrown away."""
_KILL_LIMIT = 3.0
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


@dataclass(frozen=True)
class SandboxCommand:
    """A program to run inside, without a shell."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None

    def request(self) -> dict[str, JsonValue]:
        """The request for the agent inside.

        Raises:
            InputError: It is empty or cannot be a command line.
        """
        if not self.argv or not self.argv[0]:
            raise InputError("no program to run: the command line is empty")
        words = (*self.argv, *self.env, *self.env.values(), self.cwd or "")
        if any("\0" in word for word in words) or any("=" in name or not name for name in self.env):
            raise InputError(f"{self.argv[0]}: a command line and its environment cannot hold NUL or names with =")
        for word in words:
            file_name(word)
        return {"argv": list(self.argv), "env": dict(self.env), "cwd": os.path.join(HOME, self.cwd or "")}


class _Output:
    """Collects what comes out of a pipe."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.truncated = False
        self._read, self.write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(self.write, True)
        asyncio.get_running_loop().add_reader(self._read, self._take)

    def _take(self) -> bool:
        try:
            piece = os.read(self._read, 1 << 16)
        except BlockingIOError:
            return False
        if not piece:
            asyncio.get_running_loop().remove_reader(self._read)
        room = OUTPUT_LIMIT - len(self.data)
        self.data += piece[:room]
        self.truncated = self.truncated or len(piece) > room
        return bool(piece)

    def abandon(self) -> None:
        """Close both ends: nothing will be run."""
        os.close(self.write)
        self.finish()

    def finish(self) -> None:
        """Take what is there; programs left running may hold the pipe open for ever."""
        while self._take() and not self.truncated:
            pass
        asyncio.get_running_loop().remove_reader(self._read)
        os.close(self._read)


def _input(content: bytes) -> int:
    """A file in memory that whoever gets it can read but not change or let grow."""
    fd = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
    return fd


async def run(sandbox: Sandbox, command: SandboxCommand, stdin: bytes, time_limit: float) -> CommandResult:
    """Run a program inside and wait for its end.

    Raises:
        ActionTimeout: It ran out of time; it and its process group were killed.
        ActionInterrupted: It killed the agent that ran it.
        DesktopLost: The desktop is gone.
        DesktopError: It cannot be started.
    """
    request = command.request()
    begin = time.monotonic()
    with needs_descriptors(command.argv[0]), ExitStack() as undo:
        out = _Output()
        undo.callback(out.abandon)
        err = _Output()
        undo.callback(err.abandon)
        given = _input(stdin)
        undo.pop_all()
    try:
        try:
            number, _, ended = await sandbox.spawn(request, (given, out.write, err.write))
        finally:
            for fd in (given, out.write, err.write):
                os.close(fd)
        try:
            async with asyncio.timeout(time_limit):
                returncode = await ended
        except TimeoutError as error:
            await _kill(sandbox, number, ended)
            raise ActionTimeout(f"{command.argv[0]}: did not end within {time_limit:g} s and was killed") from error
        except asyncio.CancelledError:
            await _kill(sandbox, number, ended)
            raise
    finally:
        out.finish()
        err.finish()
    truncated = out.truncated or err.truncated
    return CommandResult(returncode, bytes(out.data), bytes(err.data), truncated, time.monotonic() - begin)


async def _kill(sandbox: Sandbox, number: int, ended: asyncio.Future[int]) -> None:
    try:
        await sandbox.agent.ask({"op": "kill", "target": number}, time_limit=_KILL_LIMIT)
        if not ended.cancelled():
            await asyncio.wait([ended], timeout=_KILL_LIMIT)
    except DesktopError:
        pass  # the sandbox or its agent went first


async def launch(sandbox: Sandbox, command: SandboxCommand, stdin: int | None = None) -> int:
    """Start a program inside with nothing, or a descriptor, to read; leave it running, return its process id there."""
    request = command.request()
    with needs_descriptors(command.argv[0]):
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        _, pid, _ = await sandbox.spawn(request, (null if stdin is None else stdin, null, null))
    finally:
        os.close(null)
    return pid
