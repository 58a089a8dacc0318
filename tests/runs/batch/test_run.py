"""Many episodes on real desktops: each once, whatever happens on the way."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.desktop.types import Desktop
from trueline.errors import TruelineError
from trueline.models.errors import ModelError, ServerError
from trueline.records import EpisodeWriter, Location, TaskRef, Unit, attempts_of, read_episode
from trueline.records.end import End, Unscored
from trueline.records.episode import EpisodeError
from trueline.records.events import Ended, Failed, Started
from trueline.records.folder.files import DiskFullError
from trueline.runs.batch.claims import Claims
from trueline.runs.batch.run import run_batch
from trueline.runs.batch.types import BatchOptions, BatchResult, Job, Told
from trueline.runs.execute import OUTAGE
from trueline.runs.types import Floor

Playing = Callable[[Desktop, str], Awaitable[Ended]]
Preparing = Callable[[Desktop, str], Awaitable[None]]
SMALL = LocalOptions(width=640, height=480)


def ended(end: End = End.DONE, score: float = 1.0) -> Ended:
    return Ended(time=datetime.now(UTC), end=end, score=score)


def unscored(reason: Unscored) -> Ended:
    return Ended(time=datetime.now(UTC), unscored=reason, detail="because")


def job(name: str, playing: Playing, unsupported: str = "", trouble: str = "", prepare: Preparing | None = None) -> Job:
    async def play(desktop: Desktop, writer: EpisodeWriter, floor: Floor) -> Ended:
        if trouble:
            error = EpisodeError(where=trouble, message="no answer")
            writer.append(Failed(time=datetime.now(UTC), error=error))
        if prepare is not None:
            await prepare(desktop, name)
        try:
            async with floor():
                return await playing(desktop, name)
        except ModelError:
            return unscored(Unscored.MODEL_ERROR)

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
    told: list[Told] | None = None,
) -> BatchResult:
    """Run jobs on real desktops."""

    async def run() -> BatchResult:
        async with Pool(SMALL, workers) as pool:
            options = BatchOptions(folder, workers, ahead, outage_s=outage_s, poll_s=0.1)
            return await run_batch(
                jobs, lambda: LocalDesktop(pool=pool), options, ([] if told is None else told).append
            )

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _desktops(machine: None) -> None:
    """All of these need a machine that can run desktops."""


def test_every_job_is_run_once_on_a_clean_desktop_and_never_again(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        left = await desktop.run(("sh", "-c", "ls ~/left 2>/dev/null | wc -l; touch ~/left"))
        return ended(score=float(left.text.strip() == "0"))

    jobs = [job(f"t{number}", playing) for number in range(5)]
    result = batch(jobs, tmp_path, workers=2)
    assert ran == {f"t{number}": 1 for number in range(5)}
    assert {record.score for record in result.records.values()} == {1.0}
    again = batch(jobs, tmp_path, workers=2)
    assert sum(ran.values()) == 5
    assert len(again.records) == 5


def test_the_next_desktop_is_set_up_while_others_are_played_on(tmp_path: Path) -> None:
    prepared: set[str] = set()
    playing_now: set[str] = set()
    most: list[int] = []
    ready_before: list[bool] = []

    async def prepare(desktop: Desktop, name: str) -> None:
        await desktop.run(("true",))
        prepared.add(name)

    async def playing(desktop: Desktop, name: str) -> Ended:
        playing_now.add(name)
        most.append(len(playing_now))
        if len(most) == 1:
            # The first does not end before the next is ready, which nobody has a place for.
            async with asyncio.timeout(30):
                while len(prepared) < 2:
                    await desktop.run(("true",))
            ready_before.append(len(most) == 1)
        playing_now.discard(name)
        return ended()

    jobs = [job(f"t{number}", playing, prepare=prepare) for number in range(4)]
    result = batch(jobs, tmp_path, ahead=1)
    assert len(result.records) == 4 and set(most) == {1} and ready_before == [True]
    assert len(batch(jobs, tmp_path, ahead=1).records) == 4  # nothing to play: those who wait for the others end too


def test_who_is_ready_does_not_play_while_the_model_is_away(tmp_path: Path) -> None:
    prepared: set[str] = set()
    began: list[tuple[str, float]] = []

    async def playing(desktop: Desktop, name: str) -> Ended:
        first = not began
        if first:
            async with asyncio.timeout(30):
                while len(prepared) < 2:
                    await desktop.run(("true",))
        began.append((name, asyncio.get_running_loop().time()))
        if first:
            raise ServerError("no answer")
        return ended()

    async def prepare(desktop: Desktop, name: str) -> None:
        prepared.add(name)

    jobs = [job("t0", playing, prepare=prepare, trouble=OUTAGE), job("t1", playing, prepare=prepare)]
    result = batch(jobs, tmp_path, ahead=1, outage_s=0.5)
    assert sorted(name for name, _ in began) == ["t0", "t0", "t1"]
    (_, away), (_, back) = began[:2]
    assert back - away >= 0.5
    assert {record.score for record in result.records.values()} == {1.0}


def test_a_lost_desktop_is_replaced_and_its_episode_tried_again(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        assert isinstance(desktop, LocalDesktop)
        if name == "t0" and ran[name] < 3:
            await desktop.running.stop()
            return unscored(Unscored.DESKTOP_LOST)
        await desktop.run(("true",))
        return ended()

    result = batch([job("t0", playing), job("t1", playing)], tmp_path)
    assert ran == {"t0": 3, "t1": 1}
    assert all(record.score == 1.0 for record in result.records.values())
    assert len(attempts_of(tmp_path, tmp_path / job("t0", playing).path)) == 2


@pytest.mark.parametrize(("trouble", "times"), [(OUTAGE, 3), ("model", 1)])
def test_what_never_works_is_given_up_and_counted(tmp_path: Path, trouble: str, times: int) -> None:
    ran: Counter[str] = Counter()
    told: list[Told] = []

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        return unscored(Unscored.MODEL_ERROR)

    result = batch([job("t0", playing, trouble=trouble)], tmp_path, told=told)
    assert ran == {"t0": times}
    (record,) = result.records.values()
    assert record.unscored is Unscored.MODEL_ERROR
    assert [one.what for one in told].count("paused") == (times if trouble == OUTAGE else 0)


def test_an_unsupported_task_is_recorded_without_a_desktop(tmp_path: Path) -> None:
    async def playing(desktop: Desktop, name: str) -> Ended:
        raise AssertionError("it must not be played")

    result = batch([job("t0", playing, unsupported="step login")], tmp_path)
    (record,) = result.records.values()
    assert (record.unscored, record.detail) == (Unscored.UNSUPPORTED, "not supported yet: step login")


def test_when_the_money_is_spent_the_rest_waits(tmp_path: Path) -> None:
    async def playing(desktop: Desktop, name: str) -> Ended:
        return ended() if name == "t0" else unscored(Unscored.RUN_BUDGET_SPENT)

    jobs = [job(f"t{number}", playing) for number in range(4)]
    result = batch(jobs, tmp_path)
    assert len(result.records) == 2
    assert result.not_run == (str(jobs[2].path), str(jobs[3].path))


def test_a_full_disk_stops_everything_and_loses_nothing(tmp_path: Path) -> None:
    full = True

    async def playing(desktop: Desktop, name: str) -> Ended:
        if name == "t1" and full:
            raise DiskFullError("no room")
        return ended()

    jobs = [job(f"t{number}", playing) for number in range(3)]
    with pytest.raises(TruelineError, match="no room"):
        batch(jobs, tmp_path)
    assert read_episode(tmp_path / jobs[0].path).record.score == 1.0
    full = False
    assert len(batch(jobs, tmp_path).records) == 3


def test_an_interrupt_leaves_a_record_and_the_claim_free(tmp_path: Path) -> None:
    async def forever(desktop: Desktop, name: str) -> Ended:
        await asyncio.Event().wait()
        return ended()

    async def interrupted() -> None:
        started = asyncio.Event()
        async with Pool(SMALL, 1) as pool:
            options = BatchOptions(tmp_path, 1)
            run = asyncio.create_task(
                run_batch(
                    [job("t0", forever)],
                    lambda: LocalDesktop(pool=pool),
                    options,
                    lambda told: started.set() if told.what == "started" else None,
                )
            )
            await started.wait()
            run.cancel()
            await asyncio.wait([run])
            assert run.cancelled()

    asyncio.run(interrupted())
    path = job("t0", forever).path
    assert read_episode(tmp_path / path).record.unscored is Unscored.INTERRUPTED
    assert Claims(tmp_path, "next").take(path)


def test_what_another_process_holds_is_waited_for(tmp_path: Path) -> None:
    other = Claims(tmp_path, "other")
    told: list[Told] = []

    async def playing(desktop: Desktop, name: str) -> Ended:
        if name == "t1":
            other.release(first.path)
        return ended()

    first, second = job("t0", playing), job("t1", playing)
    assert other.take(first.path)
    result = batch([first, second], tmp_path, told=told)
    assert len(result.records) == 2
    assert "elsewhere" in [one.what for one in told]
