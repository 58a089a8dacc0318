"""Retries: which errors are worth one, how long to wait, and one deadline for all attempts."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from trueline.models.errors import (
    AttemptTimeoutError,
    DeadlineError,
    MalformedResponseError,
    ModelError,
    NeverAnsweredError,
)

T = TypeVar("T")


@dataclass(frozen=True)
class RetryPolicy:
    """When calls to a model are retried."""

    attempts: int = 6
    """Most attempts, the first included."""
    malformed_attempts: int = 2
    """Most attempts after malformed responses: each may cost money."""
    unanswered_attempts: int = 2
    """Most attempts while no connection could ever be made to the server."""
    first_s: float = 0.5
    """The first pause; it doubles each time."""
    longest_s: float = 30.0
    """The longest pause, unless the provider asks for more."""
    attempt_s: float = 300.0
    """The longest a single attempt may take."""
    reported_s: float = 30.0
    """How often the log says that an attempt gets no answer, where no episode is being played that reports it."""
    deadline_s: float = 600.0
    """The longest everything may take, waiting included, unless the request says otherwise."""

    def pause_s(self, attempt: int, error: ModelError, draw: float) -> float | None:
        """Seconds to wait after this failed attempt (the first is 1), or None to give up.

        `draw` in [0, 1) is the jitter: half of the pause is certain, half is random, so that callers do not march in
        step. What the provider asks for is the least.
        """
        if attempt >= self._most(error):
            return None
        pause = min(self.longest_s, self.first_s * 2.0 ** min(attempt - 1, 60)) * (0.5 + draw / 2)
        return max(pause, error.retry_after_s or 0.0)

    def _most(self, error: ModelError) -> int:
        if isinstance(error, NeverAnsweredError):
            return min(self.unanswered_attempts, self.attempts)
        if isinstance(error, MalformedResponseError):
            return self.malformed_attempts
        return self.attempts if error.retryable else 1


async def ask_again(
    policy: RetryPolicy,
    ends_at: float,
    attempt: Callable[[], Awaitable[T]],
    jitter: Callable[[], float] = random.random,
) -> tuple[T, int]:
    """Call until it succeeds, is not worth it, or the deadline is reached.

    Args:
        policy: how patient to be.
        ends_at: the deadline, in the time of the running loop.
        attempt: the call; it raises a `ModelError` when it fails.
        jitter: gives numbers in [0, 1).

    Returns:
        The result and the number of attempts.

    Raises:
        DeadlineError: there is no time left, for the call or for the pause that would come before the next.
        ModelError: the last failure.
    """
    loop = asyncio.get_running_loop()
    number, last = 0, ""
    try:
        async with asyncio.timeout_at(ends_at):
            while True:
                number += 1
                try:
                    return await attempt(), number
                except ModelError as e:
                    error = e
                last = f"; the last attempt: {error}"
                pause = policy.pause_s(number, error, jitter())
                if pause is None:
                    raise error if number == 1 else error.after(number)
                if loop.time() + pause >= ends_at:
                    raise DeadlineError(
                        f"no answer in time: attempt {number} failed and a pause of {pause:.1f} s would pass the "
                        f"deadline{last}"
                    )
                await asyncio.sleep(pause)
    except TimeoutError:
        raise DeadlineError(f"no answer in time, in attempt {number}{last}") from None


async def within(seconds: float, call: Awaitable[T]) -> T:
    """Wait for one attempt, but not forever."""
    try:
        async with asyncio.timeout(seconds):
            return await call
    except TimeoutError:
        raise AttemptTimeoutError(f"no response within {seconds:g} s") from None
