"""Batches of small episodes on real desktops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.desktop.types import Desktop
from trueline.models.errors import ModelError
from trueline.records import EpisodeWriter, Location, TaskRef, Unit
from trueline.records.end import End, Unscored
from trueline.records.episode import EpisodeError
from trueline.records.events import Ended, Failed, Started
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchEvent, BatchOptions, BatchResult, Job, OpenDesktop
from trueline.runs.faults import model_error_place
from trueline.runs.types import Slot

Playing = Callable[[Desktop, str], Awaitable[Ended]]
Preparing = Callable[[Desktop, str], Awaitable[None]]
SMALL = LocalOptions(width=640, height=480)


def ended(end: End = End.DONE, score: float = 1.0) -> Ended:
    """An episode came to its end."""
    return Ended(time=datetime.now(UTC), end=end, score=score)


def unscored(reason: Unscored, detail: str = "because") -> Ended:
    """An episode could not be scored."""
    return Ended(time=datetime.now(UTC), unscored=reason, detail=detail)


def job(name: str, playing: Playing, unsupported: str = "", prepare: Preparing | None = None) -> Job:
    """An episode that is played by a function, in a slot of the batch, after what `prepare` does before."""

    async def play(desktop: Desktop, writer: EpisodeWriter, slot: Slot) -> Ended:
        if prepare is not None:
            await prepare(desktop, name)
        try:
            async with slot():
                return await playing(desktop, name)
        except ModelError as error:
            failed = EpisodeError(where=model_error_place(error), message=str(error))
            writer.append(Failed(time=datetime.now(UTC), error=failed))
            return unscored(Unscored.MODEL_ERROR, str(error))

    def begin() -> Started:
        return Started(time=datetime.now(UTC), task=TaskRef(domain="os", id=name), instruction=name)

    return Job(Location("pyautogui", "screenshot", "m", Unit("os", name)), begin, play, unsupported)


def batch(
    jobs: list[Job],
    folder: Path,
    *,
    workers: int = 1,
    ahead: int = 0,
    outage_s: float = 0.05,
    patience_s: float = 3600.0,
    renew_s: float = 30.0,
    open_desktop: OpenDesktop | None = None,
    told: list[BatchEvent] | None = None,
) -> BatchResult:
    """Run jobs on real desktops."""

    async def run() -> BatchResult:
        async with Pool(SMALL, workers) as pool:
            options = BatchOptions(
                folder, workers, ahead, outage_s=outage_s, patience_s=patience_s, poll_s=0.1, renew_s=renew_s
            )
            desktops = open_desktop or (lambda: LocalDesktop(pool=pool))
            return await run_batch(jobs, desktops, options, ([] if told is None else told).append)

    return asyncio.run(run())
