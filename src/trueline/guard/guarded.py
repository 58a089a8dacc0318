"""A guard around an agent, and around a function that executes actions."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, ParamSpec, Protocol, TypeVar, cast, runtime_checkable

from trueline.actions import Action, Fail, Wait
from trueline.desktop.screen_state import ScreenState
from trueline.desktop.types import Desktop, Settled, TiesKeyboard
from trueline.errors import InputError, TruelineError
from trueline.guard.background import CallerThread
from trueline.guard.config import OnError
from trueline.guard.correction import (
    Ask,
    Correction,
    CorrectionPolicy,
    Execution,
    Exhausted,
    Look,
    changes_since,
    correct,
)
from trueline.guard.incoming import ActionFormat, read_observation, read_proposal
from trueline.guard.session import CheckOutcome, Session, TellsSteps, UnknownCheckError, feedback_text
from trueline.guard.types import Guard
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.verdict import Feedback, Verdict

P = ParamSpec("P")
R = TypeVar("R")

WhenBlocked = Literal["raise", "fail", "wait", "ask"]
"""Raise `Blocked`; propose to fail with the reason, which ends the episode; propose to wait, which goes on; or ask a
person about the last proposal, and raise `Blocked` unless they agree."""
_EXHAUSTED: Mapping[WhenBlocked, Exhausted] = {"raise": "stop", "fail": "fail", "wait": "skip", "ask": "ask"}
Screen = ScreenState | Observation | bytes | None
Observe = Callable[[], Screen] | Callable[[], Awaitable[Screen]]


class Blocked(TruelineError):
    """An action was blocked and not executed. The message is what to tell the agent."""

    def __init__(self, outcome: CheckOutcome) -> None:
        super().__init__(feedback_text(outcome.feedback))
        self.outcome = outcome

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        return self.outcome.verdict

    @property
    def feedback(self) -> Feedback:
        """The feedback for the agent."""
        return self.outcome.feedback


class ProposingAgent(Protocol):
    """The part of an agent that `guarded` needs."""

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Propose the next actions."""
        ...

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Propose other actions."""
        ...


class HasInstruction(Protocol):
    """The context of an episode, as far as `guarded` needs it."""

    @property
    def instruction(self) -> str:
        """What the user wants."""
        ...


@runtime_checkable
class _Resettable(Protocol):
    async def reset(self, ctx: HasInstruction) -> None: ...


class GuardedAgent:
    """An agent whose proposals have all passed its guard."""

    def __init__(
        self,
        agent: ProposingAgent,
        new_session: Callable[[str], Session],
        *,
        instruction: str | None,
        policy: CorrectionPolicy,
        when_blocked: WhenBlocked,
        look: Look | None,
        ask: Ask | None,
    ) -> None:
        self._agent = agent
        self._new_session = new_session
        self._policy = policy
        self._when_blocked: WhenBlocked = when_blocked
        self._look = look
        self._ask = ask
        self._session = None if instruction is None else new_session(instruction)
        self._correction: Correction | None = None
        """The correction of the last step."""
        self._let_through: CheckOutcome | None = None
        """The proposal assumed to run, until a revision of it is requested."""

    @property
    def outcomes(self) -> tuple[CheckOutcome, ...]:
        """Outcomes of the last step: of the agent's own proposal first, then of its revisions."""
        return () if self._correction is None else tuple(self._correction.outcomes)

    @property
    def wants(self) -> ObservationSpec:
        """The observations that the agent and the guard need."""
        own = getattr(self._agent, "wants", ObservationSpec())
        return (own if isinstance(own, ObservationSpec) else ObservationSpec()) | ObservationSpec(tree=True)

    @property
    def session(self) -> Session:
        """The session of the current episode."""
        if self._session is None:
            raise InputError("guarded: there is no instruction; call reset or pass instruction")
        return self._session

    async def reset(self, ctx: HasInstruction) -> None:
        """Begin an episode."""
        if self._session is not None:
            await self._session.close()
        self._session = self._new_session(ctx.instruction)
        self._correction = None
        self._let_through = None
        if isinstance(self._agent, _Resettable):
            await self._agent.reset(ctx)

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...] = ()) -> Proposal:
        """Return the agent's proposal, or its first revision that passes.

        Raises:
            Blocked: None was, and that is what was declared.
        """
        await self._settle(after=obs)
        screen = ScreenState(obs, None if self._look is None else (await self._look()).windows)
        return await self._decide(screen, await self._agent.propose(obs, last))

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Revise a proposal that was rejected downstream; the revision is checked like any other.

        So what was let through last did not run.
        """
        if self._correction is None:
            raise InputError("guarded: nothing was proposed yet, so there is nothing to revise")
        screen = self._correction.screen
        await self._settle(ran=False)
        return await self._decide(screen, await self._agent.revise(rejected, feedback))

    async def act(self, desktop: Desktop) -> tuple[ActionResult, ...]:
        """Carry out the proposal that was returned last; needs `look`.

        A local desktop ties the keyboard to the window that the guard saw in front: where another one takes it, the
        action ends (`cut_offs` of its result), what is left is checked on the screen as it is by then, and goes on or
        does not run. Other desktops just act.

        Returns:
            The results, for the next `propose`; fewer than actions if what was left was not let through.
        """
        allowed, correction = self._let_through, self._correction
        if allowed is None or correction is None or self._look is None:
            raise InputError("guarded: there is nothing to carry out; propose first, and pass look to guarded()")

        async def look() -> ScreenState:
            await desktop.wait_for(Settled())
            return await self._see()

        execution = Execution(
            allowed, correction, self.session, self._policy, look=look, changes=self._changes, ask=self._ask
        )
        tied = isinstance(desktop, TiesKeyboard) and not self._policy.shadow and correction.screen.windows is not None
        results: list[ActionResult] = []
        for place in range(len(allowed.proposal.actions)):

            async def do(action: Action, suffix: str, window: int, place: int = place) -> ActionResult:
                id = f"{allowed.id}-{place}{suffix}"
                if tied and isinstance(desktop, TiesKeyboard):
                    return await desktop.act_in(action, id=id, window=window)
                return await desktop.act(action, id=id)

            results.append(await execution.do_next(do))
            self._let_through = None if execution.stopped else execution.outcome
            if execution.stopped:
                break
        return tuple(results)

    async def _decide(self, screen: ScreenState, proposal: Proposal) -> Proposal:
        self._correction = Correction(screen)
        ruling = await correct(
            proposal,
            self._correction,
            self.session,
            self._policy,
            look=self._see,
            changes=self._changes,
            revise=self._agent.revise,
            ask=self._ask,
        )
        if not ruling.runs:
            return self._blocked(ruling.outcome)
        self._let_through = ruling.outcome
        return ruling.outcome.proposal

    async def _see(self) -> ScreenState:
        assert self._look is not None, "without a look nothing is found to have changed"
        return await self._look()

    async def _changes(self, seen: ScreenState, proposal: Proposal) -> tuple[str, ...]:
        if self._look is None:
            return ()
        return await changes_since(self._look, seen, proposal)

    async def _settle(self, *, ran: bool = True, after: Observation | None = None) -> None:
        """Report whether the last allowed proposal ran, unless that was reported."""
        last, self._let_through = self._let_through, None
        if last is not None:
            with contextlib.suppress(UnknownCheckError):
                await self.session.executed(last.id, ran=ran, after=after)

    def _blocked(self, outcome: CheckOutcome) -> Proposal:
        if self._when_blocked in ("raise", "ask"):
            raise Blocked(outcome)
        reason = f"stopped by the guard: {outcome.feedback.wrong}"
        action: Action = Fail(reason=reason) if self._when_blocked == "fail" else Wait()
        return Proposal(id=f"{outcome.proposal.id}-blocked", thought=reason, actions=(action,))


def guarded(
    agent: ProposingAgent,
    guard: Guard,
    *,
    instruction: str | None = None,
    max_revisions: int = 2,
    when_blocked: WhenBlocked = "raise",
    on_error: OnError = "block",
    shadow: bool = False,
    look: Look | None = None,
    ask: Ask | None = None,
    domain: str | None = None,
    narrator: TellsSteps | None = None,
) -> GuardedAgent:
    """Put a guard in front of an agent: proposals are checked, and rejected ones go back with feedback.

    Args:
        agent: Anything that can propose and revise.
        guard: Gives the verdicts.
        instruction: What the user wants; may come with `reset` instead.
        max_revisions: How often a step may be revised.
        when_blocked: What happens when no revision is let through, or a verdict is undecided and blocks.
        on_error: What an undecided verdict means. `ask` asks the person; without one it blocks.
        shadow: Only watch: whatever the verdict, the proposal is returned.
        look: Sees the screen that proposals run on, in the size and form of the observations given to `propose`. With
            it, a proposal that is allowed is returned only if its target is still as the guard saw it; else it is
            checked again. For one of our desktops: `lambda: observe_with_windows(desktop, agent.wants)`.
        ask: Asks a person about an undecided proposal.
        domain: For rules that hold in one domain only.
        narrator: Tells what steps did, for the history.
    """

    def new_session(instruction: str) -> Session:
        return Session(guard, instruction, domain=domain, on_error=on_error, narrator=narrator)

    return GuardedAgent(
        agent,
        new_session,
        instruction=instruction,
        policy=CorrectionPolicy(max_revisions, _EXHAUSTED[when_blocked], shadow),
        when_blocked=when_blocked,
        look=look,
        ask=ask,
    )


def guard_actions(
    session: Session,
    *,
    observe: Observe | None = None,
    action: str | None = None,
    format: ActionFormat = "auto",
    screen: tuple[int, int] | None = None,
    display: tuple[int, int] | None = None,
    ask: Ask | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that executes actions, async or not: each call is checked first, and may raise `Blocked`.

    The function is not called when its action cannot be read, is not let through, or the check fails. An action that
    points somewhere is compared with the screen once more before the call; where that has changed, it is checked again.

    Args:
        session: The episode; a new one for each task.
        observe: Returns the screen as it is now: a screenshot's bytes, an `Observation`, or a `ScreenState`, whose
            windows are compared too; may be async. It is called in the thread of the decorated function.
        action: The function's parameter that holds the action; by default the first that is not self or cls.
        format: The vocabulary of the action; `auto` tells it by its shape.
        screen: The screen's size in pixels; by default the screenshot's.
        display: The size the model was told, where it speaks in other pixels than the screen's.
        ask: Asks a person about an undecided proposal, where the session's policy is to ask.
    """

    async def check(value: object, look: Look) -> None:
        correction = Correction(await look())
        size = screen or correction.screen.observation.screen
        proposal = read_proposal(value, id=session.new_id(), format=format, screen=size, display=display)
        checks = _SharedSession(session)
        ruling = await correct(
            proposal,
            correction,
            checks,
            CorrectionPolicy(max_revisions=0),
            look=look,
            changes=functools.partial(changes_since, look),
            revise=None,
            ask=ask,
        )
        if not ruling.runs:
            raise Blocked(ruling.outcome)
        if not ruling.outcome.allowed:
            await checks.executed(ruling.outcome.id)

    async def state(looked: Screen | Awaitable[Screen]) -> ScreenState:
        seen = await looked if isinstance(looked, Awaitable) else looked
        if isinstance(seen, ScreenState):
            return seen
        return ScreenState(seen if isinstance(seen, Observation) else read_observation(seen, screen=screen))

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        name = action or next((word for word in signature.parameters if word not in ("self", "cls")), "action")
        if name not in signature.parameters:
            raise TypeError(f"guard_actions: {function!r} has no parameter {name!r} for the action")

        def value_of(*args: P.args, **kwargs: P.kwargs) -> object:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return bound.arguments[name]

        async def call_async(*args: P.args, **kwargs: P.kwargs) -> object:
            await check(value_of(*args, **kwargs), lambda: state(observe() if observe else None))
            return await cast("Callable[P, Awaitable[object]]", function)(*args, **kwargs)

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            here = CallerThread()

            async def look() -> ScreenState:
                return await state(await here.call(observe) if observe else None)

            here.wait(check(value_of(*args, **kwargs), look))
            return function(*args, **kwargs)

        wrapper = cast("Callable[P, R]", call_async) if inspect.iscoroutinefunction(function) else call
        return functools.update_wrapper(wrapper, function)

    return decorate


class _SharedSession:
    """A session for calls that may overlap: the check of one closes those of the others."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def check(self, observation: Observation, proposal: Proposal) -> CheckOutcome:
        """Judge the action of a call."""
        return await self._session.check(observation, proposal)

    async def executed(self, check: str, *, ran: bool = True, part: Proposal | None = None) -> None:
        """Report whether it ran, unless the check was closed."""
        with contextlib.suppress(UnknownCheckError):
            await self._session.executed(check, ran=ran, part=part)
