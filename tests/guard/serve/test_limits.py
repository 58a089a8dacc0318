"""Every limit of the service, reached."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support.guarding import ALIGNED, WordGuard
from support.serving import OTHER, TOKEN, Client, running
from trueline.guard.serve import GuardServeSettings
from trueline.guard.serve.errors import ApiError
from trueline.guard.serve.limits import RateLimit
from trueline.guard.serve.sessions import OpenSession, SessionStore
from trueline.guard.session import Session
from trueline.guard.types import GuardContext
from trueline.records.verdict import Verdict


def with_service(work: Callable[[Client], Awaitable[None]], settings: GuardServeSettings) -> None:
    async def main() -> None:
        async with asyncio.timeout(60), running(None, settings) as client:
            await work(client)

    asyncio.run(main())


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("size", [101_000, 350_000, 5_000_000])
def test_an_oversized_body_is_refused(size: int) -> None:
    async def work(client: Client) -> None:
        status, answer = await client.ask(
            "POST", "/v1/check", data=io.BytesIO(b" " * size), headers={"content-type": "application/json"}
        )
        assert (status, answer["error"]["type"]) == (413, "too_large")
        assert await client.begin()

    async def maybe(client: Client) -> None:
        # Far above the limit the service hangs up; whether the answer still arrives depends on the network.
        try:
            await work(client)
        except OSError:
            assert size > 4 * 100_000

    with_service(maybe, GuardServeSettings(max_body=100_000))


def test_a_body_without_an_announced_length_is_limited_too() -> None:
    async def pieces():
        for _ in range(30):
            yield b" " * 10_000

    async def work(client: Client) -> None:
        status, answer = await client.ask(
            "POST", "/v1/check", data=pieces(), headers={"content-type": "application/json"}
        )
        assert (status, answer["error"]["type"]) == (413, "too_large")

    with_service(work, GuardServeSettings(max_body=100_000))


def test_a_body_that_never_ends_is_given_up() -> None:
    async def work(client: Client) -> None:
        reader, writer = await connect(client)
        head = f"POST /v1/check HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: 100\r\n\r\n{{"
        writer.write(head.encode())
        answer = await reader.readuntil(b"}}")
        assert b"408" in answer.splitlines()[0] and b'"timeout"' in answer
        writer.close()

    with_service(work, GuardServeSettings(body_seconds=0.2))


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param(b"", id="silent"),
        pytest.param(b"GET /health HTTP/1.1\r\nhost: x\r\nx-slow: ", id="half a head"),
        pytest.param(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\nGET /health HTTP/1.1\r\n", id="half a second head"),
        pytest.param(b"GET /health HTTP/1.1\r\nhost: x\r\ncontent-length: 9999\r\n\r\n", id="a body nobody reads"),
    ],
)
def test_a_connection_that_only_trickles_is_ended(begun: bytes) -> None:
    async def work(client: Client) -> None:
        reader, writer = await connect(client)
        writer.write(begun)

        async def trickle() -> None:
            while begun:
                writer.write(b"a")
                await asyncio.sleep(0.01)

        trickling = asyncio.create_task(trickle())
        with contextlib.suppress(ConnectionResetError):
            while await reader.read(1000):
                pass
        trickling.cancel()
        writer.close()
        assert await client.begin()

    with_service(work, GuardServeSettings(peer_seconds=0.5))


def test_a_connection_on_which_nothing_is_read_is_ended() -> None:
    async def work(client: Client) -> None:
        _, writer = await connect(client)

        async def ask_on() -> None:
            while True:
                writer.write(b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n" * 100)
                await writer.drain()

        with pytest.raises(ConnectionError):
            await ask_on()
        writer.close()
        assert await client.begin()

    with_service(work, GuardServeSettings(peer_seconds=0.5))


def test_a_request_may_take_longer_than_its_head() -> None:
    started, silent_one_ended = asyncio.Event(), asyncio.Event()

    class Slow:
        async def check(self, context: GuardContext) -> Verdict:
            started.set()
            await silent_one_ended.wait()
            return ALIGNED

    async def work() -> None:
        async with asyncio.timeout(60), running(Slow(), GuardServeSettings(peer_seconds=0.2)) as client:
            session = await client.begin()
            asking = asyncio.create_task(client.post("/v1/check", {"session": session, "action": "WAIT"}))
            await started.wait()
            reader, writer = await connect(client)  # later than the request: when it is ended, so would the request be
            await reader.read()
            writer.close()
            silent_one_ended.set()
            assert (await asking)[0] == 200

    asyncio.run(work())


def test_connections_above_the_limit_are_told_to_come_back() -> None:
    async def work(client: Client) -> None:
        held = [await connect(client) for _ in range(4)]
        reader, writer = await connect(client)
        refused = await reader.read()
        assert refused.startswith(b"HTTP/1.1 503 ") and b"retry-after: 1" in refused
        writer.close()
        assert await last_answer(*held[0]) == b"HTTP/1.1 200 OK"  # and when it is over there is room again
        assert await last_answer(*await connect(client)) == b"HTTP/1.1 200 OK"
        for _, writer in held:
            writer.close()

    with_service(work, GuardServeSettings(max_in_flight=1))


async def connect(client: Client) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = client.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


async def last_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Ask for the last thing on a connection and wait until the service has closed it."""
    writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    status = (await reader.read()).splitlines()[0]
    writer.close()
    return status


def test_strangers_are_turned_away_before_their_body_is_read() -> None:
    async def work(client: Client) -> None:
        reader, writer = await connect(client)
        writer.write(b"POST /v1/check HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n{")
        answer = await reader.readuntil(b"}}")
        assert b"401" in answer.splitlines()[0]
        writer.close()

    with_service(work, GuardServeSettings(body_seconds=1000))


def test_the_rate_holds_for_each_token() -> None:
    async def work(client: Client) -> None:
        statuses = [(await client.ask("GET", "/metrics"))[0] for _ in range(4)]
        assert statuses == [200, 429, 429, 429]
        assert (await client.as_(OTHER).ask("GET", "/metrics"))[0] == 200
        assert (await client.as_(None).ask("GET", "/health"))[0] == 200
        async with client.http.get(client.url + "/metrics", headers=client.headers) as response:
            assert int(response.headers["retry-after"]) > 1000

    with_service(work, GuardServeSettings(rate=0.01))


def test_the_rate_comes_back_with_time() -> None:
    clock = Clock()
    limit = RateLimit(60, clock)
    assert [limit.wait(0) for _ in range(15)] == [0.0] * 15
    assert limit.wait(0) == pytest.approx(1.0)
    clock.now = 1.0
    assert limit.wait(0) == 0.0
    assert limit.wait(0) == pytest.approx(1.0)


def test_too_many_requests_at_once_are_refused() -> None:
    class Held:
        def __init__(self) -> None:
            self.free = asyncio.Event()

        async def check(self, context: GuardContext) -> Verdict:
            await self.free.wait()
            return ALIGNED

    async def work() -> None:
        guard = Held()
        async with asyncio.timeout(60), running(guard, GuardServeSettings(max_in_flight=2)) as client:
            sessions = [await client.begin() for _ in range(6)]
            asked = [client.post("/v1/check", {"session": session, "action": "WAIT"}) for session in sessions]
            waiting = {asyncio.create_task(one) for one in asked}
            refused: set[asyncio.Task[tuple[int, Any]]] = set()
            while len(refused) < 4:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                refused |= done
            guard.free.set()
            assert {task.result()[0] for task in refused} == {503}
            assert [status for status, _ in await asyncio.gather(*waiting)] == [200, 200]

    asyncio.run(work())


def test_sessions_are_counted_for_each_token_and_can_be_ended() -> None:
    async def work(client: Client) -> None:
        first, _ = await client.begin(), await client.begin()
        status, answer = await client.post("/v1/sessions", {"instruction": "x"})
        assert (status, answer["error"]["type"]) == (429, "too_many_sessions")
        assert await client.as_(OTHER).begin()
        assert (await client.ask("DELETE", f"/v1/sessions/{first}"))[0] == 204
        assert await client.begin()

    with_service(work, GuardServeSettings(max_sessions=2))


def test_a_session_that_is_full_says_so() -> None:
    async def work(client: Client) -> None:
        session = await client.begin()
        for _ in range(2):
            await client.check(session, "one")
        status, answer = await client.post("/v1/check", {"session": session, "action": "WAIT"})
        assert (status, answer["error"]["type"], answer["error"]["field"]) == (409, "conflict", "session")

    with_service(work, GuardServeSettings(session_steps=2))


def test_unused_sessions_expire() -> None:
    async def work() -> None:
        clock = Clock()
        store = SessionStore(per_owner=2, idle_s=10, clock=clock)

        def make() -> OpenSession:
            return OpenSession(Session(WordGuard(), "x"))

        old, used = store.add(0, make).session.id, store.add(0, make).session.id
        clock.now = 8
        store.get(0, used)
        clock.now = 15
        assert len(store) == 1
        with pytest.raises(ApiError, match="expired"):
            store.get(0, old)
        assert store.get(0, used).session.id == used
        store.add(0, make)

    asyncio.run(work())
