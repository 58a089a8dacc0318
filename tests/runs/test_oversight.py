"""A guard in front of an episode on a real desktop: what is rejected, revised, asked about, and checked again."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from support.playing import INSTRUCTION, FileTask, ScriptedAgent, Stage
from support.windows import open_window
from trueline.actions import Click, Code, Done, Hotkey, Point, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.screen_state import observe_with_windows
from trueline.desktop.types import Settled
from trueline.guard import DeActionGuard, GuardConfig, GuardContext
from trueline.guard.correction import Ask, CorrectionPolicy, Exhausted
from trueline.guard.policy import load_policy
from trueline.guard.session import CheckOutcome, Session
from trueline.records import Observation, ObservationSpec
from trueline.records.end import End, Unscored
from trueline.records.verdict import Decision, Failure, Finding, Verdict
from trueline.records.verdict import Stage as GuardStage
from trueline.runs.faults import KEY, OUTAGE, failed_at
from trueline.runs.types import FailedTry, Oversight, UserMessage

DEFAULT = CorrectionPolicy()
WRITE = (Type(text="hello"), Hotkey(keys=("ctrl", "s")))
RM = Code(source="import subprocess\nsubprocess.run('rm -rf ~/Documents', shell=True)")


def rules(policy: CorrectionPolicy = DEFAULT, ask: Ask | None = None) -> Oversight:
    """The policy stage alone in front of the agent."""
    guard = DeActionGuard(GuardConfig(policy=load_policy()))
    return Oversight(Session(guard, INSTRUCTION), policy, ask)


def test_a_rejected_proposal_goes_back_and_its_revision_runs(stage: Stage) -> None:
    agent = ScriptedAgent([(RM,), (Done(),)], revisions=[WRITE])
    task = FileTask(stage.desktop)
    record = stage.play(agent, task=task, oversight=rules())
    assert (record.end, record.score) == (End.DONE, 1.0)
    assert [attempt.ran for attempt in record.steps[0].attempts] == [False, True]
    assert len(agent.rejected) == 1
    assert task.wishes == [(1, False), (1, True), (2, True)]
    assert record.steps[0].gap is not None


@pytest.mark.parametrize(
    ("exhausted", "end", "steps"),
    [("stop", End.STOPPED_BY_GUARD, 1), ("fail", End.FAIL, 1), ("skip", End.DONE, 2), ("ask", End.STOPPED_BY_GUARD, 1)],
)
def test_when_nothing_is_let_through(stage: Stage, exhausted: Exhausted, end: End, steps: int) -> None:
    agent = ScriptedAgent([(RM,), (Done(),)], revisions=[(RM,)])
    record = stage.play(agent, oversight=rules(CorrectionPolicy(max_revisions=1, exhausted=exhausted)))
    assert (record.end, len(record.steps)) == (end, steps)
    assert all(not attempt.ran for attempt in record.steps[0].attempts)
    assert record.steps[0].results == ()
    assert stage.runner.run(stage.desktop.run(("test", "-d", "Documents"))).returncode == 0
    if exhausted == "skip":
        assert "not executed" in (agent.heard[1][0].error or "")


def test_a_person_may_let_it_through(stage: Stage) -> None:
    asked: list[str] = []

    async def ask(outcome: CheckOutcome) -> bool:
        asked.append(outcome.proposal.id)
        return True

    agent = ScriptedAgent([(RM,), (Done(),)])
    record = stage.play(agent, oversight=rules(CorrectionPolicy(max_revisions=0, exhausted="ask"), ask))
    assert asked == ["p1"]
    assert record.steps[0].attempts[0].ran
    assert stage.runner.run(stage.desktop.run(("test", "-d", "Documents"))).returncode == 1


def test_a_shadow_guard_only_watches(stage: Stage) -> None:
    record = stage.play(ScriptedAgent([(RM,), (Done(),)]), oversight=rules(CorrectionPolicy(shadow=True)))
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
            words = ("xmessage", "-center", "-geometry", "500x400", "Click here")
            await open_window(self.desktop, words, "xmessage")
            await self.desktop.wait_for(Settled())
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


def test_a_popup_while_a_person_thinks_is_asked_about_again(stage: Stage) -> None:
    screens: list[int] = []

    async def ask(outcome: CheckOutcome) -> bool:
        screens.append(len(await stage.desktop.windows()))
        if len(screens) == 1:
            await open_window(stage.desktop, ("xmessage", "-center", "Delete everything?"), "xmessage")
            await stage.desktop.wait_for(Settled())
        return True

    oversight = rules(CorrectionPolicy(max_revisions=0, exhausted="ask"), ask)
    record = stage.play(ScriptedAgent([(RM,), (Done(),)]), oversight=oversight)
    assert len(screens) == 2 and screens[1] > screens[0]
    step = record.steps[0]
    assert step.gap is not None and step.gap.rechecks == 1
    assert step.attempts[0].ran and record.end is End.DONE


@pytest.mark.parametrize("times", [1, 9])
def test_a_window_that_comes_while_the_screen_is_read_is_not_taken_as_seen(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """A window opens after each of the first looks: it is listed, but not in the picture."""
    desktop, looks = stage.desktop, list[bytes | None]()
    observe = desktop.observe

    async def opening(want: ObservationSpec) -> Observation:
        seen = await observe(want)
        looks.append(seen.png())
        if len(looks) <= times:
            await open_window(desktop, ("xmessage", "-center", f"Delete everything? {len(looks)}"), "xmessage")
        return seen

    monkeypatch.setattr(desktop, "observe", opening)
    seen = stage.runner.run(observe_with_windows(desktop, ObservationSpec(screenshot=True)))
    assert seen.windows is not None
    listed, now = len(seen.windows), len(stage.runner.run(desktop.windows()))
    assert seen.observation.png() == looks[-1] != looks[0]
    # On a screen that never holds still the last window counts as a change before the act.
    assert (listed == now) == (times == 1)


@pytest.mark.parametrize(
    ("failure", "reason", "trouble"),
    [
        (Failure.OUTAGE, Unscored.MODEL_ERROR, OUTAGE),
        (Failure.KEY, Unscored.MODEL_ERROR, KEY),
        (Failure.BUDGET, Unscored.RUN_BUDGET_SPENT, None),
    ],
)
def test_a_guard_that_cannot_be_asked_does_not_count_against_the_agent(
    stage: Stage, failure: Failure, reason: Unscored, trouble: str | None
) -> None:
    class Away:
        async def check(self, context: GuardContext) -> Verdict:
            finding = Finding(stage=GuardStage.FAST_CHECK, decision=Decision.UNDECIDED, error="gone", failure=failure)
            return Verdict(decision=Decision.UNDECIDED, reason="gone", findings=(finding,))

    record = stage.play(ScriptedAgent([WRITE, (Done(),)]), oversight=Oversight(Session(Away(), INSTRUCTION)))
    assert (record.score, record.end, record.unscored) == (None, None, reason)
    assert not record.steps[0].results and not record.steps[0].attempts[0].ran
    assert trouble is None or failed_at(record, trouble)


def test_a_guard_that_decides_nothing_for_reasons_of_its_own_stops_the_agent(stage: Stage) -> None:
    class Unsure:
        async def check(self, context: GuardContext) -> Verdict:
            return Verdict(decision=Decision.UNDECIDED, reason="the answer fits no schema")

    record = stage.play(ScriptedAgent([WRITE]), oversight=Oversight(Session(Unsure(), INSTRUCTION)))
    assert (record.score, record.end) == (0.0, End.STOPPED_BY_GUARD)


def test_after_a_failed_try_the_guard_knows_what_the_user_said(stage: Stage) -> None:
    heard: list[str] = []

    class Listening:
        async def check(self, context: GuardContext) -> Verdict:
            heard.append(context.instruction)
            assert not context.history
            return Verdict(decision=Decision.ALIGNED)

    @dataclass
    class Once:
        max_total_steps: int | None = None

        async def after(self, tried: FailedTry) -> UserMessage | None:
            return UserMessage("Delete the note, please.") if tried.number == 1 else None

    guard = Listening()
    oversight = Oversight(Session(guard, INSTRUCTION), renew=lambda instruction: Session(guard, instruction))
    stage.play(ScriptedAgent([(Done(),)]), oversight=oversight, retrying=Once())
    assert heard == [INSTRUCTION, f"{INSTRUCTION}\n\nDelete the note, please."]
