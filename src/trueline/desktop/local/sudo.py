"""The host's side of `sudo`: requests from inside are answered here, where the password and the record are safe."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.local.sinks import listen

ADDRESS, PORT = "127.83.85.68", 912
"""Where the program inside asks; an address of the sandbox's loopback that nothing else uses."""
KEPT = 900.0
"""Seconds for which a correct password is remembered."""
_TRIES = 3
_WRONG = 0.3
"""Delay in seconds after a wrong password; only one is checked at a time."""
_LINE = 1 << 18
_MOST = 2_000
"""Calls that are recorded; those beyond are refused, so that none is run unrecorded."""
_KEPT, _WORD = 8_192, 64
"""Bytes of one call's words that are kept, and what a word counts beyond its own bytes."""
_TALKS = 16
"""Calls that are listened to at once; others wait outside, where they cost the host nothing."""
_FIRST_LINE, _ANSWER_LIMIT = 5.0, 600.0
"""Seconds in which a call must have said what it wants, and for which a password is waited for."""
_AGAIN = 0.2
"""Seconds until the next try when the host has no descriptor left."""

Outcome = Literal["run", "refused", "no password"]
Program = Literal["sudo", "su", "passwd", "chsh", "chfn", "gpasswd", "newgrp"]


@dataclass(frozen=True)
class SudoRequest:
    """One call of `sudo` inside."""

    time: datetime
    argv: tuple[str, ...]
    """Everything after `sudo`, or after `program`."""
    cwd: str
    outcome: Outcome
    digest: str | None = None
    """SHA-256 of the whole `argv` as JSON when it was too long to keep; `argv` is then its beginning."""
    program: Program = "sudo"
    """On a desktop with root also a program that asks for passwords itself; whether it let the caller is not known."""


class _Call(BaseModel):
    """What the program inside sends; anything inside may send it too."""

    model_config = ConfigDict(extra="ignore", strict=True)

    argv: list[str]
    cwd: str
    flags: str = ""
    program: Program = "sudo"


_PASSWORD, _JSON = TypeAdapter(str), TypeAdapter(dict[str, str])


class Sudo:
    """Answers every `sudo` of one desktop and remembers it."""

    def __init__(self, password: str | None) -> None:
        """With no password everything is refused; call `open` instead."""
        self._password = password
        self._requests: list[SudoRequest] = []
        self._right_until = 0.0
        self._one_at_a_time = asyncio.Lock()
        self._dropped = 0
        self._door: socket.socket | None = None
        self._serving: asyncio.Task[None] | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, sandbox: Sandbox) -> Self:
        """Listen inside a sandbox, before anything there could."""
        self = cls(sandbox.options.sudo_password)
        self._door = await listen(sandbox, PORT, address=ADDRESS)
        self._door.setblocking(False)
        self._serving = asyncio.create_task(self._serve(self._door))
        return self

    @property
    def requests(self) -> Sequence[SudoRequest]:
        """All requests, the oldest first."""
        return tuple(self._requests)

    @property
    def dropped(self) -> int:
        """How many calls were refused because the record was full; they are not in it."""
        return self._dropped

    async def close(self) -> None:
        """Stop answering."""
        tasks = [*self._talks, *([] if self._serving is None else [self._serving])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._door is not None:
            self._door.close()

    async def _serve(self, door: socket.socket) -> None:
        room = asyncio.Semaphore(_TALKS)

        def ended(task: asyncio.Task[None]) -> None:
            self._talks.discard(task)
            room.release()

        while True:
            await room.acquire()
            try:
                caller, _ = await asyncio.get_running_loop().sock_accept(door)
            except OSError:
                room.release()
                await asyncio.sleep(_AGAIN)
                continue
            task = asyncio.create_task(self._talk(caller))
            self._talks.add(task)
            task.add_done_callback(ended)

    async def _talk(self, caller: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(sock=caller, limit=_LINE)
        except BaseException:
            caller.close()
            raise
        # Whoever talks nonsense is not answered.
        with suppress(OSError, ValueError, EOFError, asyncio.LimitOverrunError):
            try:
                async with asyncio.timeout(_FIRST_LINE):
                    call = _Call.model_validate_json(await reader.readuntil())
                async with asyncio.timeout(_ANSWER_LIMIT):
                    refusal = await self._judge(call, reader, writer)
                    writer.write(_JSON.dump_json({"refused": refusal}) + b"\n")
                    await writer.drain()
            finally:
                writer.close()

    async def _judge(self, call: _Call, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """Why it is refused; empty if it is allowed."""
        if len(self._requests) >= _MOST:
            self._dropped += 1
            return "too many requests."
        if call.program != "sudo":
            self._note(call, "run")
            return ""
        if set(call.flags) & {"k", "K"}:
            self._right_until = 0.0
            if not any(not word.startswith("-") for word in call.argv):
                return ""
        if self._password is None:
            self._note(call, "refused")
            return "user is not in the sudoers file."
        if time.monotonic() < self._right_until:
            self._note(call, "run")
            return ""
        if "n" in call.flags:
            self._note(call, "no password")
            return "a password is required"
        if await self._ask_password(self._password, reader, writer):
            self._right_until = time.monotonic() + KEPT
            self._note(call, "run")
            return ""
        self._note(call, "refused")
        return "no valid password was provided"

    async def _ask_password(self, password: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        for number in range(_TRIES):
            writer.write(_JSON.dump_json({"ask": "Sorry, try again." if number else ""}) + b"\n")
            await writer.drain()
            try:
                given = _PASSWORD.validate_json(await reader.readuntil())
            except ValidationError:
                return False
            async with self._one_at_a_time:
                if hmac.compare_digest(given.encode(), password.encode()):
                    return True
                await asyncio.sleep(_WRONG)
            if not given:
                return False
        return False

    def _note(self, call: _Call, outcome: Outcome) -> None:
        argv, left = list[str](), _KEPT
        for word in call.argv:
            left -= len(word.encode("utf-8", "replace")) + _WORD
            if left < 0:
                break
            argv.append(word)
        whole = len(argv) == len(call.argv)
        digest = None if whole else hashlib.sha256(json.dumps(call.argv).encode()).hexdigest()
        self._requests.append(
            SudoRequest(datetime.now(UTC), tuple(argv), call.cwd[:_KEPT], outcome, digest, call.program)
        )
