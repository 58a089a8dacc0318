"""The stages of a guard, and the verdict that their findings make.

A stage runs within the guard's deadline; one that goes wrong has an undecided finding that says so, and never raises.
The first stage that decides gives the verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Literal, NamedTuple

from trueline.errors import TruelineError
from trueline.guard.config import OnError, Unmatched
from trueline.models import BudgetSpentError, DeadlineError, Model
from trueline.models.errors import AuthError, MissingKeyError, ModelError, NeverAnsweredError
from trueline.records.usage import NO_USAGE, UNCOUNTED, Usage, total_usage
from trueline.records.verdict import Decision, Evidence, Failure, Feedback, Finding, Stage, Verdict
from trueline.text import printable

NO_RULE = "no rule matched"

Enforcement = Literal["allow", "block", "ask"]
"""What to do with a proposal; `ask` leaves it to a person."""


class StageResult(NamedTuple):
    """A stage's finding, and the feedback for the agent."""

    finding: Finding
    feedback: Feedback | None = None


class GaveUpError(TruelineError):
    """The awaited call cancelled itself instead of answering."""


def ended_from_outside() -> bool:
    """Whether the running task is being cancelled; else a cancellation is an error of the awaited call."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


class Deadline(NamedTuple):
    """When the check must be over, in the time of the running loop."""

    seconds: float | None
    ends_at: float | None

    @staticmethod
    def after(seconds: float | None, *, spent: float = 0.0) -> Deadline:
        """Start now, with `spent` seconds already used."""
        return Deadline(seconds, None if seconds is None else asyncio.get_running_loop().time() + seconds - spent)

    def left(self) -> float | None:
        """Seconds left; never zero, which a request does not accept."""
        return None if self.ends_at is None else max(self.ends_at - asyncio.get_running_loop().time(), 0.001)

    @asynccontextmanager
    async def enforce(self) -> AsyncGenerator[None]:
        """Cancel the body when time is up.

        Raises:
            DeadlineError: Time was up.
            GaveUpError: What is inside was cancelled, and not by who waits for it.
        """
        scope = asyncio.timeout_at(self.ends_at)
        try:
            async with scope:
                yield
        except TimeoutError:
            if scope.expired():
                raise DeadlineError(f"no answer within the guard's deadline of {self.seconds:g} s") from None
            raise
        except asyncio.CancelledError:
            if ended_from_outside():
                raise
            raise GaveUpError("the model call was cancelled (CancelledError)") from None


async def attempt(
    stage: Stage, look: Callable[[], Awaitable[StageResult]], deadline: Deadline, model: Model | None = None
) -> StageResult:
    """Run a stage within the deadline. Any error becomes an undecided finding."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        async with deadline.enforce():
            looked = await look()
    except Exception as e:
        looked = failed(stage, e, UNCOUNTED if model else NO_USAGE)
    measured = {"latency": loop.time() - began, "model": str(model.id) if model else looked.finding.model}
    return looked._replace(finding=looked.finding.model_copy(update=measured))


def failed(stage: Stage, error: Exception, usage: Usage) -> StageResult:
    """Return the finding of a stage that could not decide."""
    spent = NO_USAGE if isinstance(error, BudgetSpentError) else usage
    return StageResult(
        Finding(stage=stage, decision=Decision.UNDECIDED, error=error_text(error), usage=spent, failure=_failure(error))
    )


def _failure(error: Exception) -> Failure | None:
    match error:
        case BudgetSpentError():
            return Failure.BUDGET
        case AuthError() | MissingKeyError():
            return Failure.KEY
        case NeverAnsweredError():
            return Failure.SERVER
        case ModelError(retryable=True):
            return Failure.OUTAGE
        case _:
            # An answer that cannot be used, and the guard's own deadline: what is done then was declared.
            return None


def error_text(error: Exception) -> str:
    """Return one line on what went wrong."""
    words = str(error) if isinstance(error, TruelineError) else f"{type(error).__name__}: {error}"
    return printable(words, limit=500)


def enforce(verdict: Verdict, on_error: OnError = "block") -> Enforcement:
    """Decide what to do with a proposal; `on_error` applies to undecided ones only."""
    match verdict.decision:
        case Decision.ALIGNED:
            return "allow"
        case Decision.MISALIGNED:
            return "block"
        case Decision.UNDECIDED:
            return on_error


def verdict_of(
    looks: Sequence[StageResult],
    *,
    unmatched: Unmatched | None,
    given: Sequence[Evidence],
    flagged: bool,
    latency: float,
) -> Verdict:
    """Return the verdict: the first stage that has a decision decides, and one that failed ends it undecided.

    Args:
        looks: What the stages found, in their order.
        unmatched: What holds when no stage has a decision; None where one should have had.
        given: Evidence that no stage brought.
        flagged: Whether an earlier proposal with the same target or of the same step was found misaligned.
        latency: Seconds that the whole check took.
    """
    place = next((place for place, look in enumerate(looks) if look.finding.decision is not None), len(looks))
    deciding = looks[place] if place < len(looks) else _by_default(unmatched)
    finding = deciding.finding
    decision = finding.decision or Decision.UNDECIDED
    undecided = decision is Decision.UNDECIDED
    feedback = deciding.feedback or finding.feedback
    if decision is Decision.MISALIGNED and feedback is None:
        feedback = Feedback(wrong=finding.reason or "it was found misaligned")
    return Verdict(
        decision=decision,
        stage=None if undecided else finding.stage,
        category=finding.category,
        reason=f"{finding.stage.value}: {finding.error or finding.reason}" if undecided else finding.reason,
        feedback=feedback,
        evidence=_once([*given, *(item for look in looks[: place + 1] for item in look.finding.evidence)]),
        findings=tuple(look.finding for look in looks),
        after_flag=flagged and decision is Decision.ALIGNED,
        latency=latency,
    )


def _by_default(unmatched: Unmatched | None) -> StageResult:
    if unmatched is None:
        return StageResult(Finding(stage=Stage.POLICY, decision=Decision.UNDECIDED, error="no stage decided"))
    decision = Decision.ALIGNED if unmatched == "allow" else Decision.MISALIGNED
    return StageResult(Finding(stage=Stage.POLICY, decision=decision, reason=NO_RULE))


def _once(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(evidence))


def usage_of(verdict: Verdict) -> Usage:
    """All that a check took."""
    return total_usage(finding.usage for finding in verdict.findings)


def extra_spend(verdict: Verdict) -> Usage:
    """Usage of the stages after the deciding one: the price of latency mode. Unknown if one was cancelled."""
    decided = False
    total = NO_USAGE
    for finding in verdict.findings:
        if decided:
            total += finding.usage or Usage()
        decided = decided or finding.decision is not None
    return total
