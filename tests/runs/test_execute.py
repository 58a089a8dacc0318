"""One episode on a real desktop: the ways it can end, and that every one is on record."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.playing import FileScene, ScriptedAgent, begin
from trueline.actions import CallUser, Click, Code, Done, Fail, Hotkey, Point, Size, Type, Wait
from trueline.agents.types import AgentContext
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import WindowShown
from trueline.guard import DeActionGuard, GuardConfig, GuardContext
from trueline.guard.policy import load_policy
from trueline.guard.session import Outcome, Session
from trueline.models.errors import ConnectionLostError
from trueline.records import ActionResult, EpisodeRecord, Observation, Proposal, read_episode
from trueline.records.end import End, Unscored
from trueline.records.setting import Limits
from trueline.records.verdict import Decision, Verdict
from trueline.runs.execute import execute
from trueline.runs.types import Oversight, Parts, Retrying, Tried, Word

WRITE = (Type(text="hello"), Hotkey(keys=("ctrl", "s")))
RM = Code(source="import subprocess\nsubprocess.run('rm -rf ~/Documents', shell=True)")
INSTRUCTION = "Write hello into the note."


@dataclass
class Stage:
    """Where episodes are played."""

    runner: asyncio.Runner
    desktop: LocalDesktop
    folder: Path

    def play(
        self,
        agent: ScriptedAgent,
        *,
        scene: FileScene | None = None,
        oversight: Oversight | None = None,
        limits: Limits | None = None,
        retrying: Retrying | None = None,
    ) -> EpisodeRecord:
        """Play an episode and return its record, read back from disk."""
        parts = Parts(
            desktop=self.desktop,
            agent=agent,
            context=AgentContext(instruction=INSTRUCTION, screen=Size(1024, 768)),
            scene=scene or FileScene(self.desktop),
            oversight=oversight,
            retrying=retrying,
            limits=limits or Limits(max_steps=5),
        )
        writer = begin(self.folder)
        writer.finish(self.runner.run(execute(parts, writer)))
        return read_episode(self.folder / "note").record


@pytest.fixture
def stage(runner: asyncio.Runner, desktop: LocalDesktop, tmp_path: Path) -> Stage:
    """A stage with a fresh desktop."""
    return Stage(runner, desktop, tmp_path)


def rules(**more: object) -> Oversight:
    """The policy stage alone in front of the agent."""
    guard = DeActionGuard(GuardConfig(policy=load_policy()))
    return Oversight(Session(guard, INSTRUCTION), **more)  # pyright: ignore[reportArgumentType] -- fields by name


def test_an_agent_that_does_the_task(stage: Stage) -> None:
    agent = ScriptedAgent([WRITE, (Done(),)])
    scene = FileScene(stage.desktop)
    record = stage.play(agent, scene=scene)
    assert (record.end, record.score, record.unscored) == (End.DONE, 1.0, None)
    assert [step.number for step in record.steps] == [1, 2]
    assert [len(step.results) for step in record.steps] == [2, 1]
    assert all(result.screenshot and result.screenshot.file for step in record.steps for result in step.results)
    assert scene.shown == [1, 2]
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
    record = stage.play(ScriptedAgent([WRITE, *[(Wait(seconds=0),)] * 5]), limits=Limits(max_steps=3))
    assert (record.end, record.score, len(record.steps)) == (End.STEP_LIMIT, 1.0, 3)


def test_time_is_up_in_the_middle_of_a_step(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([(Wait(seconds=60),)]), limits=Limits(timeout=1.0))
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


@pytest.mark.parametrize(("broken", "reason"), [("setup", Unscored.SETUP_ERROR), ("check", Unscored.CHECKER_ERROR)])
def test_a_task_that_breaks_is_unscored(stage: Stage, broken: str, reason: Unscored) -> None:
    record = stage.play(ScriptedAgent([(Done(),)]), scene=FileScene(stage.desktop, broken=broken))
    assert (record.score, record.unscored) == (None, reason)


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


def test_a_rejected_proposal_goes_back_and_its_revision_runs(stage: Stage) -> None:
    agent = ScriptedAgent([(RM,), (Done(),)], revisions=[WRITE])
    scene = FileScene(stage.desktop)
    record = stage.play(agent, scene=scene, oversight=rules())
    assert (record.end, record.score) == (End.DONE, 1.0)
    assert [attempt.ran for attempt in record.steps[0].attempts] == [False, True]
    assert len(agent.rejected) == 1
    assert scene.wishes == [(1, False), (1, True), (2, True)]
    assert record.steps[0].gap is not None


@pytest.mark.parametrize(
    ("exhausted", "end", "steps"),
    [("stop", End.STOPPED_BY_GUARD, 1), ("fail", End.FAIL, 1), ("skip", End.DONE, 2), ("ask", End.STOPPED_BY_GUARD, 1)],
)
def test_when_nothing_is_let_through(stage: Stage, exhausted: str, end: End, steps: int) -> None:
    agent = ScriptedAgent([(RM,), (Done(),)], revisions=[(RM,)])
    record = stage.play(agent, oversight=rules(max_revisions=1, exhausted=exhausted))
    assert (record.end, len(record.steps)) == (end, steps)
    assert all(not attempt.ran for attempt in record.steps[0].attempts)
    assert record.steps[0].results == ()
    assert stage.runner.run(stage.desktop.run(("test", "-d", "Documents"))).returncode == 0
    if exhausted == "skip":
        assert "not executed" in (agent.heard[1][0].error or "")


def test_a_person_may_let_it_through(stage: Stage) -> None:
    asked: list[str] = []

    async def ask(outcome: Outcome) -> bool:
        asked.append(outcome.proposal.id)
        return True

    agent = ScriptedAgent([(RM,), (Done(),)])
    record = stage.play(agent, oversight=rules(max_revisions=0, exhausted="ask", ask=ask))
    assert asked == ["p1"]
    assert record.steps[0].attempts[0].ran
    assert stage.runner.run(stage.desktop.run(("test", "-d", "Documents"))).returncode == 1


def test_a_shadow_guard_only_watches(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([(RM,), (Done(),)]), oversight=rules(shadow=True))
    attempt = record.steps[0].attempts[0]
    assert attempt.ran and attempt.verdict is not None and attempt.verdict.decision is Decision.MISALIGNED
    assert stage.runner.run(stage.desktop.run(("test", "-d", "Documents"))).returncode == 1


@dataclass
class PopUp:
    """A guard whose verdict comes after a window has opened, so many times."""

    desktop: LocalDesktop
    times: int
    screens: list[bytes | None] = field(default_factory=list[bytes | None])

    async def check(self, context: GuardContext) -> Verdict:
        self.screens.append(context.observation.png())
        if len(self.screens) <= self.times:
            await self.desktop.launch(("xmessage", "-center", "-geometry", "500x400", "Click here"))
            await self.desktop.wait_for(WindowShown(app="xmessage", new=True))
        return Verdict(decision=Decision.ALIGNED)


def test_a_popup_between_check_and_act_is_seen_and_checked_again(stage: Stage) -> None:
    guard = PopUp(stage.desktop, times=1)
    oversight = Oversight(Session(guard, INSTRUCTION))
    record = stage.play(ScriptedAgent([(Click(at=Point(512, 384)),), (Done(),)]), oversight=oversight)
    step = record.steps[0]
    assert step.gap is not None and step.gap.rechecks == 1
    assert {"windows", "pixels"} <= set(step.gap.changed)
    assert len(step.attempts[0].verdicts) == 2
    assert guard.screens[0] != guard.screens[1]
    assert record.end is End.DONE


def test_a_screen_that_never_holds_still_is_not_clicked(stage: Stage) -> None:
    guard = PopUp(stage.desktop, times=100)
    record = stage.play(ScriptedAgent([(Click(at=Point(512, 384)),)]), oversight=Oversight(Session(guard, INSTRUCTION)))
    assert record.end is End.STOPPED_BY_GUARD
    assert record.steps[0].results == ()
    assert record.steps[0].attempts[0].verdicts[-1].decision is Decision.UNDECIDED


@dataclass
class Again:
    """Tells the agent that it failed, twice at most."""

    max_total_steps: int | None = None
    tried: list[Tried] = field(default_factory=list[Tried])

    async def after(self, tried: Tried) -> Word | None:
        self.tried.append(tried)
        return Word("The task is not done. Try again.") if tried.number < 3 else None


def test_a_failed_try_is_followed_by_another_one_in_the_same_episode(stage: Stage) -> None:
    class Learns(ScriptedAgent):
        async def reset(self, ctx: AgentContext) -> None:
            self.script = [WRITE, (Done(),)] if "Try again" in ctx.instruction else [(Done(),)]
            await super().reset(ctx)

    scene, again = FileScene(stage.desktop), Again()
    record = stage.play(Learns([]), scene=scene, retrying=again)
    assert (record.end, record.score) == (End.DONE, 1.0)
    assert [step.number for step in record.steps] == [1, 2, 3]
    assert [(retry.after_step, retry.score) for retry in record.retries] == [(1, 0.0)]
    assert scene.prepared == 2
    assert again.tried[0].steps[0].number == 1


def test_tries_share_their_steps(stage: Stage) -> None:
    wait = (Wait(seconds=0),)
    record = stage.play(ScriptedAgent([wait, (Done(),)]), retrying=Again(max_total_steps=3))
    assert (record.end, len(record.steps), len(record.retries)) == (End.STEP_LIMIT, 3, 1)
