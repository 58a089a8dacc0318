"""Server settings."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class ServeSettings:
    """Limits. Each prevents a denial of service, or a client that waits forever."""

    max_body: int = 8 * MIB
    """Most bytes of a request without a file."""
    max_upload: int = 256 * MIB
    """Most bytes of a request with a file."""
    max_held: int = 512 * MIB
    """Most bytes that the bodies of all requests in progress may take together; further requests are told to retry."""
    max_file: int = 256 * MIB
    """Most bytes of a file that is read back."""
    peer_seconds: float = 30.0
    """Time limit for receiving the head of a request, and for sending an answer."""
    body_seconds: float = 300.0
    """Time limit for receiving a request."""
    command_seconds: float = 120.0
    """Time limit of a command: OSWorld's own."""
    python_seconds: float = 30.0
    """Time limit of `/run_python`: OSWorld's own."""
    longest_wait: float = 600.0
    """The longest time that a client can ask to wait for a script or a verification."""
    open_seconds: float = 120.0
    """Time limit for an opened file to show its window."""
    download_seconds: float = 300.0
    max_in_flight: int = 64
    """Most concurrent requests."""

    @property
    def max_connections(self) -> int:
        """Most concurrent connections: those with a request in progress, and some that are idle."""
        return 4 * self.max_in_flight
