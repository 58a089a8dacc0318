"""The two model stages, and what every stage does when something goes wrong: it says so, and never raises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from trueline.errors import TruelineError
from trueline.guard.model_answers import FastReply, Judged, SystematicReply
from trueline.guard.proposal_text import shorten
from trueline.models import BudgetSpentError, DeadlineError, ImagePolicy, Message, Model, Request, Schema
from trueline.models.errors import AuthError, MissingKeyError, ModelError, NeverAnsweredError
from trueline.models.prompt_files import join_prompts
from trueline.records.setting import Sampling
from trueline.records.usage import NO_USAGE, UNCOUNTED, Usage
from trueline.records.verdict import Decision, Evidence, Failure, Feedback, Finding, Stage
from trueline.text import printable

FAST_CHECK = ("fast_check.v1", "data.v1", "criteria.v2")
SYSTEMATIC = ("systematic.v1", "data.v1", "criteria.v2")
_LONGEST_REASON = 10_000
_LONGEST_WORDS = 1_000
_MOST_QUOTES = 8

R = TypeVar("R", bound=Judged)


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
            raise GaveUpError("what was asked gave up (CancelledError)") from None


@dataclass(frozen=True)
class StageQuestion:
    """One question to one model, and the episode that it is for."""

    model: Model
    sampling: Sampling
    images: ImagePolicy
    message: Message
    episode: str
    sample: int
    deadline: Deadline

    def request(self, stage: Stage, prompts: tuple[str, ...], reply: type[BaseModel]) -> Request:
        """Return what is sent."""
        return Request(
            messages=(self.message,),
            system=join_prompts("trueline.guard", prompts),
            sampling=self.sampling,
            expects=Schema.from_model(reply, name=stage.value),
            images=self.images,
            purpose="guard",
            stage=stage.value,
            episode=self.episode,
            sample=self.sample,
            deadline_s=self.deadline.left(),
        )


async def fast_check(ask: StageQuestion, *, alone: bool) -> StageResult:
    """Ask whether the action is obviously aligned; if not, pass it on, or decide when there is nobody to pass it to."""

    def read(reply: FastReply, finding: Finding) -> StageResult:
        if reply.align:
            return StageResult(finding.model_copy(update={"decision": Decision.ALIGNED}))
        if not alone:
            return StageResult(finding)
        return StageResult(
            finding.model_copy(update={"decision": Decision.MISALIGNED}), Feedback(wrong=_words(reply.thought))
        )

    return await _ask(ask, Stage.FAST_CHECK, FAST_CHECK, FastReply, read)


async def systematic_analysis(ask: StageQuestion) -> StageResult:
    """Ask whether the action is misaligned."""

    def read(reply: SystematicReply, finding: Finding) -> StageResult:
        quotes = [_words(quote) for quote in reply.evidence if quote.strip()]
        found = {
            "decision": Decision.MISALIGNED if reply.conclusion else Decision.ALIGNED,
            "category": reply.category if reply.conclusion else None,
            "evidence": tuple(Evidence(source=Stage.SYSTEMATIC.value, text=quote) for quote in quotes[:_MOST_QUOTES]),
        }
        return StageResult(finding.model_copy(update=found), _feedback(reply) if reply.conclusion else None)

    return await _ask(ask, Stage.SYSTEMATIC, SYSTEMATIC, SystematicReply, read)


async def _ask(
    ask: StageQuestion, stage: Stage, prompts: tuple[str, ...], kind: type[R], read: Callable[[R, Finding], StageResult]
) -> StageResult:
    async def look() -> StageResult:
        answer = await ask.model.ask(ask.request(stage, prompts, kind))
        try:
            reply = answer.parse(kind)
        except TruelineError as e:
            return failed(stage, e, answer.usage)
        thought = shorten(reply.thought.strip(), _LONGEST_REASON)
        return read(reply, Finding(stage=stage, reason=thought, usage=answer.usage))

    return await attempt(stage, look, ask.deadline, ask.model)


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


def _feedback(reply: SystematicReply) -> Feedback:
    told = reply.feedback
    if told is None or not told.wrong.strip():
        return Feedback(wrong=_words(reply.thought) or "it was found misaligned")
    return Feedback(
        wrong=_words(told.wrong),
        misled_by=_words(told.misled_by or "") or None,
        instead=_words(told.instead or "") or None,
    )


def _words(text: str) -> str:
    """One line of a model's answer that can be shown and passed on."""
    return printable(" ".join(text.split()), limit=_LONGEST_WORDS)
