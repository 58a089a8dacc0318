"""A model that is away: everything waits, nothing is used up, and the run goes on or can be resumed."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from support.batches import SMALL, batch, ended, job
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import Desktop
from trueline.models import Config, open_model
from trueline.models.envfiles import Env
from trueline.models.errors import AuthError, RejectedError, ServerError
from trueline.models.testing import FakeServer, Hang
from trueline.models.types import Request, user
from trueline.records.end import Unscored
from trueline.records.events import Ended
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.batch.types import BatchEvent, BatchOptions


@pytest.fixture(autouse=True)
def _desktops(machine: None) -> None:
    """All of these need a machine that can run desktops."""


@pytest.mark.full
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

    jobs = [job("t0", playing, prepare=prepare), job("t1", playing, prepare=prepare)]
    result = batch(jobs, tmp_path, ahead=1, outage_s=0.5)
    assert sorted(name for name, _ in began) == ["t0", "t0", "t1"]
    (_, away), (_, back) = began[:2]
    assert back - away >= 0.5
    assert {record.score for record in result.records.values()} == {1.0}


@pytest.mark.full
def test_a_long_outage_uses_nothing_up_and_is_waited_out(tmp_path: Path) -> None:
    asked: list[str] = []
    told: list[BatchEvent] = []

    async def playing(desktop: Desktop, name: str) -> Ended:
        asked.append(name)
        if len(asked) <= 7:
            raise ServerError("503")
        return ended()

    result = batch([job(f"t{number}", playing) for number in range(2)], tmp_path, outage_s=0.01, told=told)
    assert {record.score for record in result.records.values()} == {1.0}
    assert [one.what for one in told].count("paused") == 7


@pytest.mark.full
def test_when_patience_ends_the_run_stops_and_resuming_plays_everything(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()
    away = True

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        if away:
            raise ServerError("503")
        return ended()

    jobs = [job(f"t{number}", playing) for number in range(3)]
    for _ in range(3):
        result = batch(jobs, tmp_path, outage_s=0.05, patience_s=0.2)
        assert "the model has been away" in result.stopped and result.not_run
    away = False
    result = batch(jobs, tmp_path)
    assert {record.score for record in result.records.values()} == {1.0} and not result.stopped


@pytest.mark.full
def test_one_episode_that_the_model_cannot_take_harms_no_other(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        if name == "t0":
            raise ServerError("500")
        return ended()

    result = batch([job(f"t{number}", playing) for number in range(8)], tmp_path, patience_s=0.5, outage_s=0.05)
    assert [str(path)[-2:] for path, record in result.records.items() if record.score is None] == ["t0"]
    assert [ran[f"t{number}"] for number in range(1, 8)] == [1] * 7


@pytest.mark.full
def test_a_key_that_is_refused_stops_the_run_before_it_burns_the_suite(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()
    bad = True

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        if bad:
            raise AuthError("401: the key is not accepted")
        return ended()

    jobs = [job(f"t{number}", playing) for number in range(4)]
    result = batch(jobs, tmp_path)
    assert "401" in result.stopped and ran == {"t0": 1} and len(result.not_run) == 3
    bad = False
    assert {record.score for record in batch(jobs, tmp_path).records.values()} == {1.0}


def test_what_the_model_rejects_is_no_outage(tmp_path: Path) -> None:
    ran: Counter[str] = Counter()

    async def playing(desktop: Desktop, name: str) -> Ended:
        ran[name] += 1
        raise RejectedError("400: too long")

    result = batch([job("t0", playing)], tmp_path)
    assert ran == {"t0": 1} and not result.stopped
    assert [record.unscored for record in result.records.values()] == [Unscored.MODEL_ERROR]


def test_a_model_that_does_not_answer_is_reported_while_it_is_waited_for(tmp_path: Path) -> None:
    told: list[BatchEvent] = []

    async def main() -> None:
        async with FakeServer(default=Hang()) as server:
            model = open_model("local|m", config=Config(env=Env({"LOCAL_OPENAI_BASE_URL": f"{server.url}/v1"})))
            seen = asyncio.Event()

            async def playing(desktop: Desktop, name: str) -> Ended:
                asking = asyncio.ensure_future(model.ask(Request(messages=(user("hello"),))))
                await seen.wait()
                asking.cancel()
                await asyncio.wait([asking])
                return ended()

            def report(news: BatchEvent) -> None:
                told.append(news)
                if sum(one.what == "waiting" for one in told) >= 2:
                    seen.set()

            try:
                async with asyncio.timeout(60):
                    options = BatchOptions(tmp_path, unanswered_s=0.2)
                    await run_batch([job("t", playing)], lambda: LocalDesktop(SMALL), options, report)
            finally:
                await model.close()

    asyncio.run(main())
    waiting = [news for news in told if news.what == "waiting"]
    assert waiting[0].detail.startswith("local|m at http://127.0.0.1:")
    assert "has not answered for" in waiting[0].detail
    assert told[-1].what == "ended"
