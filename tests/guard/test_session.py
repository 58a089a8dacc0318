"""A session: its own history and rejections, fail closed, within its bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from support.guarding import ALIGNED, WordGuard, screen
from trueline.guard.incoming import read_proposal
from trueline.guard.session import Session, SessionFullError, UnknownCheckError, feedback_text
from trueline.guard.types import GuardContext, PastStep
from trueline.records.observation import Observation
from trueline.records.step import Narrative
from trueline.records.verdict import Decision, Feedback, Verdict


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), 30))  # pyright: ignore[reportArgumentType]: all of them are coroutines


async def check(session: Session, words: str, seen: Observation | None = None):
    return await session.check(seen or screen(), read_proposal(f"pyautogui.write({words!r})", id=session.new_id()))


def typed(steps: tuple[PastStep, ...]) -> list[str]:
    return [getattr(step.proposal.actions[0], "text", "") for step in steps]


def test_what_was_let_through_is_history_and_what_was_not_is_a_rejection() -> None:
    async def work() -> None:
        guard = WordGuard()
        session = Session(guard, "Rename the file", domain="os")
        assert (await check(session, "one")).allowed
        bad = await check(session, "delete it")
        assert not bad.allowed and bad.enforced == "block" and bad.feedback.wrong == "It deletes files."
        third = await check(session, "two")
        last = guard.seen[-1]
        assert third.step == last.step == 2
        assert typed(last.history) == ["one"] and last.history[0].observation is not None
        assert [rejection.step for rejection in last.rejections] == [2]
        assert (last.instruction, last.domain, last.episode) == ("Rename the file", "os", session.id)

    run(work)


def test_reports_correct_what_is_assumed() -> None:
    async def work() -> None:
        guard = WordGuard()
        session = Session(guard, "x")
        first = await check(session, "one")
        await session.executed(first.id, ran=False)
        blocked = await check(session, "delete it")
        await session.executed(blocked.id)  # it ran all the same: the guard must know
        with pytest.raises(UnknownCheckError):
            await session.executed(first.id)
        with pytest.raises(UnknownCheckError):
            await session.executed("made up")
        await check(session, "two")
        assert typed(guard.seen[-1].history) == ["delete it"]

    run(work)


def test_without_assuming_only_reports_count() -> None:
    async def work() -> None:
        session = Session(WordGuard(), "x", assume_executed=False)
        first = await check(session, "one")
        await check(session, "two")
        assert session.history == ()
        await session.executed(first.id)
        assert typed(session.history) == ["one"]

    run(work)


@pytest.mark.parametrize(
    ("words", "reason"), [("boom", "the guard failed: RuntimeError: boom"), ("hang", "no verdict")]
)
def test_a_guard_that_fails_lets_nothing_through(words: str, reason: str) -> None:
    async def work() -> None:
        outcome = await check(Session(WordGuard(), "x", timeout_s=0.05), words)
        assert outcome.verdict.decision is Decision.UNDECIDED and reason in outcome.verdict.reason
        assert outcome.enforced == "block" and not outcome.allowed

    run(work)


def test_a_guard_that_returns_nothing_lets_nothing_through() -> None:
    class Forgetful:
        async def check(self, context: GuardContext) -> Verdict:
            return None  # pyright: ignore[reportReturnType]: this is the mistake

    async def work() -> None:
        outcome = await check(Session(Forgetful(), "x"), "one")
        assert outcome.verdict.decision is Decision.UNDECIDED and not outcome.allowed

    run(work)


@pytest.mark.parametrize(("policy", "allowed"), [("block", False), ("ask", False), ("allow", True)])
def test_undecided_follows_the_declared_policy(policy: str, allowed: bool) -> None:
    async def work() -> None:
        session = Session(WordGuard(), "x", on_error=policy)  # pyright: ignore[reportArgumentType]: parametrised
        outcome = await check(session, "doubt")
        assert (outcome.allowed, outcome.enforced) == (allowed, policy)

    run(work)


def test_sessions_do_not_see_each_other() -> None:
    async def work() -> None:
        guard = WordGuard()
        one, two = Session(guard, "x"), Session(guard, "y")
        await asyncio.gather(*(check(session, f"{n}") for n in range(20) for session in (one, two)))
        await check(one, "end")
        await check(two, "end")
        assert one.id != two.id
        for session in (one, two):
            assert sorted(typed(session.history), key=int) == [str(n) for n in range(20)]
            own = [context for context in guard.seen if context.episode == session.id]
            # One after the other: each check saw all before it.
            assert [len(context.history) for context in own] == list(range(21))

    run(work)


def test_old_pictures_go_first_then_trees_and_never_the_steps() -> None:
    from trueline.guard.incoming import read_observation

    def seen() -> Observation:
        from support.guarding import TREE, png

        return read_observation(png(), tree=TREE)

    async def work() -> None:
        guard = WordGuard()
        session = Session(guard, "x", keep_bytes=80_000)
        for n in range(25):
            await check(session, f"{n}", seen())
        history = guard.seen[-1].history
        pictures = [bool(step.observation and step.observation.screenshot) for step in history]
        trees = [bool(step.observation and step.observation.tree) for step in history]
        assert typed(history) == [str(n) for n in range(24)]
        assert pictures == sorted(pictures) and trees == sorted(trees)  # the oldest went first
        assert sum(pictures) < sum(trees) < 24
        await check(session, "a" * 50_000, seen())
        with pytest.raises(SessionFullError, match="too much memory"):
            await check(session, "more", seen())

    run(work)


def test_a_session_ends_rather_than_forget_its_history() -> None:
    async def work() -> None:
        session = Session(WordGuard(), "x", max_steps=3)
        for _ in range(3):
            await check(session, "one")
        with pytest.raises(SessionFullError):
            await check(session, "one")
        rejected = Session(WordGuard(), "x", max_steps=3)
        for _ in range(3):
            await check(rejected, "delete")
        with pytest.raises(SessionFullError):
            await check(rejected, "one")

    run(work)


class Teller:
    """Tells steps by the colour of the screens, and fails or hangs for some."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.late = asyncio.Event()
        self.stopped = 0

    async def narrate(self, step: PastStep, after: Observation, *, episode: str = "") -> Narrative:
        self.asked.append(step.number)
        words = typed((step,))[0]
        if words == "fails":
            raise RuntimeError("no")
        if words == "late":
            await self.late.wait()
        if words == "stuck":
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped += 1
        return Narrative(text=f"{episode}: {words} changed {after.digest != (step.observation or after).digest}")


def test_narratives_are_made_once_from_the_screens_before_and_after() -> None:
    async def work() -> None:
        guard, teller = WordGuard(), Teller()
        session = Session(guard, "x", id="e1", narrator=teller)
        first = await check(session, "one", screen("red"))
        await session.executed(first.id, after=screen("blue"))
        await check(session, "fails", screen("blue"))
        await check(session, "two", screen("blue"))
        await check(session, "three", screen("blue"))
        assert teller.asked == [1, 2, 3]
        told = [step.narrative for step in guard.seen[-1].history]
        assert told == ["e1: one changed True", None, "e1: two changed False"]

    run(work)


def test_a_narrative_that_hangs_does_not_hold_up_the_guard_and_ends_with_the_session() -> None:
    async def work() -> None:
        guard, teller = WordGuard(), Teller()
        session = Session(guard, "x", narrator=teller, timeout_s=0.05)
        await check(session, "stuck")
        assert (await check(session, "one")).verdict == ALIGNED
        assert guard.seen[-1].history[0].narrative is None
        await session.close()
        assert teller.stopped == 1

    run(work)


class Bounded(WordGuard):
    """A guard with a deadline, which says that each check took a second."""

    deadline = 0.1

    async def check(self, context: GuardContext) -> Verdict:
        return (await super().check(context)).model_copy(update={"latency": 1.0})


def test_a_narrative_is_waited_for_once_within_the_deadline_and_taken_when_it_comes() -> None:
    async def work() -> None:
        guard, teller = Bounded(), Teller()
        session = Session(guard, "x", narrator=teller)  # whose own timeout is far longer than this test's
        await check(session, "late")
        waiting = await check(session, "one")
        waited = guard.seen[-1].waited
        assert waited > 0 and waiting.verdict.latency == 1.0 + waited
        blocked = await check(session, "delete")  # this one waits for the narrative of "one", which is there at once
        assert guard.seen[-1].history[0].narrative is None and blocked.verdict.latency is not None
        await check(session, "two")
        assert guard.seen[-1].waited == 0
        teller.late.set()
        await asyncio.sleep(0)
        await check(session, "three")
        assert (guard.seen[-1].history[0].narrative or "").endswith("late changed False")

    run(work)


def test_a_guard_that_cancels_itself_lets_nothing_through() -> None:
    class Quitter:
        async def check(self, context: GuardContext) -> Verdict:
            raise asyncio.CancelledError

    async def work() -> None:
        outcome = await check(Session(Quitter(), "x"), "one")
        assert outcome.verdict.decision is Decision.UNDECIDED and not outcome.allowed

    run(work)


def test_feedback_in_plain_words() -> None:
    feedback = Feedback(wrong="It deletes.", misled_by="the pop-up", instead="Rename.")
    lines = ["This action was not executed. It deletes.", "What misled you: the pop-up", "Instead: Rename."]
    assert feedback_text(feedback).splitlines() == lines
