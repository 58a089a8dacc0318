"""Which equal requests are one."""

from __future__ import annotations

import asyncio

import pytest

from trueline.desktop.serve.replies import Refused, Reply
from trueline.guard.proxy.repeated_requests import RepeatedRequests

SAME, OTHER = b"same", b"other"


class World:
    """A clock, and what was done."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done = 0
        self.retries = RepeatedRequests(lambda: self.now)

    async def ask(self, key: bytes = SAME, status: int = 200, *, hears: bool = True) -> None:
        async def work() -> Reply:
            self.done += 1
            return Reply(b"", status)

        reply = await self.retries.do(key, work)
        if hears:
            self.retries.heard(key, reply)


@pytest.mark.parametrize(
    ("status", "hears", "after", "done"),
    [
        pytest.param(200, True, 0.1, 2, id="an agent that presses a key twice"),
        pytest.param(200, True, 5.0, 1, id="the answer was lost on its way"),
        pytest.param(200, True, 20.0, 2, id="long after"),
        pytest.param(500, True, 5.0, 1, id="the client asks again after an error"),
        pytest.param(500, True, 20.0, 2, id="long after an error"),
        pytest.param(200, False, 0.1, 1, id="the client hung up"),
        pytest.param(200, False, 20.0, 2, id="long after it hung up"),
    ],
)
def test_the_same_again(status: int, hears: bool, after: float, done: int) -> None:
    async def work() -> None:
        world = World()
        await world.ask(status=status, hears=hears)
        world.now = after
        await world.ask()
        assert world.done == done

    asyncio.run(work())


def test_all_tries_of_a_client_are_one() -> None:
    async def work() -> None:
        world = World()
        for world.now in (0.0, 5.1, 10.3):
            await world.ask(status=500)
        assert world.done == 1

    asyncio.run(work())


def test_a_client_that_looks_or_acts_in_between_means_it() -> None:
    async def work() -> None:
        world = World()
        await world.ask()
        world.now = 5.0
        world.retries.went_on()
        await world.ask()
        assert world.done == 2
        world.now = 10.0
        await world.ask(OTHER)
        await world.ask()
        assert world.done == 4

    asyncio.run(work())


def test_somebody_who_looks_does_not_make_an_error_forgotten() -> None:
    async def work() -> None:
        world = World()
        await world.ask(status=500)
        world.retries.went_on()
        world.now = 5.0
        await world.ask()
        assert world.done == 1

    asyncio.run(work())


def test_what_was_not_done_can_be_done() -> None:
    async def work() -> None:
        world = World()

        async def refused() -> Reply:
            raise Refused(503, "away")

        with pytest.raises(Refused):
            await world.retries.do(SAME, refused)
        await world.ask()
        assert world.done == 1

    asyncio.run(work())
