"""Many episodes on real desktops: each once, whatever happens on the way."""

from __future__ import annotations

import asyncio
import fcntl
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from support.batches import SMALL, batch, ended, job, unscored
from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.desktop.local.root import root_available
from trueline.desktop.types import Desktop, DesktopLost
from trueline.errors import TruelineError
from trueline.records import attempts_of, read_episode
from trueline.records.end import Unscored
from trueline.records.events import Ended
from trueline.records.folder.files import DiskFullError
from trueline.runs.batch.claims import CLAIMS, Claim, Claims
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchEvent, BatchOptions


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


@pytest.mark.full
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


def test_an_unsupported_task_is_recorded_without_a_desktop(tmp_path: Path) -> None:
    async def playing(desktop: Desktop, name: str) -> Ended:
        raise AssertionError("it must not be played")

    result = batch([job("t0", playing, unsupported="step login")], tmp_path)
    (record,) = result.records.values()
    assert (record.unscored, record.detail) == (Unscored.UNSUPPORTED, "not supported yet: step login")


@pytest.mark.full
def test_when_the_money_is_spent_the_rest_waits(tmp_path: Path) -> None:
    async def playing(desktop: Desktop, name: str) -> Ended:
        return ended() if name == "t0" else unscored(Unscored.RUN_BUDGET_SPENT)

    jobs = [job(f"t{number}", playing) for number in range(4)]
    result = batch(jobs, tmp_path)
    assert len(result.records) == 2
    assert result.not_run == (str(jobs[2].path), str(jobs[3].path))


@pytest.mark.full
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
    told: list[BatchEvent] = []

    async def playing(desktop: Desktop, name: str) -> Ended:
        if name == "t1":
            other.release(first.path)
        return ended()

    first, second = job("t0", playing), job("t1", playing)
    assert other.take(first.path)
    result = batch([first, second], tmp_path, told=told)
    assert len(result.records) == 2
    assert "elsewhere" in [one.what for one in told]


@pytest.mark.full
def test_it_is_told_once_that_another_process_runs_it(tmp_path: Path) -> None:
    other, told, looked = Claims(tmp_path, "other"), list[BatchEvent](), list[str]()

    async def playing(desktop: Desktop, name: str) -> Ended:
        if name == "t1":
            # Long enough for the first to be looked at many times.
            for _ in range(30):
                await desktop.run(("sleep", "0.05"))
            other.release(first.path)
        looked.append(name)
        return ended()

    first, second = job("t0", playing), job("t1", playing)
    assert other.take(first.path)
    batch([first, second], tmp_path, workers=2, told=told)
    assert looked == ["t1", "t0"]
    assert [one.what for one in told].count("elsewhere") == 1


def take_over(folder: Path) -> None:
    """As after a long sleep of this machine: somebody else has the episode now, and plays it."""
    with (folder / CLAIMS / "lock").open("rb") as lock:
        # As all claims change: otherwise one that is just being renewed is ours again right after.
        fcntl.flock(lock, fcntl.LOCK_EX)
        (path,) = (folder / CLAIMS).glob("*.json")
        holder = Claim.model_validate_json(path.read_bytes()).model_copy(update={"owner": "other"})
        path.write_bytes(holder.model_dump_json().encode())


def test_an_episode_whose_claim_was_taken_over_is_left_to_the_other_process(tmp_path: Path) -> None:
    began: list[str] = []

    async def playing(desktop: Desktop, name: str) -> Ended:
        began.append(name)
        if len(began) == 1:
            take_over(tmp_path)
            try:
                await asyncio.Event().wait()
            finally:
                # It ends without a result.
                Claims(tmp_path, "other").release(job(name, playing).path)
        return ended()

    result = batch([job("t0", playing)], tmp_path, renew_s=0.1)
    assert [record.score for record in result.records.values()] == [1.0]
    assert began == ["t0", "t0"]


class Unreliable(LocalDesktop):
    """A desktop that is lost at every reset."""

    async def reset(self) -> None:
        await self.stop()
        raise DesktopLost("it went away")


@pytest.mark.full
def test_a_desktop_that_cannot_be_reset_is_replaced_and_the_others_go_on(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        await desktop.run(("true",))
        return ended()

    jobs = [job(f"t{number}", playing) for number in range(3)]
    result = batch(jobs, tmp_path, open_desktop=lambda: Unreliable(LocalOptions(width=640, height=480)))
    assert {record.score for record in result.records.values()} == {1.0}
    assert set(ran.values()) == {1} and not result.stopped


def test_when_no_desktop_starts_any_more_the_rest_is_left_for_later(tmp_path: Path) -> None:
    class Broken(LocalDesktop):
        async def start(self) -> None:
            raise DesktopLost("no room")

    async def playing(desktop: Desktop, name: str) -> Ended:
        raise AssertionError("there is no desktop to play on")

    result = batch([job(f"t{number}", playing) for number in range(9)], tmp_path, open_desktop=Broken)
    assert "no desktop will start any more: no room" in result.stopped
    assert (len(result.not_run), result.records) == (9, {}), "none was begun, so none has used up a try"


@pytest.mark.full
def test_a_job_that_needs_root_gets_a_desktop_that_has_it_and_the_next_one_does_not(tmp_path: Path) -> None:
    if (lack := root_available()) is not None:
        pytest.skip(lack)
    users: dict[str, str] = {}

    async def playing(desktop: Desktop, name: str) -> Ended:
        users[name] = (await desktop.run(("sudo", "-S", "id", "-un"), stdin=b"password\n")).text
        return ended()

    jobs = [replace(job(f"t{number}", playing), root=root) for number, root in enumerate((False, True, False, True))]
    options = LocalOptions(width=640, height=480, sudo_password="password")
    batch(jobs, tmp_path, open_desktop=lambda: LocalDesktop(options))
    assert users == {"t0": "user\n", "t1": "root\n", "t2": "user\n", "t3": "root\n"}
