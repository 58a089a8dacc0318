"""The jobs, options, events and result of a batch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trueline.desktop.types import Desktop
from trueline.records import EpisodeRecord, EpisodeWriter, Location, StoreLevel
from trueline.records.events import Ended, Started
from trueline.runs.batch.claims import RENEW_S
from trueline.runs.types import Slot

Play = Callable[[Desktop, EpisodeWriter, Slot], Awaitable[Ended]]
OpenDesktop = Callable[[], AbstractAsyncContextManager[Desktop]]


@dataclass(frozen=True)
class Job:
    """One episode to run."""

    location: Location
    begin: Callable[[], Started]
    """The first line of its record."""
    play: Play
    """Plays it on a fresh desktop: sets it up, and continues once it has a slot."""
    unsupported: str = ""
    """Why it cannot be played; then it is only recorded. Empty if it can."""
    missing_files: str = ""
    """Why it cannot be set up now; then that is recorded, and it is tried again on resume. Empty if it can."""
    rerun: bool = False
    """Run it again even if it is done."""
    root: bool = False
    """It needs a desktop whose user can become root."""

    @property
    def path(self) -> Path:
        """Its folder, below the result folder."""
        return self.location.path


@dataclass(frozen=True)
class BatchEvent:
    """A progress event."""

    what: Literal["files", "skipped", "started", "ended", "again", "paused", "elsewhere", "waiting"]
    path: str = ""
    detail: str = ""
    done: int = 0
    total: int = 0
    record: EpisodeRecord | None = None


Report = Callable[[BatchEvent], None]


@dataclass(frozen=True)
class BatchOptions:
    """How a batch is run."""

    result_dir: Path
    workers: int = 1
    """Episodes that play at the same time."""
    ahead: int = 0
    """Episodes to set up in advance, so that one is ready when a slot is free."""
    store: StoreLevel = StoreLevel.ALL
    outage_s: float = 5.0
    """First wait after a model could not be reached; it doubles with each further outage."""
    longest_outage_s: float = 600.0
    patience_s: float = 3600.0
    """Seconds that a model may be unreachable for all episodes; then the run stops and can be resumed."""
    poll_s: float = 1.0
    """Seconds between looks whether another process has finished its episodes."""
    unanswered_s: float = 30.0
    """After how long a model that gives no answer is reported, and how often again."""
    renew_s: float = RENEW_S
    """How often the claims are renewed."""


@dataclass(frozen=True)
class BatchResult:
    """The results of all jobs."""

    records: dict[str, EpisodeRecord]
    """By path, of the episodes that have one."""
    not_run: tuple[str, ...] = ()
    """Paths of the episodes left because the run stopped."""
    stopped: str = ""
    """Why it stopped; empty if it finished."""
