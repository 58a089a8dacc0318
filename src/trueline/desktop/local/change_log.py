"""What changed on a local desktop since the last look, or since the first.

A process of the supervisor's looks (`programs/change_log.py`) and remembers what there was. Here its answers are read,
and changed settings files become changed settings.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from typing import Annotated, BinaryIO, Literal, Self, cast

from pydantic import Field, TypeAdapter

from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.link import close_all
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.settings.stores import PATTERNS, setting_changes
from trueline.desktop.types import DesktopError, DesktopLost
from trueline.records.ledger import Changes, FileChange, ProcessLeft, SettingChange
from trueline.text import named, printable

_LIMIT = 60.0
"""Seconds within which an answer must come."""
_LONGEST = 300
_MOST_SETTINGS = 1000
_Length = Annotated[int, Field(ge=0, le=1 << 20)]
_Row = (
    tuple[
        Literal["file"],
        str,
        Literal["created", "changed", "deleted"],
        Literal["file", "folder", "link", "other"],
        int | None,
    ]
    | tuple[Literal["settings"], str, _Length, _Length]
    | tuple[Literal["process"], str, str]
    | tuple[Literal["unread"], str]
    | tuple[Literal["end"], str, int]
)
_ROW: TypeAdapter[_Row] = TypeAdapter(_Row)


class LocalChangeLog:
    """The connection to the process that looks; one caller at a time."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over a connection; call `open` instead."""
        self._sock = sock
        self._stream = cast("BinaryIO", sock.makefile("rwb"))
        self._one_at_a_time = asyncio.Lock()

    @classmethod
    async def open(cls, sandbox: Sandbox) -> Self:
        """Look for the first time: what comes after counts.

        Raises:
            DesktopError: It cannot be looked at.
        """
        sandbox.check()
        with needs_descriptors("the log of changes"):
            ours, theirs = socket.socketpair()
        self = cls(ours)
        try:
            with theirs:
                answer = await sandbox.supervisor.ask({"op": "change_log"}, [theirs.fileno()])
            close_all(answer.fds)
            if answer.message.errno is not None:
                raise DesktopError(f"the log of changes cannot be kept: {answer.message.error}")
            ours.settimeout(_LIMIT)
            first = await asyncio.to_thread(self._ask, {"settings": PATTERNS})
            if first.unread:
                raise DesktopError(f"the log of changes cannot be kept: {first.unread[0]}")
        except BaseException:
            self.close()
            raise
        return self

    async def since_last(self) -> Changes:
        """What changed since the last look; see `ChangeLog`."""
        return await self._since("last")

    async def since_opened(self) -> Changes:
        """What changed since the log was opened."""
        return await self._since("first")

    async def _since(self, start: str) -> Changes:
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._ask, {"since": start})

    def close(self) -> None:
        """End the process that looks."""
        with self._sock, suppress(OSError):  # the other side may be gone, with what was still to be sent
            self._stream.close()

    def _ask(self, question: dict[str, object]) -> Changes:
        files: dict[str, FileChange] = {}
        settings: list[SettingChange] = []
        processes: list[ProcessLeft] = []
        unread: list[str] = []
        try:
            self._stream.write(json.dumps(question).encode() + b"\n")
            self._stream.flush()
            while True:
                # Through `json`: names need not be Unicode.
                row = _ROW.validate_python(tuple(json.loads(self._stream.readline())))
                match row:
                    case ("file", path, change, type_, size):
                        files[path] = FileChange(path=named(path), change=change, type=type_, size=size)
                    case ("settings", path, before, now):
                        texts = self._stream.read(before), self._stream.read(now)
                        changed = setting_changes(path, *texts)
                        if changed is not None:
                            files.pop(path, None)
                            settings += changed
                    case ("process", program, command):
                        shown = printable(command, _LONGEST)
                        processes.append(ProcessLeft(program=printable(program, _LONGEST), command=shown))
                    case ("unread", why):
                        unread.append(printable(why, _LONGEST))
                    case ("end", problem, omitted):
                        unread += [printable(problem, _LONGEST)] if problem else []
                        return Changes(
                            files=tuple(files.values()),
                            settings=tuple(settings[:_MOST_SETTINGS]),
                            processes=tuple(processes),
                            omitted=omitted + max(0, len(settings) - _MOST_SETTINGS),
                            unread=tuple(unread),
                        )
        except (OSError, ValueError) as error:
            raise DesktopLost("the desktop is gone, and the log of its changes with it; reset it") from error
