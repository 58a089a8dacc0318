"""At most once: the same action id again gives the first answer and does nothing."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from trueline.desktop.serve.replies import Refused, Reply

HEADER = "x-trueline-action-id"
_LONGEST_ID = 200
_MOST_IDS = 100_000
_MOST_BYTES = 64 << 20
"""Answers are kept up to this much together; ids whose answer is gone are still known."""


@dataclass
class _Done:
    what: bytes
    """Digest of the request."""
    task: asyncio.Task[Reply] | None


class AtMostOnce:
    """Remembers what was done under which id."""

    def __init__(self) -> None:
        self._done: OrderedDict[str, _Done] = OrderedDict()
        self._kept: OrderedDict[str, int] = OrderedDict()
        self._bytes = 0

    async def do(self, id: str, request: bytes, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """Do the work, unless it was done under this id.

        Raises:
            Refused: The id is not an id, stands for another request, or its answer is no longer kept.
        """
        if not 0 < len(id) <= _LONGEST_ID or not id.isprintable():
            raise Refused(400, f"{HEADER}: must be 1 to {_LONGEST_ID} printable characters")
        what = hashlib.sha256(request).digest()
        done = self._done.get(id)
        if done is None:
            # A client that hangs up does not stop the work: it may have begun, and the id stays used.
            done = self._done[id] = _Done(what, asyncio.create_task(self._work(id, work)))
        if done.what != what:
            raise Refused(409, f"{HEADER}: this id was used for another request", "conflict")
        if done.task is None:
            raise Refused(409, f"{HEADER}: this request was already done; its answer is no longer stored", "conflict")
        return await asyncio.shield(done.task)

    async def _work(self, id: str, work: Callable[[], Awaitable[Reply]]) -> Reply:
        reply = await work()
        self._kept[id] = len(reply.content)
        self._bytes += len(reply.content)
        while self._bytes > _MOST_BYTES:
            oldest, size = self._kept.popitem(last=False)
            self._bytes -= size
            self._done[oldest].task = None
        while len(self._done) > _MOST_IDS:
            oldest, _ = self._done.popitem(last=False)
            self._bytes -= self._kept.pop(oldest, 0)
        return reply
