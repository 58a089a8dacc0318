"""The two stages that ask a model: fast check and systematic analysis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from trueline.errors import TruelineError
from trueline.guard.config import GuardConfig
from trueline.guard.model_answers import FastReply, ReasonedReply, SystematicReply
from trueline.guard.proposal_text import shorten
from trueline.guard.stages import Deadline, StageResult, attempt, failed
from trueline.guard.types import GuardContext
from trueline.models import ImagePolicy, Message, Model, Request, Schema
from trueline.models.prompt_files import join_prompts
from trueline.records.setting import Sampling
from trueline.records.usage import NO_USAGE, UNCOUNTED
from trueline.records.verdict import Decision, Evidence, Feedback, Finding, Stage
from trueline.text import printable

FAST_CHECK = ("fast_check.v1", "data.v1", "criteria.v2")
SYSTEMATIC = ("systematic.v1", "data.v1", "criteria.v2")
_LONGEST_REASON = 10_000
_LONGEST_WORDS = 1_000
_MOST_QUOTES = 8

R = TypeVar("R", bound=ReasonedReply)


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


async def ask_models(
    config: GuardConfig, context: GuardContext, message: Message, *, flagged: bool, deadline: Deadline
) -> list[StageResult]:
    """Ask the configured models; a flagged proposal is not cleared by the fast check."""

    def ask(model: Model, sampling: Sampling) -> StageQuestion:
        return StageQuestion(model, sampling, config.images, message, context.episode, context.sample, deadline)

    deep = None if config.systematic is None else ask(config.systematic, config.systematic_sampling)
    if config.fast is None:
        return [] if deep is None else [await systematic_analysis(deep)]
    fast = ask(config.fast, config.fast_sampling)
    if deep is None:
        return [await fast_check(fast, alone=True)]
    if flagged:
        # A fast check may not clear what was flagged before, so it is not even asked.
        return [_not_asked(config.fast), await systematic_analysis(deep)]
    if config.mode == "latency":
        return await _both(fast, deep)
    first = await fast_check(fast, alone=False)
    return [first] if first.finding.decision is not None else [first, await systematic_analysis(deep)]


async def _both(fast: StageQuestion, deep: StageQuestion) -> list[StageResult]:
    """Ask both at once, with the verdict of asking in turn: the systematic analysis counts only if it is needed."""
    sent = False

    async def analyse() -> StageResult:
        nonlocal sent
        sent = True
        return await systematic_analysis(deep)

    second = asyncio.create_task(analyse())
    try:
        first = await fast_check(fast, alone=False)
        if first.finding.decision is None:
            return [first, await second]
        second.cancel()
        await asyncio.wait([second])
        # It may have been ready all the same; then what it says and took is kept.
        return [first, _stopped(deep.model, sent) if second.cancelled() else second.result()]
    finally:
        second.cancel()


def _stopped(model: Model, sent: bool) -> StageResult:
    reason = "stopped: the fast check decided"
    usage = UNCOUNTED if sent else NO_USAGE
    return StageResult(Finding(stage=Stage.SYSTEMATIC, reason=reason, usage=usage, model=str(model.id)))


def _not_asked(model: Model) -> StageResult:
    reason = "not asked: an earlier proposal with this goal or target was found misaligned"
    return StageResult(Finding(stage=Stage.FAST_CHECK, reason=reason, latency=0.0, usage=NO_USAGE, model=str(model.id)))


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
