"""Server settings."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class ServeSettings:
    """Limits. Each prevents a denial of service, or a client that waits forever."""

    max_body: int = 8 * MIB
    """Bytes of a request that carries no file."""
    max_upload: int = 256 * MIB
    """Bytes of a request that carries one."""
    max_held: int = 512 * MIB
    """Bytes that the bodies of all requests under way may have together; more are told to come back."""
    max_file: int = 256 * MIB
    """Bytes of a file that is read back."""
    peer_seconds: float = 30.0
    """In which the head of a request must have arrived, and an answer must have been taken."""
    body_seconds: float = 300.0
    """In which a request must have arrived."""
    command_seconds: float = 120.0
    """In which a command must have ended: OSWorld's own limit."""
    python_seconds: float = 30.0
    """In which `/run_python` must have ended: OSWorld's own limit."""
    longest_wait: float = 600.0
    """The most that a client can ask to wait for a script or for a verification."""
    open_seconds: float = 120.0
    """In which a file that was opened must have its window."""
    download_seconds: float = 300.0
    max_in_flight: int = 64
    """Requests at the same time."""

    @property
    def max_connections(self) -> int:
        """At the same time: those of requests, and some that rest between two."""
        return 4 * self.max_in_flight
