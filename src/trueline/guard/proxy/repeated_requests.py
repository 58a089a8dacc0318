"""The same request again: a client that did not hear the answer gets it now, and nothing is done twice.

OSWorld's client sends an action up to three times, five seconds apart, until it hears HTTP 200; nothing in the request
says so. Equal requests are one when the first is still under way; when it was not answered with 200, or the client hung
up; and, because an answer can also be lost on its way, when the second comes at just that distance and the client has
not looked at the screen in between, as it does after each step. Any other is a new one: agents do press a key twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from trueline.desktop.serve.replies import Reply

SOONEST, LATEST = 4.0, 8.0
"""Seconds after an answer within which OSWorld's client would retry."""


@dataclass
class _Held:
    task: asyncio.Task[Reply]
    answered: float = 0.0
    heard: bool = False
    """Whether the client apparently received the answer and accepted it."""


class RepeatedRequests:
    """Requests that a client may repeat: all in progress, and the last one answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[bytes, _Held] = {}

    async def do(self, key: bytes, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """Do the work, or give the answer of the same request before. A client that hangs up does not stop it.

        An error means that nothing was done, so it is not kept.
        """
        for other, held in list(self._held.items()):
            if held.task.done() and (other != key or not self._is_repeated(held)):
                del self._held[other]
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = _Held(asyncio.create_task(_run(work)))
        try:
            reply = await asyncio.shield(held.task)
        except Exception:
            self._held.pop(key, None)
            raise
        held.answered = self._clock()
        return reply

    def heard(self, key: bytes, reply: Reply) -> None:
        """Note that the client was connected when it was answered."""
        if key in self._held:
            self._held[key].heard = reply.status == 200

    def went_on(self) -> None:
        """Note a request that shows that the client is not retrying."""
        for key, held in list(self._held.items()):
            if held.task.done() and held.heard:
                del self._held[key]

    def _is_repeated(self, held: _Held) -> bool:
        passed = self._clock() - held.answered
        return (SOONEST if held.heard else 0.0) <= passed <= LATEST


async def _run(work: Callable[[], Awaitable[Reply]]) -> Reply:
    return await work()


def request_key(path: str, body: bytes) -> bytes:
    """The name of a request."""
    return hashlib.sha256(path.encode() + b"\0" + body).digest()
