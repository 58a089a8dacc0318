"""The other side of `sudo`: who asks inside is answered from outside, where the password and the record are safe."""

from __future__ import annotations

import asyncio
import hmac
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
"""Seconds for which the right password need not be given again."""
_TRIES = 3
_WRONG = 0.3
"""Seconds a wrong password costs; one is looked at at a time."""
_LINE = 1 << 18
_MOST = 10_000
_ANSWER_LIMIT = 600.0

Outcome = Literal["run", "refused", "no password"]


@dataclass(frozen=True)
class SudoRequest:
    """One call of `sudo` inside."""

    time: datetime
    argv: tuple[str, ...]
    """Everything after `sudo`."""
    cwd: str
    outcome: Outcome


class _Call(BaseModel):
    """What the program inside sends; anything inside may send it too."""

    model_config = ConfigDict(extra="ignore", strict=True)

    argv: list[str]
    cwd: str
    flags: str = ""


_PASSWORD, _JSON = TypeAdapter(str), TypeAdapter(dict[str, str])


class Sudo:
    """Answers every `sudo` of one desktop and remembers it."""

    def __init__(self, password: str | None) -> None:
        """With no password everything is refused; call `open` instead."""
        self._password = password
        self._requests: list[SudoRequest] = []
        self._right_until = 0.0
        self._one_at_a_time = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, sandbox: Sandbox) -> Self:
        """Listen inside a sandbox, before anything there could."""
        self = cls(sandbox.options.sudo_password)
        sock = await listen(sandbox, PORT, address=ADDRESS)
        self._server = await asyncio.start_server(self._talk, sock=sock, limit=_LINE)
        return self

    @property
    def requests(self) -> Sequence[SudoRequest]:
        """What was asked for, the first first."""
        return tuple(self._requests)

    async def close(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.close()
        for task in self._talks:
            task.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            # Whoever talks nonsense is not answered.
            with suppress(OSError, ValueError, EOFError, asyncio.LimitOverrunError):
                async with asyncio.timeout(_ANSWER_LIMIT):
                    call = _Call.model_validate_json(await reader.readuntil())
                    refusal = await self._judge(call, reader, writer)
                    writer.write(_JSON.dump_json({"refused": refusal}) + b"\n")
                    await writer.drain()
        finally:
            self._talks.discard(task)
            writer.close()

    async def _judge(self, call: _Call, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """What there is against it, nothing when it is allowed."""
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
        if await self._knows(self._password, reader, writer):
            self._right_until = time.monotonic() + KEPT
            self._note(call, "run")
            return ""
        self._note(call, "refused")
        return "no valid password was provided"

    async def _knows(self, password: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
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
        if len(self._requests) < _MOST:
            self._requests.append(SudoRequest(datetime.now(UTC), tuple(call.argv), call.cwd, outcome))
