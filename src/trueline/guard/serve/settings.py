"""Service settings."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.guard.config import OnError
from trueline.guard.session import CHECK_SECONDS, MAX_STEPS, TellsSteps


@dataclass(frozen=True)
class GuardServeSettings:
    """Limits and policies. Each limit prevents a denial of service."""

    on_error: OnError = "block"
    """What an undecided verdict means."""
    assume_executed: bool = True
    """Count allowed proposals as executed unless they are reported otherwise."""
    narrator: TellsSteps | None = None
    """Makes the narratives of executed steps."""
    max_body: int = 16 * 1024 * 1024
    """Most bytes of one request."""
    max_held: int = 256 * 1024 * 1024
    """Most bytes that the bodies of all requests in progress may take together; further requests are told to retry."""
    peer_seconds: float = 10.0
    """Time limit for receiving the head of a request, and for sending an answer."""
    body_seconds: float = 30.0
    """Time limit for receiving the body of a request."""
    check_seconds: float = CHECK_SECONDS
    """Time limit of a check, after which it is undecided."""
    rate: float = 600.0
    """Most requests per minute and token."""
    max_in_flight: int = 64
    """Most concurrent requests, over all tokens."""
    max_sessions: int = 64
    """Most open sessions per token."""
    session_seconds: float = 3600.0
    """Time after which an unused session ends."""
    session_bytes: int = 32 * 1024 * 1024
    """Most memory in bytes for the history of one session, approximately."""
    session_steps: int = MAX_STEPS
    """Most steps, and most rejections, of one session."""

    @property
    def max_connections(self) -> int:
        """Most concurrent connections: those with a request in progress, and some that are idle."""
        return 4 * self.max_in_flight
