"""Service settings."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.guard.config import OnError
from trueline.guard.session import CHECK_SECONDS, MAX_STEPS, TellsSteps


@dataclass(frozen=True)
class ServeSettings:
    """Limits and policies. Each limit prevents a denial of service."""

    on_error: OnError = "block"
    """What an undecided verdict means."""
    assume_executed: bool = True
    """What was let through and not reported on counts as executed."""
    narrator: TellsSteps | None = None
    """Makes the narratives of executed steps."""
    max_body: int = 16 * 1024 * 1024
    """Bytes of one request."""
    max_held: int = 256 * 1024 * 1024
    """Bytes that the bodies of all requests under way may have together; more are told to come back."""
    peer_seconds: float = 10.0
    """In which the head of a request must have arrived, and an answer must have been taken."""
    body_seconds: float = 30.0
    """In which the body of a request must have arrived."""
    check_seconds: float = CHECK_SECONDS
    """After which a check is undecided."""
    rate: float = 600.0
    """Requests per minute and token."""
    max_in_flight: int = 64
    """Requests at the same time, over all tokens."""
    max_sessions: int = 64
    """For each token."""
    session_seconds: float = 3600.0
    """After which an unused session ends."""
    session_bytes: int = 32 * 1024 * 1024
    """About how much memory the history of one session may take."""
    session_steps: int = MAX_STEPS
    """How many steps, and how many rejections, one session may hold."""

    @property
    def max_connections(self) -> int:
        """At the same time: those of requests, and some that rest between two."""
        return 4 * self.max_in_flight
