"""The same request again: a client that did not hear the answer gets it now, and nothing is done twice.

OSWorld's client sends an action up to three times until it hears HTTP 200. A request that is equal to one that is still
under way, or whose answer was not taken or was no 200, is such a repetition. Once an answer has been taken, or the
client has gone on to something else, an equal request is a new one: agents do press a key twice.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from trueline.desktop.serve.replies import Reply


@dataclass
class Retries:
    """What may be asked again."""

    _held: dict[bytes, asyncio.Task[Reply]] = field(default_factory=dict[bytes, "asyncio.Task[Reply]"])

    async def do(self, key: bytes, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """Do the work, or give the answer of the same request before. A client that hangs up does not stop it."""
        for other in [other for other, task in self._held.items() if task.done() and other != key]:
            del self._held[other]
        task = self._held.get(key)
        if task is None:
            task = self._held[key] = asyncio.create_task(_run(work))
        try:
            return await asyncio.shield(task)
        except Exception:
            self._held.pop(key, None)  # nothing was done, so the next one is a first one
            raise

    def heard(self, key: bytes, reply: Reply) -> None:
        """The client has taken the answer."""
        if reply.status == 200:
            self._held.pop(key, None)

    async def close(self) -> None:
        """Give up what is under way."""
        tasks = list(self._held.values())
        self._held.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run(work: Callable[[], Awaitable[Reply]]) -> Reply:
    return await work()


def request_key(path: str, body: bytes) -> bytes:
    """The name of a request."""
    return hashlib.sha256(path.encode() + b"\0" + body).digest()
