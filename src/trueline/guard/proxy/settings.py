"""Proxy settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from trueline.guard.config import OnError
from trueline.guard.correction import CorrectionPolicy
from trueline.guard.session import TellsSteps
from trueline.records.observation import ObservationSpec

SideDoors = Literal["closed", "guarded"]
"""What to do with the other ways to run code within a session: refuse them, or judge them as code."""
WithoutSession = Literal["refuse", "pass"]
"""What to do with actions while there is no session."""
MIB = 1 << 20


@dataclass(frozen=True)
class ProxySettings:
    """Policies and limits."""

    on_error: OnError = "block"
    """What an undecided verdict means; nobody can be asked here, so `ask` blocks too."""
    shadow: bool = False
    """Only watch: verdicts are recorded, and everything runs."""
    side_doors: SideDoors = "closed"
    without_session: WithoutSession = "refuse"
    sees: ObservationSpec = field(default_factory=lambda: ObservationSpec(tree=True))
    """What the guard observes; an action whose screen cannot be observed is blocked."""
    narrator: TellsSteps | None = None
    """Makes the narratives of executed steps."""
    check_seconds: float = 45.0
    """Time limit of a check; OSWorld's client waits 90 s for an action, the time to run it included."""
    look_seconds: float = 30.0
    """Time limit for observing the screen, in addition to that."""
    read_seconds: float = 130.0
    """Time limit for the machine to answer a request that changes nothing."""
    work_seconds: float = 660.0
    """Time limit for it to answer any other request."""
    max_body: int = 8 * MIB
    max_upload: int = 256 * MIB
    max_held: int = 512 * MIB
    """Most bytes that the bodies of all requests in progress may take together; further requests are told to retry."""
    max_answer: int = 512 * MIB
    """Most bytes of an answer of the machine; a recording is the longest."""
    max_output: int = 32 * MIB
    """Most bytes of its answer to a command."""
    peer_seconds: float = 30.0
    """Time limit for receiving the head of a request, and for sending an answer."""
    body_seconds: float = 300.0
    max_in_flight: int = 64

    @property
    def policy(self) -> CorrectionPolicy:
        """What verdicts lead to: a request is answered, so nothing is revised here."""
        return CorrectionPolicy(max_revisions=0, shadow=self.shadow)

    @property
    def max_connections(self) -> int:
        """Most concurrent connections: those with a request in progress, and some that are idle."""
        return 4 * self.max_in_flight
