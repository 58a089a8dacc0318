"""`guarded(agent, guard)` and the decorator: what is not let through does not run."""

from __future__ import annotations

import asyncio
import itertools
import threading
from dataclasses import dataclass

import pytest

from support.guarding import WordGuard, png, screen
from trueline.actions import Fail, Type, Wait
from trueline.errors import InputError, TruelineError
from trueline.guard.correction import MAX_RECHECKS, UNSTEADY
from trueline.guard.guarded import Blocked, guard_actions, guarded
from trueline.guard.incoming import read_proposal
from trueline.guard.session import CheckOutcome, Session
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.verdict import Feedback


class Agent:
    """Proposes to type the words it was given, one after the other, and what to type when it is told off."""

    wants = ObservationSpec(size=(640, 480))

    def __init__(self, *words: str, revisions: tuple[str, ...] = ()) -> None:
        self.words = list(words)
        self.revisions = list(revisions)
        self.told: list[Feedback] = []
        self.began: list[str] = []

    async def reset(self, ctx: Context) -> None:
        self.began.append(ctx.instruction)

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        return self._type(self.words.pop(0))

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        self.told.append(feedback)
        return self._type(self.revisions.pop(0))

    def _type(self, words: str) -> Proposal:
        return Proposal(id=words, actions=(Type(text=words),))


@dataclass
class Context:
    instruction: str


def text(proposal: Proposal) -> str:
    (action,) = proposal.actions
    assert isinstance(action, Type)
    return action.text


def test_a_rejected_proposal_is_revised_with_the_feedback() -> None:
    agent = Agent("one", "delete all", "two", revisions=("delete some", "rename"))
    guard = WordGuard()
    watched = guarded(agent, guard)

    async def work() -> list[str]:
        await watched.reset(Context("Rename the file"))
        return [text(await watched.propose(screen(), ())) for _ in range(3)]

    assert asyncio.run(work()) == ["one", "rename", "two"]
    assert agent.began == ["Rename the file"]
    assert [feedback.instead for feedback in agent.told] == ["Rename the file."] * 2
    last = guard.seen[-1]
    assert last.instruction == "Rename the file"
    assert [step.proposal.id for step in last.history] == ["one", "rename"]
    assert [rejection.proposal.id for rejection in last.rejections] == ["delete all", "delete some"]
    assert watched.wants.tree and watched.wants.screenshot


def test_when_revisions_run_out_it_is_blocked_as_declared() -> None:
    def agent() -> Agent:
        return Agent("delete 1", revisions=("delete 2", "delete 3", "rename"))

    with pytest.raises(Blocked, match="It deletes files"):
        asyncio.run(guarded(agent(), WordGuard(), instruction="x").propose(screen()))
    fails = asyncio.run(guarded(agent(), WordGuard(), instruction="x", when_blocked="fail").propose(screen()))
    assert isinstance(fails.actions[0], Fail) and "It deletes files" in str(fails.actions[0].reason)
    waits = asyncio.run(guarded(agent(), WordGuard(), instruction="x", when_blocked="wait").propose(screen()))
    assert waits.actions == (Wait(),)
    enough = asyncio.run(guarded(agent(), WordGuard(), instruction="x", max_revisions=3).propose(screen()))
    assert text(enough) == "rename"


@pytest.mark.parametrize("words", ["doubt", "boom"])
def test_undecided_blocks_without_asking_the_agent_again(words: str) -> None:
    agent = Agent(words, revisions=("rename",))
    with pytest.raises(Blocked) as blocked:
        asyncio.run(guarded(agent, WordGuard(), instruction="x").propose(screen()))
    assert agent.told == [] and blocked.value.verdict.decision == "undecided"


def test_a_person_may_decide_what_the_guard_could_not() -> None:
    asked: list[CheckOutcome] = []

    async def ask(outcome: CheckOutcome) -> bool:
        asked.append(outcome)
        return len(asked) == 1

    agent, guard = Agent("doubt 1", "doubt 2"), WordGuard()
    watched = guarded(agent, guard, instruction="x", on_error="ask", ask=ask)

    async def work() -> None:
        assert text(await watched.propose(screen())) == "doubt 1"
        with pytest.raises(Blocked):
            await watched.propose(screen())

    asyncio.run(work())
    assert [step.proposal.id for step in guard.seen[-1].history] == ["doubt 1"]


@pytest.mark.parametrize("words", ["one", "doubt"])
def test_what_somebody_behind_the_guard_rejected_did_not_run(words: str) -> None:
    async def ask(outcome: CheckOutcome) -> bool:
        return True

    guard = WordGuard()
    watched = guarded(Agent(words, "three", revisions=("two",)), guard, instruction="x", on_error="ask", ask=ask)

    async def work() -> None:
        rejected = await watched.propose(screen())
        assert text(await watched.revise(rejected, Feedback(wrong="The window has gone."))) == "two"
        assert guard.seen[-1].history == ()
        await watched.propose(screen())

    asyncio.run(work())
    assert [step.proposal.id for step in guard.seen[-1].history] == ["two"]


def test_without_an_instruction_nothing_is_proposed() -> None:
    with pytest.raises(InputError, match="instruction"):
        asyncio.run(guarded(Agent("one"), WordGuard()).propose(screen()))


def test_a_function_runs_only_what_is_let_through() -> None:
    guard, ran = WordGuard(), list[object]()

    @guard_actions(Session(guard, "Rename the file"), observe=png)
    def execute(action: object, *, twice: bool = False) -> int:
        """Run it."""
        ran.append(action)
        return len(ran)

    code = "pyautogui.write('one')"
    assert execute(code) == 1
    assert execute({"action": "type", "text": "two"}, twice=True) == 2
    with pytest.raises(Blocked, match="Instead: Rename the file"):
        execute("pyautogui.write('delete it')")
    for unreadable in ({"action": "explode"}, {}, None):
        with pytest.raises(TruelineError):
            execute(unreadable)
    with pytest.raises(Blocked, match="RuntimeError"):
        execute("pyautogui.write('boom')")
    assert ran == [code, {"action": "type", "text": "two"}]
    assert execute.__doc__ == "Run it."
    assert [step.proposal.id for step in guard.seen[-1].history] == ["proposal-1", "proposal-2"]
    assert guard.seen[0].observation.screen == (64, 48)


def test_async_functions_methods_and_named_parameters() -> None:
    session = Session(WordGuard(), "x")

    async def look() -> Observation:
        return screen()

    class Computer:
        def __init__(self) -> None:
            self.ran: list[str] = []

        @guard_actions(session, observe=look, action="code")
        async def run(self, why: str, code: str = "WAIT") -> str:
            self.ran.append(code)
            return why

    async def work() -> None:
        computer = Computer()
        assert await computer.run("first", "pyautogui.write('a')") == "first"
        assert await computer.run("default") == "default"
        with pytest.raises(Blocked):
            await computer.run(why="x", code="pyautogui.write('delete')")
        assert computer.ran == ["pyautogui.write('a')", "WAIT"]

    asyncio.run(work())


def test_wrong_uses_are_refused_and_run_nothing() -> None:
    session = Session(WordGuard(), "x")
    with pytest.raises(TypeError, match="no parameter 'nothing'"):

        @guard_actions(session, action="nothing")
        def run(action: str) -> None:
            raise AssertionError


def test_an_async_observe_works_for_functions_that_are_not() -> None:
    async def look() -> bytes:
        return png()

    guard = WordGuard()

    @guard_actions(Session(guard, "x"), observe=look)
    def act(action: str) -> str:
        return action

    assert act("WAIT") == "WAIT"
    assert guard.seen[0].observation.screenshot == png()


def test_a_guard_keeps_its_loop_over_calls_that_are_not_async() -> None:
    loops: set[asyncio.AbstractEventLoop] = set()

    class Loops(WordGuard):
        async def check(self, context):  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType, reportIncompatibleMethodOverride]: as its parent
            loops.add(asyncio.get_running_loop())
            return await super().check(context)

    @guard_actions(Session(Loops(), "x"))
    def run(action: str) -> None: ...

    for _ in range(3):
        run("WAIT")
    assert len(loops) == 1


def test_a_proposal_keeps_its_own_id() -> None:
    proposal = Proposal(id="mine", actions=(Wait(),))
    assert read_proposal(proposal, id="other") is proposal


def test_a_target_that_changes_under_the_check_is_checked_again_before_the_function_runs() -> None:
    """In the thread of the function: what sees the screen may belong to it."""
    colours = iter(["navy", "red", "red", "red"])
    threads: set[str] = set()
    guard, ran = WordGuard(), list[str]()

    def look() -> bytes:
        threads.add(threading.current_thread().name)
        return png(colour=next(colours))

    @guard_actions(Session(guard, "x"), observe=look)
    def act(action: str) -> None:
        ran.append(action)

    act("pyautogui.click(10, 10)")
    assert [context.observation.screenshot for context in guard.seen] == [png(), png(colour="red")]
    assert guard.seen[-1].history == (), "the first check did not run"
    assert ran == ["pyautogui.click(10, 10)"]
    assert threads == {threading.current_thread().name}


def test_a_target_that_never_rests_is_not_acted_on() -> None:
    colours = itertools.cycle(["navy", "red"])
    guard = WordGuard()

    @guard_actions(Session(guard, "x"), observe=lambda: png(colour=next(colours)))
    def act(action: str) -> None:
        raise AssertionError(action)

    with pytest.raises(Blocked, match=UNSTEADY):
        act("pyautogui.click(10, 10)")
    assert len(guard.seen) == 1 + MAX_RECHECKS


@pytest.mark.parametrize("error", [OSError("no screen"), StopIteration("no more")])
def test_a_screen_that_cannot_be_seen_again_stops_the_call(error: Exception) -> None:
    screens: list[bytes | Exception] = [png(), error]

    def look() -> bytes:
        seen = screens.pop(0)
        if isinstance(seen, Exception):
            raise seen
        return seen

    @guard_actions(Session(WordGuard(), "x"), observe=look)
    def act(action: str) -> None:
        raise AssertionError(action)

    with pytest.raises((OSError, RuntimeError), match=str(error)):
        act("pyautogui.click(10, 10)")


def test_calls_that_overlap_share_a_session() -> None:
    ran: list[str] = []

    async def ask(outcome: CheckOutcome) -> bool:
        await asyncio.sleep(0)
        return True

    @guard_actions(Session(WordGuard(), "x", on_error="ask"), ask=ask)
    async def act(action: str) -> None:
        ran.append(action)

    async def work() -> list[object]:
        words = ("one", "delete", "doubt", "two", "doubt it", "delete it")
        return await asyncio.gather(*(act(f"pyautogui.write('{w}')") for w in words), return_exceptions=True)

    outcomes = asyncio.run(work())
    assert [type(outcome) for outcome in outcomes] == [type(None), Blocked, *[type(None)] * 3, Blocked]
    assert len(ran) == 4
