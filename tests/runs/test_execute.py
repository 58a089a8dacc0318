"""One episode on a real desktop: the ways it can end, and that every one is on record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from support.playing import FileTask, ScriptedAgent, Stage
from trueline.actions import CallUser, Code, Done, Fail, Hotkey, Type, Wait
from trueline.agents.types import AgentContext
from trueline.models.errors import ConnectionLostError
from trueline.records import ActionResult, Observation, Proposal
from trueline.records.end import End, Unscored
from trueline.records.setting import EpisodeLimits
from trueline.runs.types import FailedTry, UserMessage

WRITE = (Type(text="hello"), Hotkey(keys=("ctrl", "s")))
RM = Code(source="import subprocess\nsubprocess.run('rm -rf ~/Documents', shell=True)")


def test_an_agent_that_does_the_task(stage: Stage) -> None:
    agent = ScriptedAgent([WRITE, (Done(),)])
    task = FileTask(stage.desktop)
    record = stage.play(agent, task=task)
    assert (record.end, record.score, record.unscored) == (End.DONE, 1.0, None)
    assert [step.number for step in record.steps] == [1, 2]
    assert [len(step.results) for step in record.steps] == [2, 1]
    assert all(result.screenshot and result.screenshot.file for step in record.steps for result in step.results)
    assert task.shown == [1, 2]
    assert [len(heard) for heard in agent.heard] == [0, 2]
    assert record.timings is not None and record.timings.setup and record.timings.total


@pytest.mark.parametrize(
    ("action", "end"),
    [(Done(), End.DONE), (Fail(reason="no way"), End.FAIL), (Fail(reason="harmful", refused=True), End.REFUSED)],
)
def test_the_agents_own_ends_are_scored(stage: Stage, action: Done | Fail, end: End) -> None:
    record = stage.play(ScriptedAgent([(action,)]))
    assert (record.end, record.score) == (end, 0.0)


def test_what_follows_an_end_in_one_answer_does_not_run(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([(Fail(), *WRITE)]))
    assert [len(step.results) for step in record.steps] == [1]
    assert stage.runner.run(stage.desktop.get("note.txt")) == b""


def test_limits_end_an_episode_and_it_is_scored(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([WRITE, *[(Wait(seconds=0),)] * 5]), limits=EpisodeLimits(max_steps=3))
    assert (record.end, record.score, len(record.steps)) == (End.STEP_LIMIT, 1.0, 3)


def test_time_is_up_in_the_middle_of_a_step(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([(Wait(seconds=60),)]), limits=EpisodeLimits(timeout=1.0))
    assert (record.end, record.score) == (End.TIME_LIMIT, 0.0)
    assert [step.proposal is not None for step in record.steps] == [True]


def test_an_agent_that_breaks_is_scored_and_says_why(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([WRITE, ValueError("bad thought")]))
    assert (record.end, record.score) == (End.AGENT_ERROR, 1.0)
    assert record.detail == "ValueError: bad thought"
    assert [error.where for error in record.errors] == ["agent"]


def test_a_model_that_does_not_answer_is_no_fault_of_the_agent(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([WRITE, ConnectionLostError("refused")]))
    assert (record.end, record.score, record.unscored) == (None, None, Unscored.MODEL_ERROR)
    assert len(record.steps) == 2
    assert not (stage.folder / "note" / "result.txt").exists()


def test_a_desktop_that_dies_is_unscored(stage: Stage) -> None:
    class Killer(ScriptedAgent):
        async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
            if self.heard:
                await stage.desktop.running.stop()
            return await super().propose(obs, last)

    record = stage.play(Killer([(Wait(seconds=0),), WRITE]))
    assert (record.score, record.unscored) == (None, Unscored.DESKTOP_LOST)
    assert len(record.steps) == 2


def test_code_that_fails_is_a_result_and_nobody_answers_calls(stage: Stage) -> None:
    agent = ScriptedAgent([(Code(source="1/0"),), (CallUser(message="?"),), (Done(),)])
    record = stage.play(agent)
    assert record.end is End.DONE
    assert agent.heard[1][0].error is not None and "ZeroDivisionError" in (agent.heard[1][0].output or "")
    assert "nobody answers" in (agent.heard[2][0].error or "")


@dataclass
class Again:
    """Tells the agent that it failed, twice at most."""

    max_total_steps: int | None = None
    tried: list[FailedTry] = field(default_factory=list[FailedTry])

    async def after(self, tried: FailedTry) -> UserMessage | None:
        self.tried.append(tried)
        return UserMessage("The task is not done. Try again.") if tried.number < 3 else None


def test_a_failed_try_is_followed_by_another_one_in_the_same_episode(stage: Stage) -> None:
    class Learns(ScriptedAgent):
        async def reset(self, ctx: AgentContext) -> None:
            self.script = [WRITE, (Done(),)] if "Try again" in ctx.instruction else [(Done(),)]
            await super().reset(ctx)

    task, again = FileTask(stage.desktop), Again()
    record = stage.play(Learns([]), task=task, retrying=again)
    assert (record.end, record.score) == (End.DONE, 1.0)
    assert [step.number for step in record.steps] == [1, 2, 3]
    assert [(retry.after_step, retry.score) for retry in record.retries] == [(1, 0.0)]
    assert task.prepared == 2
    assert again.tried[0].steps[0].number == 1


def test_tries_share_their_steps(stage: Stage) -> None:
    wait = (Wait(seconds=0),)
    record = stage.play(ScriptedAgent([wait, (Done(),)]), retrying=Again(max_total_steps=3))
    assert (record.end, len(record.steps), len(record.retries)) == (End.STEP_LIMIT, 3, 1)


def test_action_code_that_crashes_is_told_in_the_line_of_its_step_and_in_the_log(stage: Stage) -> None:
    crashing = Code(language="python", source="print('before')\nraise ValueError('no such cell')")
    stage.play(ScriptedAgent([(crashing,), (Code(language="bash", source="exit 3"),), (Done(),)]))
    folder = stage.folder / "note"
    crashed, ended, done = [json.loads(line) for line in (folder / "traj.jsonl").read_text().splitlines()]
    assert crashed["info"]["error"] == "the code ended with 1"
    assert crashed["info"]["output"].strip().endswith("ValueError: no such cell")
    assert (crashed["done"], ended["done"], done["done"]) == (False, False, True)
    assert ended["info"] == {"error": "the code ended with 3", "returncode": 3}
    assert done["info"] == {"done": True}
    log = (folder / "runtime.log").read_text()
    assert "step 1: the code ended with 1" in log
    assert "ValueError: no such cell" in log
