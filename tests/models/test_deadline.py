"""One deadline over everything, and cancellation that leaves nothing behind."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from trueline.models import DeadlineError, Limiters, Model, ProviderLimits, Request, Schema, user
from trueline.models.retry import RetryPolicy
from trueline.models.testing import FakeServer, Hang, Say, Status

if TYPE_CHECKING:
    from models.conftest import Lab

ASK = Request(messages=(user("well?"),))
SOON = ASK.model_copy(update={"deadline_s": 0.2})


def test_a_server_that_hangs_costs_the_deadline_and_no_more(lab: Lab, protocol_wire: str) -> None:
    server = FakeServer(default=Hang())
    with pytest.raises(DeadlineError, match="attempt 1"):
        lab.run(protocol_wire, server, SOON)
    assert server.count <= 1


class Heard(logging.Handler):
    """Keeps what the log says about servers that do not answer, and tells when it was said often enough."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.enough = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "has not answered for" in record.getMessage():
            self.lines.append(record.getMessage())
        if len(self.lines) >= 3:
            self.enough.set()


def test_a_server_that_hangs_is_told_in_the_log_again_and_again_but_once_for_all_calls(lab: Lab) -> None:
    impatient = RetryPolicy(reported_s=0.1, deadline_s=20)

    async def talk(model: Model) -> list[str]:
        heard, log = Heard(), logging.getLogger("trueline.models")
        log.addHandler(heard)
        calls = [asyncio.ensure_future(model.ask(ASK)) for _ in range(8)]
        try:
            async with asyncio.timeout(20):
                await heard.enough.wait()
        finally:
            log.removeHandler(heard)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        return heard.lines

    told = lab.session("local", FakeServer(default=Hang()), talk, lambda server: lab.config(server, retry=impatient))
    assert 3 <= len(told) < 8
    assert told[0].startswith("local|any at http://127.0.0.1:")


def test_a_server_that_answers_is_not_told(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    lab.run("local", FakeServer(default=Say("done")), ASK)
    assert not [record for record in caplog.records if "answered" in record.getMessage()]


def test_a_long_pause_that_a_server_asks_for_is_told_once(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    busy = Status(429, "slow down", headers={"retry-after": "0.4"})
    told_early = RetryPolicy(reported_s=0.4)
    lab.run("local", FakeServer(busy, Say("done")), ASK, config=lambda server: lab.config(server, retry=told_early))
    (line,) = [record.getMessage() for record in caplog.records if "asks to wait" in record.getMessage()]
    assert line.startswith("local|any at http://127.0.0.1:") and line.endswith(" asks to wait 0.4 s")
    caplog.clear()
    lab.run("local", FakeServer(busy, Say("done")), ASK, config=lambda server: lab.config(server, retry=RetryPolicy()))
    assert not [record for record in caplog.records if "asks to wait" in record.getMessage()]


def test_attempts_and_pauses_share_one_deadline(lab: Lab) -> None:
    endless = RetryPolicy(attempts=1_000_000, first_s=0.01, longest_s=0.02, attempt_s=0.1, deadline_s=1.0)
    server = FakeServer(Hang(), Status(500), Hang(), default=Status(503, "still down"))
    with pytest.raises(DeadlineError, match="still down"):
        lab.run("openai", server, ASK, config=lambda server: lab.config(server, retry=endless))
    assert server.count > 3


def test_a_longer_wait_than_there_is_time_is_not_begun(lab: Lab) -> None:
    server = FakeServer(default=Status(429, "slow down", headers={"retry-after": "3600"}))
    with pytest.raises(DeadlineError, match="3600"):
        lab.run("openai", server, ASK)
    assert server.count == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "0.01"},
        {"retry-after-ms": "10"},
        {"retry-after-ms": "10", "retry-after": "3600"},
        {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"},
        {"retry-after": "whenever"},
    ],
)
def test_every_spelling_of_retry_after_is_understood(lab: Lab, headers: dict[str, str]) -> None:
    server = FakeServer(Status(429, headers=headers), Say("done"))
    [answer] = lab.run("openai", server, ASK)
    assert (answer.text, answer.attempts) == ("done", 2)


def test_waiting_for_a_turn_counts_too(lab: Lab) -> None:
    server = FakeServer(default=Hang())

    async def talk(model: Model) -> None:
        first = asyncio.create_task(model.ask(ASK))
        try:
            with pytest.raises(DeadlineError):
                await model.ask(SOON)
        finally:
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)

    lab.session(
        "openai",
        server,
        talk,
        config=lambda server: lab.config(server, limiters=Limiters(ProviderLimits(in_flight=1))),
    )
    assert server.count <= 1


def test_cancelling_closes_the_connection_and_frees_the_turn(lab: Lab, protocol_wire: str) -> None:
    limiters = Limiters(ProviderLimits(in_flight=1))
    server = FakeServer(Hang(), default=Say("free again"))

    async def talk(model: Model) -> str:
        task = asyncio.create_task(model.ask(ASK))
        await server.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.abandoned.wait()
        return (await model.ask(ASK)).text

    text = lab.session(protocol_wire, server, talk, config=lambda server: lab.config(server, limiters=limiters))
    assert text == "free again"


def test_a_structured_answer_and_its_repair_share_the_deadline(lab: Lab) -> None:
    server = FakeServer(Say("no json"), Hang())
    with pytest.raises(DeadlineError):
        lab.run(
            "openai",
            server,
            ASK.model_copy(update={"deadline_s": 1.0, "expects": Schema(definition={"type": "object"})}),
        )
    assert server.count == 2
