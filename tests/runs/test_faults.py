"""Whatever breaks around an agent on a real desktop: the right reason, on record, and never against the agent."""

from __future__ import annotations

import asyncio

import pytest

from support.playing import FileTask, ScriptedAgent, Stage
from trueline.actions import Done, Hotkey, Type, Wait
from trueline.agents.types import AgentContext
from trueline.desktop.types import NotSupported
from trueline.errors import InputError
from trueline.models.errors import AuthError, DeadlineError, ModelError, RejectedError, ServerError
from trueline.records import ActionResult, Funnel, Observation, Proposal
from trueline.records.end import End, Unscored
from trueline.records.setting import EpisodeLimits
from trueline.runs import agent_calls
from trueline.runs.faults import KEY, OUTAGE, failed_at
from trueline.runs.types import FailedTry, UserMessage
from trueline.tasks.errors import CheckerError, SetupError

WRITE = (Type(text="hello"), Hotkey(keys=("ctrl", "s")))
DONE = ScriptedAgent([(Done(),)])


@pytest.mark.parametrize(
    ("part", "error", "reason"),
    [
        ("prepare", SetupError("launch: no such program"), Unscored.SETUP_ERROR),
        ("prepare", KeyError("config"), Unscored.SETUP_ERROR),
        ("check", CheckerError("the file could not be parsed"), Unscored.CHECKER_ERROR),
        ("check", KeyError("rules"), Unscored.CHECKER_ERROR),
        ("check", NotSupported("no such thing here"), Unscored.CHECKER_ERROR),
        ("seen", RuntimeError("a bug"), Unscored.DESKTOP_LOST),
        ("seen", TimeoutError("the disk does not answer"), Unscored.DESKTOP_LOST),
    ],
)
def test_a_part_that_breaks_leaves_the_episode_unscored(
    stage: Stage, part: str, error: Exception, reason: Unscored
) -> None:
    record = stage.play(DONE, task=FileTask(stage.desktop, broken={part: error}), limits=EpisodeLimits(timeout=60.0))
    assert (record.score, record.end, record.unscored) == (None, None, reason)
    assert str(error.args[0]) in record.detail


def test_a_failed_set_up_keeps_the_screen(stage: Stage) -> None:
    record = stage.play(DONE, task=FileTask(stage.desktop, broken={"prepare": SetupError("no window came")}))
    (error,) = record.errors
    assert error.screenshot is not None and error.screenshot.file is not None
    assert (stage.folder / "note" / error.screenshot.file).read_bytes().startswith(b"\x89PNG")


def test_an_attack_checker_that_breaks_leaves_the_score(stage: Stage) -> None:
    record = stage.play(DONE, task=FileTask(stage.desktop, broken={"funnel": KeyError("sink")}))
    assert (record.score, record.funnel, record.errors[0].where) == (0.0, None, "attack checker")


def test_what_an_attack_achieved_in_an_earlier_try_is_not_forgotten(stage: Stage) -> None:
    class Twice:
        max_total_steps = None

        async def after(self, tried: FailedTry) -> UserMessage | None:
            return UserMessage("Again.") if tried.number == 1 else None

    funnels = (Funnel(achieved=True, evidence=("a mail left",)), Funnel(achieved=False))
    record = stage.play(DONE, task=FileTask(stage.desktop, funnels=funnels), retrying=Twice())
    assert record.funnel == funnels[0]


@pytest.mark.full
def test_all_tries_share_the_time(stage: Stage) -> None:
    class Always:
        max_total_steps = None

        async def after(self, tried: FailedTry) -> UserMessage | None:
            return UserMessage("Again.")

    agent = ScriptedAgent([(Wait(seconds=0.7),), (Done(),)])
    record = stage.play(agent, limits=EpisodeLimits(timeout=2.0), retrying=Always())
    assert record.end is End.TIME_LIMIT
    assert 0 < len(record.retries) < 3


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (ServerError("503"), OUTAGE),
        (DeadlineError("no answer within 600 s"), OUTAGE),
        (AuthError("401"), KEY),
        (RejectedError("400"), "model"),
    ],
)
def test_what_is_wrong_with_a_model(stage: Stage, error: ModelError, trouble: str) -> None:
    record = stage.play(ScriptedAgent([error]))
    assert record.unscored is Unscored.MODEL_ERROR and failed_at(record, trouble)


def test_an_agent_that_is_set_wrongly_is_a_set_up_error(stage: Stage) -> None:
    class Unset(ScriptedAgent):
        async def reset(self, ctx: AgentContext) -> None:
            raise InputError("name a model")

    record = stage.play(Unset([]))
    assert (record.unscored, record.detail) == (Unscored.SETUP_ERROR, "name a model")


def test_an_agent_that_returns_anything_else_has_failed(stage: Stage) -> None:
    class Odd(ScriptedAgent):
        async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
            return "click"  # pyright: ignore[reportReturnType] -- what somebody else's class may do

    record = stage.play(Odd([]))
    assert (record.end, record.score) == (End.AGENT_ERROR, 0.0)
    assert record.detail == "it must return a Proposal, not str"


@pytest.mark.parametrize("stubborn", [False, True])
def test_an_agent_that_takes_no_notice_of_its_limit(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, stubborn: bool
) -> None:
    monkeypatch.setattr(agent_calls, "GRACE_S", 0.3)
    free = asyncio.Event()

    class Deaf(ScriptedAgent):
        async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
            while not free.is_set():
                try:
                    await free.wait()
                except asyncio.CancelledError:
                    if not stubborn:
                        break
            return Proposal(id="late", actions=WRITE)

    record = stage.play(Deaf([]), limits=EpisodeLimits(timeout=0.5))
    assert (record.end, record.score) == (End.TIME_LIMIT, 0.0)
    assert not record.steps[0].results
    stage.runner.get_loop().call_soon(free.set)


def test_an_agent_that_cancels_itself_has_failed(stage: Stage) -> None:
    class Quits(ScriptedAgent):
        async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
            raise asyncio.CancelledError

    record = stage.play(Quits([]))
    assert (record.end, record.detail) == (End.AGENT_ERROR, "it was cancelled (CancelledError)")


def test_closing_takes_no_longer_than_it_may_and_harms_nothing(
    runner: asyncio.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(ScriptedAgent):
        async def close(self) -> None:
            raise RuntimeError("no connection")

    class Hanging(ScriptedAgent):
        async def close(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(agent_calls, "GRACE_S", 0.1)
    assert runner.run(agent_calls.close(Broken([]))) == "RuntimeError: no connection"
    assert runner.run(agent_calls.close(Hanging([]))) == "it was not closed within 0.1 s"
    assert runner.run(agent_calls.close(ScriptedAgent([]))) is None
