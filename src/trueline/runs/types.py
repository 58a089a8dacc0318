"""The contracts between the episode loop and the packages around it, and what an episode leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from trueline.agents.types import Agent, AgentContext
from trueline.desktop.types import Desktop
from trueline.guard.correction import Ask, CorrectionPolicy
from trueline.guard.session import Session
from trueline.records.attack import Funnel
from trueline.records.end import End, Unscored
from trueline.records.episode import CheckRecord, ScoredBy
from trueline.records.events import Event
from trueline.records.folder.checker_files import CheckerEvidence
from trueline.records.ledger import Changes, Ledger
from trueline.records.observation import Observation, ObservationRecord, ObservationSpec, StoredFile
from trueline.records.proposal import Proposal
from trueline.records.setting import EpisodeLimits
from trueline.records.step import Step
from trueline.records.usage import Usage


class Unfinished(Exception):
    """The episode cannot be scored, and the agent is not the cause."""

    def __init__(self, reason: Unscored, where: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.where = where


class AgentFailed(Exception):
    """The agent itself failed, so the episode is scored."""


class Recorder(Protocol):
    """Records an episode durably: what a returned call recorded is not lost. An `EpisodeWriter` is one."""

    def keep_observation(self, observation: Observation) -> ObservationRecord:
        """Store what the agent is about to see."""
        ...

    def keep_screenshot(self, png: bytes, *, step: int, time: datetime) -> StoredFile:
        """Store the screen after an action."""
        ...

    def step(self, step: Step, *, time: datetime | None = None) -> None:
        """Record a whole step."""
        ...

    def append(self, event: Event) -> None:
        """Record something else."""
        ...

    def log(self, message: str) -> None:
        """Add a line for people."""
        ...

    def keep_evidence(self, evidence: CheckerEvidence, contents: Mapping[str, bytes]) -> None:
        """Keep what the checker compared; a later call replaces it."""
        ...


@dataclass(frozen=True)
class Scored:
    """The checker's score of the final state."""

    score: float
    checks: tuple[CheckRecord, ...] = ()
    scored_by: ScoredBy | None = None


@dataclass(frozen=True)
class CheckedValues:
    """What a check compared."""

    evidence: CheckerEvidence
    contents: Mapping[str, bytes]
    """Files by their SHA-256."""


class EpisodeTask(Protocol):
    """A task on a desktop: set up, watched, checked."""

    async def prepare(self) -> None:
        """Set the desktop up for the task, attack included.

        Raises:
            SetupError: A step failed.
        """
        ...

    async def seen(self, step: int, observation: Observation, agent: Agent) -> None:
        """Note what the agent sees."""
        ...

    def proposed(self, step: int, proposal: Proposal, *, ran: bool) -> None:
        """Note what the agent proposed, and whether it was allowed."""
        ...

    @property
    def has_checker(self) -> bool:
        """Whether anything scores the final state."""
        ...

    async def check(self, *, failed: bool) -> Scored:
        """Score the final state; `failed` if the agent ended with FAIL.

        Raises:
            CheckerError: It could not be scored.
        """
        ...

    def checked(self) -> CheckedValues | None:
        """What the last check compared, also where it gave no score; `None` if it read nothing."""
        ...

    async def changes(self) -> Changes | None:
        """What changed on the desktop since the last call, or the end of the set-up; `None` where nobody looks."""
        ...

    async def ledger(self) -> Ledger | None:
        """What changed since the end of the set-up. Raises DesktopError."""
        ...

    async def funnel(self, end: End, scored: Scored | None) -> Funnel | None:
        """How far the attack has got by the end of this try or of one before; `None` without one.

        `scored` is `None` where there is no checker.
        """
        ...


@dataclass(frozen=True)
class Oversight:
    """The guard in front of one episode, and how its verdicts are enforced."""

    session: Session
    policy: CorrectionPolicy = field(default_factory=CorrectionPolicy)
    ask: Ask | None = None
    renew: Callable[[str], Session] | None = None
    """Makes a session for the next try, with the user's message; `None` keeps the same session."""


@dataclass(frozen=True)
class FailedTry:
    """A try that did not succeed."""

    number: int
    """Counted from 1."""
    end: End
    score: float
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class UserMessage:
    """What the user says before the next try."""

    text: str
    usage: Usage | None = None


class Retrying(Protocol):
    """Decides what happens after a failed try."""

    @property
    def max_total_steps(self) -> int | None:
        """Steps that all tries share."""
        ...

    async def after(self, tried: FailedTry) -> UserMessage | None:
        """What to tell the agent before the next try; `None` when there is none."""
        ...


@dataclass(frozen=True)
class Pace:
    """How long the loop waits for the screen after an action."""

    quiet: float = 0.05
    """Seconds without a change that count as settled while all programs sleep, and 0.1 s more when some run."""
    most: float = 3.0
    """Seconds after which the loop continues anyway."""
    extra: float = 0.0
    """Additional seconds, as `--sleep_after_execution` of OSWorld."""


Slot = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class EpisodeParts:
    """The objects one episode is played with."""

    desktop: Desktop
    agent: Agent
    context: AgentContext
    task: EpisodeTask
    oversight: Oversight | None = None
    retrying: Retrying | None = None
    other_usage: list[Usage] = field(default_factory=list[Usage])
    """Usage of the other models so far: the narrator's and the simulated user's."""
    slot: Slot = nullcontext
    """Waits for a slot once the desktop is set up; time limits start then."""
    limits: EpisodeLimits = field(default_factory=EpisodeLimits)
    pace: Pace = field(default_factory=Pace)
    unchecked_score: float = 0.0
    """The score if nothing can be checked: 1 for a task whose score measures harm."""
    slow_answer: float = 45.0
    """Seconds that a pending model call gets at the time limit, to tell a slow model from one that hangs."""
    also_want: ObservationSpec = field(default_factory=lambda: ObservationSpec(screenshot=True))
    """What the recorder and the guard want to see besides the agent."""


def unchecked_score(*, harm: bool) -> float:
    """The score if nothing can be checked; harm that cannot be ruled out counts as done."""
    return 1.0 if harm else 0.0
