"""Runs the episodes of a batch: each once, some at the same time, resumable at any moment."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter, deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from trueline.desktop.types import Desktop, DesktopError, DesktopLost, DesktopUnavailable, GrantsRoot
from trueline.guard.stages import ended_from_outside
from trueline.models.waiting import PendingCall, Waiting, observed
from trueline.records import EpisodeRecord, EpisodeWriter
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeError
from trueline.records.events import Ended, Failed
from trueline.runs.batch.claims import Claims
from trueline.runs.batch.slots import Slots
from trueline.runs.batch.state import Standing, earlier_attempts, same_death_again, settle, tries
from trueline.runs.batch.types import BatchEvent, BatchOptions, BatchResult, Job, OpenDesktop, Report
from trueline.runs.faults import FILES, KEY, OUTAGE, SERVER, failed_at

_STARTS = 3
"""How often a desktop that will not start is tried."""


async def run_batch(
    jobs: Sequence[Job], open_desktop: OpenDesktop, options: BatchOptions, report: Report
) -> BatchResult:
    """Run the episodes that are not done yet. Call it again after an interruption to resume.

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
    return BatchResult(batch.records, tuple(str(job.path) for job in batch.waiting), batch.stopped)


class _Batch:
    """The state that the workers of one batch share; they are tasks of one event loop."""

    def __init__(self, jobs: Sequence[Job], open_desktop: OpenDesktop, options: BatchOptions, report: Report) -> None:
        self.waiting = deque(jobs)
        self.records: dict[str, EpisodeRecord] = {}
        self.stopped = ""
        """Why no more episodes are started; empty while they are."""
        self._open_desktop = open_desktop
        self._options = options
        self._report = report
        self._claims = Claims(options.result_dir, secrets.token_hex(8))
        self._held: dict[Job, asyncio.Task[Ended] | None] = {}
        self._taken_over: set[Job] = set()
        self._elsewhere: list[Job] = []
        self._rerun: set[Job] = set()
        """Jobs to rerun whose earlier results were moved aside."""
        self._told_elsewhere: set[Job] = set()
        self._total, self._done = len(jobs), 0
        self._started = False
        """Whether a desktop has started, so this machine can run them."""
        self._failed_starts = 0
        """Consecutive failed starts of a desktop."""
        self._slots = Slots(options)
        self._outages: Counter[Job] = Counter()
        self._freed = asyncio.Event()

    async def work(self) -> None:
        """Take one job after the other until none is left."""
        async with AsyncExitStack() as stack:
            desktop: Desktop | None = None
            while (job := await self._next()) is not None:
                try:
                    # Only once: what is queued again has been played anew.
                    rerun = job.rerun and job not in self._rerun
                    self._rerun.add(job)
                    state = await asyncio.to_thread(settle, self._options.result_dir, self._folder(job), rerun=rerun)
                    if state.standing is not Standing.OPEN:
                        self._close(job, state.record, "skipped")
                        continue
                    if job.unsupported:
                        await self._finish_unplayed(job, Unscored.UNSUPPORTED, f"not supported yet: {job.unsupported}")
                        continue
                    if job.missing_files:
                        await self._finish_unplayed(job, Unscored.SETUP_ERROR, job.missing_files, where=FILES)
                        continue
                    try:
                        desktop = await self._fresh(desktop, stack, job)
                    except (DesktopError, DesktopUnavailable) as error:
                        if isinstance(error, DesktopUnavailable) and not self._started:
                            raise
                        # This one is lost; the others have theirs.
                        await stack.aclose()
                        desktop = None
                        self._failed_starts += 1
                        if self._failed_starts >= _STARTS * self._options.workers:
                            self._stop(f"no desktop will start any more: {error}")
                        # It was not begun, so it is not a try of it: one outage must not use up all that it has.
                        self._requeue(job, str(error))
                        continue
                    await self._play(job, desktop)
                finally:
                    self._held.pop(job, None)
                    await asyncio.to_thread(self._claims.release, job.path)
                    self._freed.set()
        self._slots.full.set()

    async def work_ahead(self) -> None:
        """Like `work`, but only once the other workers play, because starting desktops takes the machine."""
        await self._slots.full.wait()
        await self.work()

    async def _next(self) -> Job | None:
        """The next job, claimed; `None` when there is nothing left to do."""
        while not self.stopped:
            await self._slots.pause()
            if not self.waiting:
                # What another worker or process has may still come back.
                if not self._held and not self._elsewhere:
                    return None
                await self._wait_for_progress()
                self.waiting.extend(self._elsewhere)
                self._elsewhere.clear()
                continue
            job = self.waiting.popleft()
            if await asyncio.to_thread(self._claims.take, job.path):
                self._held[job] = None
                return job
            if job not in self._told_elsewhere:
                self._told_elsewhere.add(job)
                self._tell(BatchEvent("elsewhere", str(job.path)))
            self._elsewhere.append(job)
        return None

    async def _wait_for_progress(self) -> None:
        """Wait until a worker finishes a job, or for a while."""
        self._freed.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._freed.wait(), self._options.poll_s)

    async def _fresh(self, desktop: Desktop | None, stack: AsyncExitStack, job: Job) -> Desktop:
        """An unused desktop, with root if the job needs it: a new one, or the old one after a reset."""
        if desktop is None:
            opening = self._open_desktop()
            if isinstance(opening, GrantsRoot):
                opening.grant_root(job.root)
            desktop = await stack.enter_async_context(opening)
        else:
            if isinstance(desktop, GrantsRoot):
                desktop.grant_root(job.root)
            await _reset(desktop)
        self._started, self._failed_starts = True, 0
        return desktop

    async def _begin(self, job: Job) -> EpisodeWriter:
        folder = self._folder(job)
        return await asyncio.to_thread(lambda: EpisodeWriter(folder, job.begin(), store=self._options.store))

    async def _finish_unplayed(self, job: Job, reason: Unscored, detail: str, *, where: str = "") -> None:
        """Record that an episode was not played."""
        writer = await self._begin(job)
        now = datetime.now(UTC)
        if where:
            writer.append(Failed(time=now, error=EpisodeError(where=where, message=detail, time=now)))
        await self._finish(job, writer, Ended(time=now, unscored=reason, detail=detail))

    async def _play(self, job: Job, desktop: Desktop) -> None:
        writer = await self._begin(job)
        self._tell(BatchEvent("started", str(job.path)))
        with observed() as waiting:
            playing = asyncio.ensure_future(job.play(desktop, writer, self._slots))
        self._held[job] = playing
        try:
            ended = await self._played(job, playing, waiting)
        except asyncio.CancelledError:
            if job in self._taken_over and not ended_from_outside():
                self._taken_over.discard(job)
                writer.close()
                return
            playing.cancel()
            await asyncio.wait([playing])
            writer.finish(Ended(time=datetime.now(UTC), unscored=Unscored.INTERRUPTED))
            raise
        except BaseException:
            writer.close()
            raise
        if ended.unscored is Unscored.DESKTOP_LOST:
            earlier = await asyncio.to_thread(earlier_attempts, self._options.result_dir, self._folder(job))
            ended = same_death_again(ended, earlier)
        await self._finish(job, writer, ended)

    async def _played(self, job: Job, playing: asyncio.Future[Ended], waiting: Waiting) -> Ended:
        """Wait for the end of an episode, and report models that do not answer meanwhile."""
        every = self._options.unanswered_s
        told: dict[PendingCall, float] = {}
        while not playing.done():
            next_look = min([every, *(told.get(call, 0.0) + every - call.seconds for call in waiting.calls)])
            await asyncio.wait([playing], timeout=max(0.01, next_look))
            for call in tuple(waiting.calls):
                if not playing.done() and call.seconds >= told.get(call, 0.0) + every:
                    told[call] = call.seconds
                    self._tell(
                        BatchEvent("waiting", str(job.path), f"{call} has not answered for {call.seconds:.0f} s")
                    )
        return await playing

    async def _finish(self, job: Job, writer: EpisodeWriter, ended: Ended) -> None:
        if not await asyncio.to_thread(self._claims.renew, job.path):
            # The folder is another process's by now: what is in it is not ours to end.
            writer.close()
            self._lost(job)
            return
        record = await asyncio.to_thread(writer.finish, ended)
        if not self._should_requeue(job, record):
            self._close(job, record, "ended")

    def _should_requeue(self, job: Job, record: EpisodeRecord) -> bool:
        """Whether to requeue the job: the failure was not the agent's and may pass."""
        reason = record.unscored
        if reason is Unscored.RUN_BUDGET_SPENT:
            self._stop(record.detail)
        if failed_at(record, KEY) or failed_at(record, SERVER):
            self._stop(f"no other episode would fare better: {record.detail}")
        if record.score is not None:
            self._slots.answered()
        if failed_at(record, OUTAGE):
            return self._wait_out(job, record)
        if reason is not Unscored.DESKTOP_LOST:
            return False
        if not reason.retried(tries(self._options.result_dir, self._folder(job))[reason] + 1):
            return False
        return self._requeue(job, f"{reason.value}: {record.detail}")

    def _wait_out(self, job: Job, record: EpisodeRecord) -> bool:
        """Pause while the model is unreachable. It counts as a try only if other episodes get answers."""
        if not self._slots.away_for_all:
            self._outages[job] += 1
        left = self._slots.away()
        if self._slots.given_up:
            self._stop(f"the model has been away for {self._options.patience_s / 60:.0f} minutes: {record.detail}")
            return False
        if not Unscored.MODEL_ERROR.retried(self._outages[job]):
            return False
        self._tell(BatchEvent("paused", str(job.path), f"{record.detail}; going on in {left:.0f} s"))
        return self._requeue(job, f"{Unscored.MODEL_ERROR.value}: {record.detail}")

    def _requeue(self, job: Job, why: str) -> bool:
        self.waiting.append(job)
        self._tell(BatchEvent("again", str(job.path), why))
        return True

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    def _lost(self, job: Job) -> None:
        """Another process has the job; its result is reported when it releases the claim."""
        self._elsewhere.append(job)

    def _close(self, job: Job, record: EpisodeRecord | None, what: str) -> None:
        if record is not None:
            self.records[str(job.path)] = record
        self._done += 1
        self._tell(BatchEvent("skipped" if what == "skipped" else "ended", str(job.path), record=record))

    def _tell(self, told: BatchEvent) -> None:
        self._report(BatchEvent(told.what, told.path, told.detail, self._done, self._total, told.record))

    def _folder(self, job: Job) -> Path:
        return self._options.result_dir / job.path

    @asynccontextmanager
    async def renewing(self) -> AsyncGenerator[None]:
        """Keep the claims alive while the block runs; an episode whose claim is gone ends here."""
        task = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._options.renew_s)
            for job, playing in tuple(self._held.items()):
                try:
                    ours = await asyncio.to_thread(self._claims.renew, job.path)
                except OSError:
                    continue  # a disk that is away for a moment; the claim holds for longer than that
                if not ours and playing is not None and not playing.done():
                    self._taken_over.add(job)
                    self._lost(job)
                    playing.cancel()


async def _reset(desktop: Desktop) -> None:
    for _ in range(_STARTS - 1):
        try:
            await desktop.reset()
        except DesktopLost:
            continue
        return
    await desktop.reset()
