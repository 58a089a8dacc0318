"""One episode in front of a guard: what the user wants, what ran so far, what was rejected.

All services (the Python wrappers, HTTP, MCP, the adapters) are thin shells around this. A session knows only its own
history; it builds the contexts, records what was executed, and turns whatever goes wrong into an undecided verdict.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol

from trueline.errors import TruelineError
from trueline.guard.config import OnError
from trueline.guard.scope.open_slots import answers_in
from trueline.guard.scope.types import ScopeSource
from trueline.guard.stages import Enforcement, ended_from_outside, enforce
from trueline.guard.types import ChecksChanges, Guard, GuardContext, HasDeadline, PastStep, Rejection
from trueline.records.ledger import Changes
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.step import Narrative
from trueline.records.verdict import Decision, Feedback, Verdict
from trueline.text import printable

MAX_STEPS = 1000
KEEP_BYTES = 64 * 1024 * 1024
CHECK_SECONDS = 180.0
_MAX_OPEN = 8
_NARRATIVE_SHARE = 0.5
"""Share of a check's time to wait for narratives; the rest is for the verdict."""
_NODE_BYTES = 1000
"""About what a node of a tree, or an action, takes besides its words."""

Part = Literal["screenshot", "tree"]
_PARTS: tuple[Part, ...] = ("screenshot", "tree")


class TellsSteps(Protocol):
    """Describes what steps did, as a `Narrator` does."""

    async def narrate(self, step: PastStep, after: Observation, *, episode: str = "") -> Narrative:
        """Describe a step from the screens before and after it; an error is part of the answer."""
        ...


class SessionError(TruelineError):
    """The session refuses the call; nothing may run because of it."""


class UnknownCheckError(SessionError):
    """A report names a check that the session does not know."""


class SessionFullError(SessionError):
    """The session reached its limit; history is never cut silently, so it must end."""


@dataclass(frozen=True)
class CheckOutcome:
    """The outcome of the check of one proposal."""

    id: str
    """Id of the check, under which to report what ran."""
    step: int
    proposal: Proposal
    verdict: Verdict
    enforced: Enforcement
    """What the declared failure policy makes of the verdict."""

    @property
    def allowed(self) -> bool:
        """Whether it may run now."""
        return self.enforced == "allow"

    @property
    def feedback(self) -> Feedback:
        """What the agent is told when it may not."""
        return self.verdict.feedback or Feedback(wrong=self.verdict.reason or f"the verdict is {self.verdict.decision}")


class _Open(NamedTuple):
    """A check whose proposal may still be reported on."""

    outcome: CheckOutcome
    observation: Observation


async def ask_guard(guard: Guard, context: GuardContext, timeout_s: float = CHECK_SECONDS) -> Verdict:
    """Ask a guard; any error, also an exception of the guard, becomes an undecided verdict."""
    try:
        async with asyncio.timeout(timeout_s - context.waited):
            verdict = await guard.check(context)
    except TimeoutError:
        return _undecided(f"no verdict within {timeout_s:g} s")
    except asyncio.CancelledError:
        if ended_from_outside():
            raise
        return _undecided("the guard gave up (CancelledError)")
    except Exception as error:
        return _undecided(f"the guard failed: {type(error).__name__}: {printable(str(error))}")
    return verdict if _is_verdict(verdict) else _undecided("the guard gave no verdict")


def _undecided(reason: str) -> Verdict:
    return Verdict(decision=Decision.UNDECIDED, reason=reason)


def _is_verdict(value: object) -> bool:
    """Whether a guard gave what it must; one that somebody else wrote may not."""
    return isinstance(value, Verdict)


def feedback_text(feedback: Feedback) -> str:
    """Return the feedback in plain words, for agents that take text."""
    parts = [
        f"This action was not executed. {feedback.wrong}",
        f"What misled you: {feedback.misled_by}" if feedback.misled_by else "",
        f"Instead: {feedback.instead}" if feedback.instead else "",
    ]
    return "\n".join(part for part in parts if part)


class Session:
    """One episode. Its checks run one after the other, because each depends on what came before."""

    def __init__(
        self,
        guard: Guard,
        instruction: str,
        *,
        id: str = "",
        domain: str | None = None,
        scope_source: ScopeSource | None = None,
        on_error: OnError = "block",
        asks: bool = False,
        assume_executed: bool = True,
        narrator: TellsSteps | None = None,
        history: Sequence[PastStep] = (),
        timeout_s: float = CHECK_SECONDS,
        keep_bytes: int = KEEP_BYTES,
        max_steps: int = MAX_STEPS,
    ) -> None:
        """Begin an episode.

        Args:
            guard: Gives the verdicts.
            instruction: What the user wants, as the user said it. It never changes within a session.
            id: Name of the episode; a random one by default.
            domain: For rules that hold in one domain only.
            scope_source: What the task's Scope is made from; by default the instruction alone.
            on_error: What an undecided verdict means.
            asks: Whether a person is asked about undecided proposals in the end, although they are blocked at first.
            assume_executed: What was let through and not reported on by the next check counts as executed, so that an
                agent that reports nothing cannot hide its steps from the guard.
            narrator: Tells what steps did, for the history; without it there are no narratives.
            history: What was executed before the session begins.
            timeout_s: A check that takes longer, the wait for narratives included, is undecided.
            keep_bytes: About how much memory the history may take; the oldest screens go first.
            max_steps: How many steps, and how many rejections, it may hold.
        """
        self.id = id or secrets.token_urlsafe(16)
        self.instruction = instruction
        self._guard = guard
        self._domain = domain
        self.scope_source = scope_source or ScopeSource(instruction)
        self._on_error: OnError = on_error
        self._asks = asks
        self._assume_executed = assume_executed
        self._narrator = narrator
        self._timeout_s = timeout_s
        deadline = guard.deadline if isinstance(guard, HasDeadline) else None
        self._narrative_seconds = _NARRATIVE_SHARE * (timeout_s if deadline is None else min(timeout_s, deadline))
        self._max_steps = max_steps
        self._memory = _StepMemory(keep_bytes)
        for step in history:
            self._memory.add(step)
        self._rejections: list[Rejection] = []
        self._open: dict[str, _Open] = {}
        self._narrating: dict[int, asyncio.Future[Narrative]] = {}
        self._overdue: frozenset[int] = frozenset()
        """Steps whose narratives were late for a check; they are added once they arrive."""
        self._narrated = len(self._memory.steps)
        """Index after the last step whose narrative was requested."""
        self._changes: Changes | None = None
        """What the last step changed; it belongs to the step that is recorded next."""
        self._lock = asyncio.Lock()
        self._named = 0

    @property
    def history(self) -> tuple[PastStep, ...]:
        """What was executed, the oldest first."""
        return tuple(self._memory.steps)

    @property
    def rejections(self) -> tuple[Rejection, ...]:
        """What was not let through, the oldest first."""
        return tuple(self._rejections)

    def new_id(self) -> str:
        """Return a name for the next proposal, unique within the session."""
        self._named += 1
        return f"proposal-{self._named}"

    async def check(self, observation: Observation, proposal: Proposal) -> CheckOutcome:
        """Judge a proposal on the screen on which it would run.

        Raises:
            SessionFullError: The session has reached its limit.
        """
        async with self._lock:
            self._assume()
            self._make_room()
            self._begin_narrative(observation)
            waited = await self._fold_narratives()
            context = GuardContext(
                instruction=self.instruction,
                observation=observation,
                proposal=proposal,
                history=self.history,
                rejections=self.rejections,
                step=len(self._memory.steps) + 1,
                domain=self._domain,
                scope_source=self.scope_source,
                may_ask=self._asks or self._on_error == "ask",
                episode=self.id,
                waited=waited,
            )
            verdict = await ask_guard(self._guard, context, self._timeout_s)
            if waited and verdict.latency is not None:
                verdict = verdict.model_copy(update={"latency": verdict.latency + waited})
            enforced = enforce(verdict, self._on_error)
            outcome = CheckOutcome(secrets.token_urlsafe(12), context.step, proposal, verdict, enforced)
            if not outcome.allowed:
                self._rejections.append(Rejection(context.step, proposal, verdict))
                self._memory.count(proposal)
            self._open[outcome.id] = _Open(outcome, observation)
            if len(self._open) > _MAX_OPEN:
                del self._open[next(iter(self._open))]
            return outcome

    async def executed(
        self, check: str, *, ran: bool = True, part: Proposal | None = None, after: Observation | None = None
    ) -> None:
        """Report whether a checked proposal ran.

        Args:
            check: The id of its outcome.
            ran: False when it was not executed after all. A blocked one that ran all the same is recorded too: the
                guard must know the truth.
            part: What of it was executed, if it was not all.
            after: The screen after it, if at hand: its narrative is then made while the agent thinks.

        Raises:
            UnknownCheckError: There is no such check, or it was reported on before.
        """
        async with self._lock:
            found = self._open.pop(check, None)
            if found is None:
                raise UnknownCheckError(
                    "no check with this id is waiting for a report; the next check closes the ones before it"
                )
            if ran:
                self._learn_answers(found.outcome)
                self._record(found, part)
                if after is not None:
                    self._begin_narrative(after)

    def _learn_answers(self, outcome: CheckOutcome) -> None:
        """A person let it pass: what the instruction left open is answered for the whole episode."""
        undecided = outcome.verdict.decision is Decision.UNDECIDED
        if outcome.enforced == "ask" or (self._asks and undecided):
            source = self.scope_source
            self.scope_source = replace(source, answers=(*source.answers, *answers_in(outcome.verdict.evidence)))

    async def late_reason(self, changes: Changes) -> str | None:
        """Why what the last step changed lies outside the Scope of the task; `None` if it does not.

        Where no Scope can be made, every check was undecided, and what ran was let through in spite of that.
        """
        self._changes = changes
        if not isinstance(self._guard, ChecksChanges):
            return None
        try:
            before = [step.changes for step in self._memory.steps if step.changes is not None]
            return await self._guard.late_reason(self.scope_source, changes, self.id, before)
        except TruelineError:
            return None

    async def close(self) -> None:
        """Cancel unfinished narratives."""
        tasks = list(self._narrating.values())
        self._narrating.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _assume(self) -> None:
        """Count unreported proposals as executed if they were allowed."""
        if self._assume_executed:
            for found in self._open.values():
                if found.outcome.allowed:
                    self._record(found)
            self._open.clear()

    def _record(self, found: _Open, part: Proposal | None = None) -> None:
        number = len(self._memory.steps) + 1
        changes, self._changes = self._changes, None
        self._memory.add(PastStep(number, part or found.outcome.proposal, found.observation, changes=changes))

    def _make_room(self) -> None:
        if max(len(self._memory.steps), len(self._rejections)) >= self._max_steps:
            raise SessionFullError(f"the session holds {self._max_steps} steps or rejections; begin a new one")
        if not self._memory.fit():
            raise SessionFullError("the proposals of the session take too much memory; begin a new one")

    def _begin_narrative(self, after: Observation) -> None:
        """Start the narrative of the last step, unless it was started before."""
        last = len(self._memory.steps) - 1
        if self._narrator is not None and last >= self._narrated:
            self._narrated = last + 1
            telling = self._narrator.narrate(self._memory.steps[last], after, episode=self.id)
            self._narrating[last] = asyncio.ensure_future(telling)

    async def _fold_narratives(self) -> float:
        """Add finished narratives to the history, except failed ones.

        Returns:
            Seconds waited for those that were not ready.
        """
        steps, loop = self._memory.steps, asyncio.get_running_loop()
        began = loop.time()
        if awaited := [task for place, task in self._narrating.items() if place not in self._overdue]:
            await asyncio.wait(awaited, timeout=self._narrative_seconds)
        waited = loop.time() - began if awaited else 0.0
        for place in [place for place, task in self._narrating.items() if task.done()]:
            task = self._narrating.pop(place)
            if not task.cancelled() and task.exception() is None:
                steps[place] = replace(steps[place], narrative=task.result().text)
        self._overdue = frozenset(self._narrating)
        return waited


class _StepMemory:
    """Steps whose screens are dropped, the oldest first, when they take too much; the steps themselves never are.

    Trees go only after all pictures, because the policy stage works out from them what was focused and typed into.
    """

    def __init__(self, keep_bytes: int) -> None:
        self.steps: list[PastStep] = []
        self._keep_bytes = keep_bytes
        self._held = 0
        self._dropped: dict[Part, int] = dict.fromkeys(_PARTS, 0)
        """How many of the oldest steps have lost this part."""

    def add(self, step: PastStep) -> None:
        """Append a step."""
        self.steps.append(step)
        self._held += _size_of_words(step.proposal)
        self._held += sum(_size_of(step.observation, part) for part in _PARTS)

    def count(self, proposal: Proposal) -> None:
        """Count a proposal that is kept elsewhere."""
        self._held += _size_of_words(proposal)

    def fit(self) -> bool:
        """Drop screens until all fits; return whether it does."""
        for part in _PARTS:
            while self._held > self._keep_bytes and self._dropped[part] < len(self.steps):
                place = self._dropped[part]
                step = self.steps[place]
                self._dropped[part] += 1
                if step.observation is not None:
                    self._held -= _size_of(step.observation, part)
                    self.steps[place] = replace(step, observation=replace(step.observation, **{part: None}))
        return self._held <= self._keep_bytes


def _size_of(observation: Observation | None, part: Part) -> int:
    if observation is None:
        return 0
    if part == "screenshot":
        return len(observation.screenshot) if isinstance(observation.screenshot, bytes) else 0
    if observation.tree is None:
        return 0
    return sum(_NODE_BYTES + len(node.name) + len(node.text) for node in observation.tree.root.walk())


def _size_of_words(proposal: Proposal) -> int:
    # The raw text of an action mostly stands in its fields too.
    raw = sum(len(action.raw) for action in proposal.actions)
    return _NODE_BYTES * (1 + len(proposal.actions)) + len(proposal.raw or "") + len(proposal.thought or "") + 2 * raw
