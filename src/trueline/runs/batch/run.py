"""Runs the episodes of a batch: each once, some at the same time, resumable at any moment."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from trueline.desktop.types import Desktop, DesktopLost
from trueline.models.errors import ModelError
from trueline.records import EpisodeRecord, EpisodeWriter
from trueline.records.end import Unscored
from trueline.records.events import Ended
from trueline.runs.batch.claims import RENEW_S, Claims
from trueline.runs.batch.state import Standing, settle, tries
from trueline.runs.batch.types import BatchOptions, BatchResult, Job, OpenDesktop, Report, Told
from trueline.runs.execute import OUTAGE

_STARTS = 3
"""How often a desktop that will not start is tried."""


async def run_batch(
    jobs: Sequence[Job], open_desktop: OpenDesktop, options: BatchOptions, report: Report
) -> BatchResult:
    """Run what is not done yet. Interrupted at any moment, calling it again goes on.

    Raises:
        DiskFullError: There is no room; everything recorded is intact.
        DesktopUnavailable: This machine cannot run such a desktop.
    """
    batch = _Batch(jobs, open_desktop, options, report)
    async with batch.renewing():
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(min(options.workers + options.ahead, max(1, len(jobs)))):
                    group.create_task(batch.work() if number < options.workers else batch.work_ahead())
        except BaseExceptionGroup as errors:
            # One worker's error ended all others: it is the only one that matters.
            raise errors.exceptions[0] from None
    return BatchResult(batch.records, tuple(str(job.path) for job in batch.waiting))


class _Batch:
    """The state that the workers of one batch share; they are tasks of one event loop."""

    def __init__(self, jobs: Sequence[Job], open_desktop: OpenDesktop, options: BatchOptions, report: Report) -> None:
        self.waiting = deque(jobs)
        self.records: dict[str, EpisodeRecord] = {}
        self._open_desktop = open_desktop
        self._options = options
        self._report = report
        self._claims = Claims(options.result_dir, secrets.token_hex(8))
        self._held: set[Job] = set()
        self._elsewhere: list[Job] = []
        self._total, self._done = len(jobs), 0
        self._spent = False
        self._outages = 0
        self._paused_until = 0.0
        self._freed = asyncio.Event()
        self._places = asyncio.Semaphore(options.workers)
        self._full = asyncio.Event()
        """All places were taken, or there is not enough work for all of them."""

    async def work(self) -> None:
        """Take one job after the other until none is left."""
        async with AsyncExitStack() as stack:
            desktop: Desktop | None = None
            while (job := await self._next()) is not None:
                try:
                    state = await asyncio.to_thread(settle, self._options.result_dir, self._folder(job))
                    if state.standing is not Standing.OPEN:
                        self._close(job, state.record, "skipped")
                        continue
                    if job.unsupported:
                        await self._refuse(job)
                        continue
                    if desktop is None:
                        desktop = await stack.enter_async_context(self._open_desktop())
                    else:
                        await _reset(desktop)
                    await self._play(job, desktop)
                finally:
                    self._held.discard(job)
                    await asyncio.to_thread(self._claims.release, job.path)
                    self._freed.set()
        self._full.set()

    async def work_ahead(self) -> None:
        """Work as well, but not before the others have got to play: they need the machine to start."""
        await self._full.wait()
        await self.work()

    @asynccontextmanager
    async def _floor(self) -> AsyncGenerator[None]:
        """A place to play; not while a model is away."""
        async with self._places:
            if self._places.locked():
                self._full.set()
            await self._pause()
            try:
                yield
            except ModelError as error:
                if error.retryable:
                    # Before the place is free: who is ready would run into the same.
                    self._away()
                raise

    def _away(self) -> float:
        """Pause everything, the longer the more often this happens in a row; how many seconds are left of it."""
        now = asyncio.get_running_loop().time()
        if self._paused_until <= now:
            wait = min(self._options.outage_s * 2**self._outages, self._options.longest_outage_s)
            self._outages += 1
            self._paused_until = now + wait
        return self._paused_until - now

    async def _pause(self) -> None:
        # Another outage during the wait makes it longer.
        while True:
            left = self._paused_until - asyncio.get_running_loop().time()
            if left <= 0:
                return
            await asyncio.sleep(left)

    async def _next(self) -> Job | None:
        """The next job, claimed; `None` when there is nothing left to do."""
        while not self._spent:
            await self._pause()
            if not self.waiting:
                # What another worker or process has may still come back.
                if not self._held and not self._elsewhere:
                    return None
                await self._something()
                self.waiting.extend(self._elsewhere)
                self._elsewhere.clear()
                continue
            job = self.waiting.popleft()
            if await asyncio.to_thread(self._claims.take, job.path):
                self._held.add(job)
                return job
            self._tell(Told("elsewhere", str(job.path)))
            self._elsewhere.append(job)
        return None

    async def _something(self) -> None:
        """Wait until a worker is done with its job, or a while."""
        self._freed.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._freed.wait(), self._options.poll_s)

    async def _refuse(self, job: Job) -> None:
        writer = await self._begin(job)
        detail = f"not supported yet: {job.unsupported}"
        ended = Ended(time=datetime.now(UTC), unscored=Unscored.UNSUPPORTED, detail=detail)
        self._close(job, await asyncio.to_thread(writer.finish, ended), "ended")

    async def _begin(self, job: Job) -> EpisodeWriter:
        folder = self._folder(job)
        return await asyncio.to_thread(lambda: EpisodeWriter(folder, job.begin(), store=self._options.store))

    async def _play(self, job: Job, desktop: Desktop) -> None:
        writer = await self._begin(job)
        self._tell(Told("started", str(job.path)))
        try:
            ended = await job.play(desktop, writer, self._floor)
        except asyncio.CancelledError:
            writer.finish(Ended(time=datetime.now(UTC), unscored=Unscored.INTERRUPTED))
            raise
        except BaseException:
            writer.close()
            raise
        record = await asyncio.to_thread(writer.finish, ended)
        if not self._again(job, record):
            self._close(job, record, "ended")

    def _again(self, job: Job, record: EpisodeRecord) -> bool:
        """Whether the job goes back into the queue: it was no doing of the agent, and may be better later."""
        reason = record.unscored
        if reason is Unscored.RUN_BUDGET_SPENT:
            self._spent = True
        outage = reason is Unscored.MODEL_ERROR and any(error.where == OUTAGE for error in record.errors)
        if outage:
            self._tell(Told("paused", str(job.path), f"{record.detail}; going on in {self._away():.0f} s"))
        elif record.score is not None:
            self._outages = 0
        if reason is None or not (outage or reason is Unscored.DESKTOP_LOST):
            return False
        if not reason.retried(tries(self._options.result_dir, self._folder(job))[reason] + 1):
            return False
        self.waiting.append(job)
        self._tell(Told("again", str(job.path), f"{reason.value}: {record.detail}"))
        return True

    def _close(self, job: Job, record: EpisodeRecord | None, what: str) -> None:
        if record is not None:
            self.records[str(job.path)] = record
        self._done += 1
        self._tell(Told("skipped" if what == "skipped" else "ended", str(job.path), record=record))

    def _tell(self, told: Told) -> None:
        self._report(Told(told.what, told.path, told.detail, self._done, self._total, told.record))

    def _folder(self, job: Job) -> Path:
        return self._options.result_dir / job.path

    @asynccontextmanager
    async def renewing(self) -> AsyncGenerator[None]:
        """Keep the claims alive while the block runs."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(RENEW_S)
                for job in tuple(self._held):
                    await asyncio.to_thread(self._claims.renew, job.path)

        task = asyncio.create_task(renew())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


async def _reset(desktop: Desktop) -> None:
    for _ in range(_STARTS - 1):
        try:
            await desktop.reset()
        except DesktopLost:
            continue
        return
    await desktop.reset()
