"""A bench notices when the models cannot be reached: every failed attempt counts, any response ends the row."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from support.bench_set import write_script
from trueline.guard.bench import ModelsUnreachableError
from trueline.guard.bench.connection_watch import ConnectionWatch, WatchedModel, WatchedRetry
from trueline.models import Config, Model, ModelError, Request, open_model, user
from trueline.models.envfiles import Env
from trueline.models.errors import ConnectionLostError, RejectedError, ServerError
from trueline.models.testing import FakeServer, Reset, Say, Status

QUESTION = Request(messages=(user("hello"),))
LOST = ConnectionLostError("gone")


def opened(url: str, watch: ConnectionWatch) -> Model:
    retry = WatchedRetry(attempts=6, first_s=0.001, longest_s=0.002, watch=watch)
    return WatchedModel(open_model("local|m", url=url, config=Config(env=Env({}), retry=retry)), watch)


def dead_url() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


async def ask(model: Model) -> bool:
    try:
        await model.ask(QUESTION)
    except ModelError:
        return False
    return True


def test_retries_count_over_all_workers() -> None:
    watch = ConnectionWatch()

    async def work() -> None:
        async with FakeServer(default=Reset()) as server:
            model = opened(f"{server.url}/v1", watch)
            assert await asyncio.gather(*(ask(model) for _ in range(5))) == [False] * 5
            await model.close()

    asyncio.run(work())
    assert watch.failed == 20  # five workers with six attempts each would make 30
    with pytest.raises(ModelsUnreachableError, match="20 attempts in a row"):
        watch.check()


def test_a_server_that_never_answered_stops_a_run_at_once() -> None:
    watch, url = ConnectionWatch(), dead_url()

    async def work() -> None:
        model = opened(url, watch)
        assert not await ask(model)
        await model.close()

    asyncio.run(work())
    with pytest.raises(ModelsUnreachableError, match=f"{url}.* LOCAL_OPENAI_BASE_URL"):
        watch.check()


def test_an_answer_ends_the_row() -> None:
    watch = ConnectionWatch(limit=5)

    async def work() -> None:
        async with FakeServer(Reset(), Reset(), Reset(), Say("ok"), Reset(), Reset(), Say("ok")) as server:
            model = opened(f"{server.url}/v1", watch)
            assert await ask(model)
            assert watch.failed == 0
            assert await ask(model)
            await model.close()

    asyncio.run(work())
    assert watch.failed == 0
    watch.check()


def test_a_response_that_is_an_error_is_no_failed_connection() -> None:
    watch = ConnectionWatch(limit=3)

    async def work() -> None:
        async with FakeServer(default=Status(500, "broken")) as server:
            model = opened(f"{server.url}/v1", watch)
            assert not await ask(model)
            await model.close()

    asyncio.run(work())
    watch.check()


def test_errors_that_are_responses_end_the_row() -> None:
    for error in (ServerError("x"), RejectedError("x"), None):
        watch = ConnectionWatch(limit=3)
        for _ in range(2):
            watch.note(LOST)
        watch.note(error)
        watch.note(LOST)
        assert watch.failed == 1


def test_once_down_it_stays_down() -> None:
    watch = ConnectionWatch(limit=1)
    watch.note(LOST)
    watch.note(None)
    assert watch.down
    assert WatchedRetry(watch=watch).pause_s(1, LOST, 0.5) is None


def test_scripted_models_have_no_retries_so_each_failure_counts_once(tmp_path: Path) -> None:
    watch = ConnectionWatch()
    name = write_script(tmp_path / "s.json", {"rules": [{"answer": {"error": "connection"}}]})
    model = WatchedModel(open_model(name), watch)

    async def work() -> None:
        for _ in range(7):
            assert not await ask(model)

    asyncio.run(work())
    assert watch.failed == 7
