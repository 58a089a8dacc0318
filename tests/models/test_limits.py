"""Limits hold, adapt, and are fair."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.models import DeadlineError, Limiters, Model, ProviderLimits, Request, user
from trueline.models.limits import Bucket, Limiter
from trueline.models.retry import RetryPolicy
from trueline.models.testing import FakeServer, Play, Say, Seen, Status

if TYPE_CHECKING:
    from models.conftest import Lab


def ask(episode: str = "", text: str = "hi") -> Request:
    return Request(messages=(user(text),), episode=episode)


def test_no_more_are_in_flight_than_allowed(lab: Lab) -> None:
    server = FakeServer(default=Say(delay_s=0.01))

    async def talk(model: Model) -> None:
        await asyncio.gather(*(model.ask(ask()) for _ in range(30)))

    lab.session(
        "openai", server, talk, config=lambda server: lab.config(server, limiters=Limiters(ProviderLimits(in_flight=4)))
    )
    assert (server.count, server.most_active) == (30, 4)


def test_models_of_one_provider_share_its_limit_and_others_do_not() -> None:
    limiters = Limiters(ProviderLimits(in_flight=4), {"local": ProviderLimits(in_flight=1)})
    assert limiters.for_server("openai", "u") is limiters.for_server("openai", "u")
    assert limiters.for_server("openai", "u") is not limiters.for_server("openai", "v")
    assert limiters.for_server("openai", "u").window == 4
    assert limiters.for_server("local", "u").window == 1


def test_callers_take_turns() -> None:
    async def main() -> list[str]:
        limiter = Limiter(ProviderLimits(in_flight=1))
        order: list[str] = []

        async def one(caller: str) -> None:
            async with limiter.slot(caller):
                order.append(caller)
                await asyncio.sleep(0)

        greedy = [asyncio.create_task(one("greedy")) for _ in range(50)]
        await asyncio.sleep(0)
        modest = [asyncio.create_task(one(name)) for name in ("modest", "modest", "other")]
        await asyncio.gather(*greedy, *modest)
        return order

    order = asyncio.run(main())
    assert len(order) == 53
    assert max(place for place, name in enumerate(order) if name != "greedy") < 8


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(1, 5))
def test_everyone_gets_in_and_the_slots_come_back(callers: list[str], in_flight: int) -> None:
    async def main() -> None:
        limiter = Limiter(ProviderLimits(in_flight=in_flight))
        most = 0

        async def one(caller: str) -> None:
            nonlocal most
            async with limiter.slot(caller):
                most = max(most, limiter.active)
                await asyncio.sleep(0)

        await asyncio.gather(*(one(caller) for caller in callers))
        assert most <= in_flight
        assert limiter.active == 0

    asyncio.run(main())


@settings(deadline=None, max_examples=50)
@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_who_gives_up_waiting_leaves_no_hole(cancelled: list[bool]) -> None:
    async def main() -> None:
        limiter = Limiter(ProviderLimits(in_flight=2))

        async def one() -> None:
            async with limiter.slot():
                await asyncio.sleep(0)

        tasks = [asyncio.create_task(one()) for _ in cancelled]
        await asyncio.sleep(0)
        for task, drop in zip(tasks, cancelled, strict=True):
            if drop:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.active == 0
        async with limiter.slot():
            assert limiter.active == 1

    asyncio.run(main())


def test_pushback_halves_the_window_once_per_wave_and_success_wins_it_back() -> None:
    async def main() -> list[int]:
        limiter = Limiter(ProviderLimits(in_flight=16))
        windows = [limiter.window]

        async def pushed() -> None:
            async with limiter.slot() as slot:
                await asyncio.sleep(0)
                slot.push_back(None)

        await asyncio.gather(*(pushed() for _ in range(16)))
        windows.append(limiter.window)
        await pushed()
        windows.append(limiter.window)
        for _ in range(10):
            await pushed()
        windows.append(limiter.window)
        for _ in range(200):
            async with limiter.slot():
                pass
        windows.append(limiter.window)
        return windows

    assert asyncio.run(main()) == [16, 8, 4, 1, 16]


def test_failures_win_nothing_back() -> None:
    async def main() -> int:
        limiter = Limiter(ProviderLimits(in_flight=16))
        async with limiter.slot() as slot:
            slot.push_back(None)
        for _ in range(50):
            with pytest.raises(ConnectionError):
                async with limiter.slot():
                    raise ConnectionError
        return limiter.window

    assert asyncio.run(main()) == 8


def test_a_provider_that_pushes_back_is_asked_less_and_everything_still_gets_answered(lab: Lab) -> None:
    server = FakeServer(keep=0)

    def strained(seen: Seen) -> Play:
        return Status(429) if server.active > 4 else Say(delay_s=0.002)

    server.default = strained
    limiters = Limiters(ProviderLimits(in_flight=32))
    patient = RetryPolicy(attempts=200, first_s=0.001, longest_s=0.02, deadline_s=40)

    async def talk(model: Model) -> tuple[int, int]:
        answers = await asyncio.gather(*(model.ask(ask()) for _ in range(200)))
        assert all(answer.text == "ok" for answer in answers)
        return sum(answer.attempts for answer in answers), limiters.for_server("openai", model.id.url).window

    attempts, window = lab.session(
        "openai", server, talk, config=lambda server: lab.config(server, retry=patient, limiters=limiters)
    )
    assert window < 32
    # Without adapting, 32 callers against room for 4 would be turned away several times each.
    assert attempts < 200 * 3


@pytest.mark.parametrize(("asked_s", "passes"), [(3600, False), (0.01, True)])
def test_retry_after_pauses_everyone(asked_s: float, passes: bool) -> None:
    async def main() -> bool:
        limiter = Limiter(ProviderLimits(in_flight=4))
        async with limiter.slot() as slot:
            slot.push_back(asked_s)
        try:
            async with asyncio.timeout(30 if passes else 0.05), limiter.slot("somebody else"):
                return True
        except TimeoutError:
            return False

    assert asyncio.run(main()) is passes


@settings(deadline=None)
@given(
    per_minute=st.floats(1, 10_000),
    amounts=st.lists(st.floats(0, 20_000), max_size=30),
)
def test_a_bucket_never_gives_more_than_its_rate(per_minute: float, amounts: list[float]) -> None:
    bucket, now, given_out = Bucket(per_minute, 0.0), 0.0, 0.0
    for amount in amounts:
        now += bucket.wait_s(amount, now)
        assert bucket.wait_s(amount, now) == pytest.approx(0, abs=1e-6)
        bucket.take(min(amount, per_minute))
        given_out += min(amount, per_minute)
        assert given_out <= per_minute * (1 + now / 60) * (1 + 1e-6) + 1e-3


def test_a_bucket_without_a_rate_never_waits_and_a_debt_is_paid() -> None:
    assert Bucket(None, 0.0).wait_s(10**9, 0.0) == 0
    bucket = Bucket(60, 0.0)
    bucket.take(90)
    assert bucket.wait_s(1, 0.0) == pytest.approx(31)


def test_requests_per_minute_hold_requests_back(lab: Lab) -> None:
    server = FakeServer()

    async def talk(model: Model) -> None:
        await asyncio.gather(*(model.ask(ask()) for _ in range(3)))
        with pytest.raises(DeadlineError):
            await model.ask(ask().model_copy(update={"deadline_s": 0.1}))
        assert server.count == 3

    limits = ProviderLimits(requests_per_minute=3)
    lab.session("openai", server, talk, config=lambda server: lab.config(server, limiters=Limiters(limits)))


def test_tokens_per_minute_count_what_requests_really_took(lab: Lab) -> None:
    server = FakeServer(Say(input_tokens=5000, output_tokens=5000))

    async def talk(model: Model) -> None:
        await model.ask(ask())
        with pytest.raises(DeadlineError):
            await model.ask(ask().model_copy(update={"deadline_s": 0.1}))
        assert server.count == 1

    limits = ProviderLimits(tokens_per_minute=8000)
    lab.session("openai", server, talk, config=lambda server: lab.config(server, limiters=Limiters(limits)))
