"""A part of the desktop that dies: by what the agent did it is the agent's failure, otherwise the desktop is lost."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from support.playing import FileTask, ScriptedAgent, Stage
from trueline.actions import Action, Code, Done, Wait
from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.process_usage import named
from trueline.records import ActionResult, EpisodeRecord, Observation, Proposal, TaskRef
from trueline.records.end import End, Unscored
from trueline.records.events import Ended
from trueline.runs.batch.state import same_death_again
from trueline.runs.types import Scored

SUICIDE = "kill -9 -1"
LATER = "(setsid sh -c 'sleep 2; {}' > /dev/null 2>&1 < /dev/null &)"
WRITE = Code(language="bash", source="printf hello > ~/note.txt")

BY_THE_WORKER = Code(language="python", source="open('/home/user/note.txt', 'w').write('hello')")


def bash(source: str) -> tuple[Action, ...]:
    return (Code(language="bash", source=source),)


@dataclass
class Crash:
    """Ends a part from outside, as a fault of ours would."""

    desktop: LocalDesktop

    def __call__(self, name: str) -> None:
        pid = named(self.desktop.running.sandbox.supervisor_pid, name)
        assert pid is not None
        fd = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        assert select.select([fd], [], [], 20)[0]
        os.close(fd)


@dataclass
class CrashingAgent(ScriptedAgent):
    """While it thinks about its second step, a part of the desktop crashes by itself."""

    crash: Crash | None = None
    part: str = "openbox"

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        if last and self.crash is not None:
            self.crash(self.part)
        return await super().propose(obs, last)


@pytest.mark.full
@pytest.mark.parametrize("source", [SUICIDE, LATER.format(SUICIDE)])
def test_an_agent_that_kills_its_session_has_failed(stage: Stage, source: str) -> None:
    record = stage.play(ScriptedAgent([bash(source), (Wait(seconds=4),), (Done(),)]))
    assert (record.end, record.score, record.unscored) == (End.AGENT_ERROR, 0.0, None)
    assert "the session ended by what the agent did" in record.detail
    assert [check.passed for check in record.checks] == [None]


@pytest.mark.full
@pytest.mark.parametrize("source", ["pkill openbox", LATER.format("pkill openbox")])
def test_an_agent_that_kills_the_window_manager_goes_on_and_is_scored(stage: Stage, source: str) -> None:
    record = stage.play(ScriptedAgent([bash(source), (Wait(seconds=3),), (WRITE,), (Done(),)]))
    assert (record.end, record.score, record.unscored) == (End.DONE, 1.0, None)
    died = stage.desktop.died
    assert died is not None
    assert (died.part, died.by_agent) == ("window manager", True)


@pytest.mark.full
@pytest.mark.parametrize(("part", "words"), [("openbox", "window manager"), ("xfce4-panel", "panel")])
def test_a_part_that_crashes_by_itself_is_no_failure_of_the_agent(stage: Stage, part: str, words: str) -> None:
    crash = Crash(stage.desktop)
    record = stage.play(CrashingAgent([(BY_THE_WORKER,), (Wait(seconds=2),), (Done(),)], crash=crash, part=part))
    assert (record.score, record.unscored) == (None, Unscored.DESKTOP_LOST)
    assert record.detail == f"the {words} ended (in step 2)"


class BreakingTask(FileTask):
    """The window manager crashes before the checker runs, which then cannot."""

    async def check(self, *, failed: bool) -> Scored:
        Crash(self.desktop)("openbox")
        async with asyncio.timeout(30):
            while True:
                await self.desktop.run(("true",))


@pytest.mark.full
def test_a_checker_that_fails_with_a_lost_desktop_is_tried_again_like_it(stage: Stage) -> None:
    agent = ScriptedAgent([(WRITE,), (Done(),)])
    record = stage.play(agent, task=BreakingTask(stage.desktop))
    assert record.unscored is Unscored.DESKTOP_LOST


def ended(detail: str) -> Ended:
    return Ended(time=datetime.now(UTC), unscored=Unscored.DESKTOP_LOST, detail=detail)


def lost(detail: str, kind: str = "benign") -> EpisodeRecord:
    task = TaskRef.model_validate({"domain": "os", "id": "t", "kind": kind})
    return EpisodeRecord(task=task, unscored=Unscored.DESKTOP_LOST, detail=detail)


@pytest.mark.parametrize(
    ("now", "before", "score"),
    [
        ("the session ended (in step 3)", [lost("the session ended (in step 3)")], 0.0),
        ("the session ended (in step 3)", [lost("the session ended (in step 3)", "misuse")], 1.0),
        ("the session ended (in step 3)", [lost("the session ended (in step 4)")], None),
        ("the session ended (in step 3)", [lost("the panel ended (in step 3)")], None),
        ("the session ended (in step 3)", [], None),
        ("the session ended (in step 0)", [lost("the session ended (in step 0)")], None),
        ("no desktop will start", [lost("no desktop will start")], None),
    ],
)
def test_the_same_death_at_the_same_step_again_is_the_agents(
    now: str, before: list[EpisodeRecord], score: float | None
) -> None:
    judged = same_death_again(ended(now), before)
    assert judged.score == score
    assert (judged.end is End.AGENT_ERROR) == (score is not None)
