"""Notices when the models cannot be reached, over all workers.

A server that never answered stops a run at once; one that did, after so many failed attempts in a row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trueline.errors import TruelineError
from trueline.models.errors import AttemptTimeoutError, ConnectionLostError, ModelError, NeverAnsweredError
from trueline.models.providers import runs_in_process
from trueline.models.retry import RetryPolicy
from trueline.models.types import Answer, Model, ModelId, Request

LIMIT = 20


class ModelsUnreachableError(TruelineError):
    """The models cannot be reached; what was done so far is kept."""


class ConnectionWatch:
    """Counts failed connection attempts in a row. Any response, also one that rejects the request, ends the row."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.failed = 0
        self._last = ""
        self._never = ""

    @property
    def down(self) -> bool:
        """Whether the run must stop. Never reset."""
        return bool(self._never) or self.failed >= self.limit

    def note(self, error: ModelError | None) -> None:
        """Record how an attempt ended; `None` means that it was answered."""
        if self.down:
            return
        if isinstance(error, ConnectionLostError | AttemptTimeoutError):
            self.failed += 1
            self._last = str(error)
        else:
            self.failed = 0

    def never_answered(self, error: NeverAnsweredError) -> None:
        """Record that a server never answered and was given up; its address may be wrong."""
        self._never = self._never or str(error)

    def check(self) -> None:
        """Raise `ModelsUnreachableError` if the run must stop.

        Raises:
            UnreachableError: None is.
        """
        if self._never:
            raise ModelsUnreachableError(self._never)
        if self.down:
            raise ModelsUnreachableError(
                f"{self.failed} attempts in a row did not reach a model; the last one: {self._last}"
            )


@dataclass(frozen=True)
class WatchedRetry(RetryPolicy):
    """A retry policy that reports every failed attempt, and gives up on all once the limit is reached."""

    watch: ConnectionWatch = field(default_factory=ConnectionWatch)

    def pause_s(self, attempt: int, error: ModelError, draw: float) -> float | None:
        """Seconds to wait after this failed attempt, or None to give up."""
        self.watch.note(error)
        pause = None if self.watch.down else super().pause_s(attempt, error, draw)
        if pause is None and isinstance(error, NeverAnsweredError):
            self.watch.never_answered(error)
        return pause


class WatchedModel:
    """A model that reports its answers; and its failures, where no retry policy does so."""

    def __init__(self, inner: Model, watch: ConnectionWatch) -> None:
        self._inner = inner
        self._watch = watch
        self._in_process = runs_in_process(inner.id.provider)

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        return self._inner.id

    async def ask(self, request: Request) -> Answer:
        """Answer the request or raise a `ModelError`."""
        try:
            answer = await self._inner.ask(request)
        except ModelError as error:
            if self._in_process:
                self._watch.note(error)
            raise
        self._watch.note(None)
        return answer

    async def close(self) -> None:
        """Close the inner model."""
        await self._inner.close()
