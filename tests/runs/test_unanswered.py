"""The time of an episode is the agent's; what a model takes without giving an answer is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from support.playing import ScriptedAgent, Stage
from trueline.actions import Done, Wait
from trueline.models import Config, Model, open_model
from trueline.models.envfiles import Env
from trueline.models.errors import ModelError
from trueline.models.retry import RetryPolicy
from trueline.models.testing import FakeServer, Hang, Play, Say, Status
from trueline.models.types import Request, user
from trueline.records import ActionResult, EpisodeRecord, Observation, Proposal
from trueline.records.end import End, Unscored
from trueline.records.setting import EpisodeLimits

ASK = Request(messages=(user("What now?"),))


@dataclass
class AskingAgent(ScriptedAgent):
    """Asks a model before each of its steps."""

    model: Model | None = None
    stubborn: bool = False
    """It goes on when the model fails."""
    asked: list[str] = field(default_factory=list[str])

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        assert self.model is not None
        try:
            self.asked.append((await self.model.ask(ASK)).text)
        except ModelError:
            if not self.stubborn:
                raise
        return await super().propose(obs, last)


@asynccontextmanager
async def dripping() -> AsyncGenerator[str]:
    """A server that begins to answer and sends a byte now and then."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@asynccontextmanager
async def playing(plays: tuple[Play, ...], rest: Play) -> AsyncGenerator[str]:
    async with FakeServer(*plays, default=rest) as server:
        yield server.url


def play(
    stage: Stage,
    server: AbstractAsyncContextManager[str],
    *,
    script: tuple[tuple[Wait | Done, ...], ...] = ((Done(),),),
    timeout: float = 1.0,
    stubborn: bool = False,
    retry: RetryPolicy | None = None,
    slow_answer: float = 2.0,
) -> tuple[EpisodeRecord, AskingAgent]:
    """Play one episode; a model that answers in the end gets a `slow_answer` that a busy machine cannot use up."""
    agent = AskingAgent(list(script), stubborn=stubborn)
    address = stage.runner.run(server.__aenter__())
    config = Config(
        env=Env({"LOCAL_OPENAI_BASE_URL": f"{address}/v1"}), retry=retry or RetryPolicy(attempts=9, first_s=0.2)
    )
    agent.model = open_model("local|m", config=config)
    try:
        record = stage.play(agent, limits=EpisodeLimits(timeout=timeout, max_steps=5), slow_answer=slow_answer)
    finally:
        stage.runner.run(agent.model.close())
        stage.runner.run(server.__aexit__(None, None, None))
    return record, agent


def test_a_server_that_hangs_is_no_failure_of_the_agent(stage: Stage) -> None:
    record, _ = play(stage, playing((), Hang()))
    assert (record.score, record.end, record.unscored) == (None, None, Unscored.MODEL_ERROR)
    assert record.errors[0].where == "model outage"
    assert "local|m at http://127.0.0.1:" in record.detail
    assert "has not answered" in record.detail


@pytest.mark.full
def test_neither_is_one_that_drips(stage: Stage) -> None:
    record, _ = play(stage, dripping())
    assert record.unscored is Unscored.MODEL_ERROR


@pytest.mark.full
@pytest.mark.parametrize("last", [Hang(), Say("go on")])
def test_nor_one_that_asks_to_wait(stage: Stage, last: Play) -> None:
    again = Status(429, headers={"retry-after": "3"})
    record, agent = play(stage, playing((again,), last), timeout=1.0)
    assert record.unscored is Unscored.MODEL_ERROR
    assert agent.asked == []


@pytest.mark.full
def test_time_that_failed_attempts_took_is_not_the_agents(stage: Stage) -> None:
    """The model answers in the end, and what it took before makes the difference."""
    slow = RetryPolicy(attempts=9, first_s=1.5)
    wait = ((Wait(seconds=1.0),), (Wait(seconds=1.0),), (Done(),))
    record, _ = play(stage, playing((Status(500), Status(500)), Say()), script=wait, timeout=3.5, retry=slow)
    assert record.unscored is Unscored.MODEL_ERROR
    assert "models gave no answer for" in record.detail


@pytest.mark.full
def test_an_agent_that_goes_on_after_a_failure_of_the_model(stage: Stage) -> None:
    retry = RetryPolicy(attempts=1, attempt_s=2.0)
    wait = ((Wait(seconds=5.0),), (Done(),))
    record, _ = play(stage, playing((), Hang()), script=wait, timeout=3.0, stubborn=True, retry=retry)
    assert record.unscored is Unscored.MODEL_ERROR


def test_a_model_that_is_slow_but_answers_uses_the_agents_time(stage: Stage) -> None:
    record, agent = play(stage, playing((), Say(delay_s=1.6)), timeout=1.0, slow_answer=30.0)
    assert (record.end, record.score) == (End.TIME_LIMIT, 0.0)
    assert agent.asked == [], "what came after the limit is not acted on"


@pytest.mark.full
def test_an_agent_that_is_slow_itself_is_out_of_time(stage: Stage) -> None:
    record, _ = play(stage, playing((), Say()), script=((Wait(seconds=20.0),),), slow_answer=30.0)
    assert (record.end, record.score) == (End.TIME_LIMIT, 0.0)


def test_within_the_time_an_outage_in_between_changes_nothing(stage: Stage) -> None:
    record, _ = play(stage, playing((Status(500),), Say()), timeout=30.0)
    assert (record.end, record.score) == (End.DONE, 0.0)
