"""Who may call, and how often."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Sequence

from trueline.errors import InputError
from trueline.guard.serve.settings import MIN_TOKEN

Clock = Callable[[], float]


class Tokens:
    """The tokens that open the service. Only their digests are kept."""

    def __init__(self, tokens: Sequence[str]) -> None:
        if not tokens or any(len(token) < MIN_TOKEN for token in tokens):
            raise InputError(f"token: give at least one, of {MIN_TOKEN} characters or more")
        if not all(token.isascii() and token.isprintable() and " " not in token for token in tokens):
            raise InputError("token: only printable ASCII characters without spaces")
        self._digests = [_digest(token) for token in tokens]

    def owner(self, authorization: str) -> int | None:
        """Return the number of the token in the header, None if it holds no valid one.

        All tokens are compared, each in constant time: how long it takes tells nothing about them.
        """
        scheme, _, token = authorization.partition(" ")
        given = _digest(token.strip())
        found = [number for number, digest in enumerate(self._digests) if hmac.compare_digest(digest, given)]
        return found[0] if found and scheme.lower() == "bearer" else None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class RateLimit:
    """So many requests a minute for each owner; a quarter of a minute's worth may come at once."""

    def __init__(self, per_minute: float, clock: Clock = time.monotonic) -> None:
        self._per_second = per_minute / 60
        self._burst = max(1.0, per_minute / 4)
        self._clock = clock
        self._left: dict[int, tuple[float, float]] = {}
        """Owner to what is left, and when that was."""

    def wait(self, owner: int) -> float:
        """Take one request; return 0 when it may go, else the seconds after which to try again."""
        now = self._clock()
        left, then = self._left.get(owner, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        if left < 1:
            self._left[owner] = (left, now)
            return (1 - left) / self._per_second
        self._left[owner] = (left - 1, now)
        return 0.0
