"""The correction loop through all its users, by one table: episodes, `guarded()`, `guard_actions` and the proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pytest

from support.guarding import WordGuard
from support.playing import INSTRUCTION, ScriptedAgent, Stage
from support.windows import open_window
from trueline.actions import Action, Fail, Type, Wait
from trueline.agents.types import Agent
from trueline.desktop.local import LocalDesktop, Pool
from trueline.desktop.screen_state import ScreenState, observe_with_windows
from trueline.desktop.types import Settled
from trueline.guard.config import OnError
from trueline.guard.correction import MAX_RECHECKS, UNSTEADY, CorrectionPolicy, Exhausted
from trueline.guard.guarded import Blocked, WhenBlocked, guard_actions, guarded
from trueline.guard.proxy.episode import Episode
from trueline.guard.proxy.requested_actions import RequestedActions, SubmittedCode
from trueline.guard.proxy.settings import ProxySettings
from trueline.guard.session import CheckOutcome, Session
from trueline.guard.types import GuardContext
from trueline.records.end import End
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.setting import EpisodeLimits
from trueline.records.verdict import Decision, Verdict
from trueline.runs.types import Oversight, Scored

SEEN = ObservationSpec(screenshot=True)


@dataclass(frozen=True)
class Case:
    """What the agent proposes, how the loop is set, and what must come of it."""

    script: tuple[str, ...]
    """The texts it wants to type: its proposal and the revisions."""
    ran: str | None
    checks: int
    exhausted: Exhausted = "stop"
    on_error: OnError = "block"
    shadow: bool = False
    answer: bool | None = None
    """What a person says; `None`: nobody is there."""
    asked: int = 0
    pop_ups: int = 0
    """How many checks a window opens under."""
    alone: Case | None = None
    """What becomes of it where the agent must come back by itself, and nobody is asked about its last revision."""


ALIGNED = Case(("one",), "one", 1)
REVISED = Case(("delete", "rename"), "rename", 2)
EXHAUSTED = Case(("delete", "delete again"), None, 2)
UNDECIDED = Case(("doubt", "rename"), None, 1)
CASES = {
    "aligned": ALIGNED,
    "misaligned, then revised": REVISED,
    "exhausted: stop": EXHAUSTED,
    "exhausted: fail": replace(EXHAUSTED, exhausted="fail"),
    "exhausted: skip": replace(EXHAUSTED, exhausted="skip"),
    "exhausted: ask, nobody there": replace(EXHAUSTED, exhausted="ask"),
    "exhausted: ask, denied": replace(EXHAUSTED, exhausted="ask", answer=False, asked=1),
    "exhausted: ask, approved": replace(
        EXHAUSTED, exhausted="ask", answer=True, asked=1, ran="delete again", alone=EXHAUSTED
    ),
    "undecided: block": UNDECIDED,
    "undecided: allow": replace(UNDECIDED, on_error="allow", ran="doubt"),
    "undecided: ask, nobody there": replace(UNDECIDED, on_error="ask"),
    "undecided: ask, denied": replace(UNDECIDED, on_error="ask", answer=False, asked=1),
    "undecided: ask, approved": replace(
        UNDECIDED, on_error="ask", answer=True, asked=1, ran="doubt", alone=replace(UNDECIDED, on_error="ask")
    ),
    "shadow, misaligned": replace(REVISED, shadow=True, ran="delete", checks=1),
    "shadow, undecided": replace(UNDECIDED, shadow=True, ran="doubt", on_error="ask", answer=True),
    "changed between check and act": replace(ALIGNED, pop_ups=1, checks=2),
    "changed while the revision is checked": replace(REVISED, pop_ups=2, checks=3),
    "changed again and again": Case(("one", "two"), None, 1 + MAX_RECHECKS, pop_ups=99),
}


@dataclass
class Guard(WordGuard):
    """Judges by words; while it looks, windows open."""

    desktop: LocalDesktop
    pop_ups: int = 0
    seen: list[GuardContext] = field(default_factory=list[GuardContext])

    async def check(self, context: GuardContext) -> Verdict:
        verdict = await super().check(context)
        if len(self.seen) <= self.pop_ups:
            await open_window(self.desktop, ("xmessage", "-center", f"pop-up {len(self.seen)}"), "xmessage")
            await self.desktop.wait_for(Settled())
        return verdict


@dataclass
class Happened:
    """What came of a case."""

    ran: str | None
    given_up: Exhausted | None = None
    """What was done when nothing was let through."""


@dataclass
class Person:
    """Asked about what nobody else lets through."""

    says: bool
    asked: list[CheckOutcome] = field(default_factory=list[CheckOutcome])

    async def __call__(self, outcome: CheckOutcome) -> bool:
        self.asked.append(outcome)
        return self.says


class NothingToDo:
    """A task without set-up, which nobody scores."""

    async def prepare(self) -> None: ...
    async def seen(self, step: int, observation: Observation, agent: Agent) -> None: ...
    def proposed(self, step: int, proposal: Proposal, *, ran: bool) -> None: ...

    has_checker = True

    def checked(self) -> None: ...
    async def check(self, *, failed: bool) -> Scored:
        return Scored(0.0)

    async def changes(self) -> None: ...

    async def ledger(self) -> None: ...

    async def funnel(self, end: End, scored: Scored | None) -> None: ...


def typing(words: tuple[str, ...]) -> list[tuple[Action, ...]]:
    return [(Type(text=word),) for word in words]


User = Callable[[Case, Guard, Person | None, Stage], Awaitable[Happened]]


async def episode(case: Case, guard: Guard, person: Person | None, stage: Stage) -> Happened:
    session = Session(guard, INSTRUCTION, on_error=case.on_error)
    oversight = Oversight(session, CorrectionPolicy(1, case.exhausted, case.shadow), person)
    agent = ScriptedAgent(typing(case.script), revisions=typing(case.script[1:]), prefix=stage.folder.name)
    record = await stage.perform(agent, task=NothingToDo(), oversight=oversight, limits=EpisodeLimits(max_steps=1))
    first = record.steps[0]
    given_up: dict[End | None, Exhausted] = {End.STOPPED_BY_GUARD: "stop", End.FAIL: "fail", End.STEP_LIMIT: "skip"}
    ran = [attempt.proposal for attempt in first.attempts if attempt.ran]
    assert bool(ran) == bool(first.results)
    return Happened(typed(ran[0].actions) if ran else None, None if ran else given_up[record.end])


async def wrapped(case: Case, guard: Guard, person: Person | None, stage: Stage) -> Happened:
    when: dict[Exhausted, WhenBlocked] = {"stop": "raise", "fail": "fail", "skip": "wait", "ask": "ask"}

    async def look() -> ScreenState:
        return await observe_with_windows(stage.desktop, SEEN)

    agent = ScriptedAgent(typing(case.script), revisions=typing(case.script[1:]))
    watched = guarded(
        agent,
        guard,
        max_revisions=1,
        when_blocked=when[case.exhausted],
        on_error=case.on_error,
        shadow=case.shadow,
        look=look,
        ask=person,
    )
    await watched.reset(stage.context)
    try:
        proposal = await watched.propose((await look()).observation)
    except Blocked:
        return Happened(None, "stop")
    match proposal.actions:
        case (Fail(),):
            return Happened(None, "fail")
        case (Wait(),):
            return Happened(None, "skip")
        case actions:
            return Happened(typed(actions))


async def proxy(case: Case, guard: Guard, person: Person | None, stage: Stage) -> Happened:
    """The client is the agent: it may send a revision once, unless nobody could decide."""
    settings = ProxySettings(shadow=case.shadow, on_error=case.on_error, sees=SEEN)
    judged = Episode(stage.desktop, Session(guard, INSTRUCTION, on_error=case.on_error), settings, None)
    for word in case.script:
        wanted = RequestedActions((SubmittedCode(f"pyautogui.write({word!r})", "python"),), {}, by_agent=True)
        ruling = await judged.judge(word.encode(), "/execute", wanted)
        if ruling.check is not None:
            await judged.ran(ruling.check)
            return Happened(word)
        if "(misaligned)" not in ruling.text:
            break
    return Happened(None)


async def decorated(case: Case, guard: Guard, person: Person | None, stage: Stage) -> Happened:
    """Whoever calls the function is the agent, as in front of the proxy."""
    session = Session(guard, INSTRUCTION, on_error=case.on_error)
    ran: list[str] = []

    @guard_actions(session, observe=lambda: observe_with_windows(stage.desktop, SEEN), ask=person)
    async def execute(action: Action) -> None:
        assert isinstance(action, Type)
        ran.append(action.text)

    for word in case.script:
        try:
            await execute(Type(text=word))
        except Blocked as blocked:
            if blocked.verdict.decision is Decision.UNDECIDED:
                break
        else:
            break
    return Happened(ran[0] if ran else None)


USERS: dict[str, User] = {"episode": episode, "guarded": wrapped, "proxy": proxy, "guard_actions": decorated}
ANSWERED = {"proxy", "guard_actions"}
"""Those that answer an agent which comes back by itself."""


def typed(actions: tuple[Action, ...]) -> str:
    (action,) = actions
    assert isinstance(action, Type)
    return action.text


@pytest.fixture(scope="module")
def shared(_pool: Pool, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    """One desktop for all: nothing is left on it but windows, and those are closed."""
    desktop = LocalDesktop(pool=_pool)
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


@pytest.mark.parametrize(
    ("user", "name"),
    # The decorator has no mode in which it only watches.
    [(user, name) for user in USERS for name, case in CASES.items() if not (case.shadow and user == "guard_actions")],
)
def test_who_uses_the_loop_does_the_same(
    user: str, name: str, shared: LocalDesktop, runner: asyncio.Runner, tmp_path: Path
) -> None:
    case = CASES[name]
    guard = Guard(shared, case.pop_ups)
    person = None if case.answer is None else Person(case.answer)
    asks = user != "proxy" and not (user in ANSWERED and case.exhausted == "ask")
    expected = case if asks else case.alone or case
    try:
        runner.run(shared.wait_for(Settled(), time_limit=60))
        happened = runner.run(_bounded(USERS[user](case, guard, person, Stage(runner, shared, tmp_path))))
    finally:
        runner.run(close_windows(shared))
    assert happened.ran == expected.ran
    assert len(guard.seen) == expected.checks
    assert len(person.asked if person else ()) == (case.asked if asks else 0)
    if user in ANSWERED:
        return
    given_up: Literal["skip", "fail", "stop"] = "stop" if case.exhausted == "ask" else case.exhausted
    assert happened.given_up == (None if expected.ran else given_up)


async def _bounded(work: Awaitable[Happened]) -> Happened:
    async with asyncio.timeout(60):
        return await work


async def close_windows(desktop: LocalDesktop) -> None:
    await desktop.run(("pkill", "xmessage"))
    async with asyncio.timeout(30):
        while any("xmessage" in window.app for window in await desktop.windows()):
            await desktop.run(("true",))


def test_an_unsteady_screen_is_named(shared: LocalDesktop, runner: asyncio.Runner, tmp_path: Path) -> None:
    guard = Guard(shared, pop_ups=99)
    stage = Stage(runner, shared, tmp_path)

    async def look() -> ScreenState:
        return await observe_with_windows(shared, SEEN)

    async def work() -> None:
        watched = guarded(ScriptedAgent(typing(("one",))), guard, look=look)
        await watched.reset(stage.context)
        with pytest.raises(Blocked, match=UNSTEADY):
            await watched.propose((await look()).observation)
        assert watched.session.history == ()

    try:
        runner.run(work())
    finally:
        runner.run(close_windows(shared))
