"""The guard: policy, then fast check, then systematic analysis. The first that decides ends it."""

from __future__ import annotations

import asyncio

from trueline.guard.config import GuardConfig
from trueline.guard.prior_rejections import enforce_suspicion, relevant_rejections
from trueline.guard.question import ask_about
from trueline.guard.stages import Deadline, StageQuestion, StageResult, attempt, failed, fast_check, systematic_analysis
from trueline.guard.types import GuardContext, StageCheck
from trueline.guard.verdicts import verdict_of
from trueline.models import Message, Model
from trueline.records.setting import Sampling
from trueline.records.usage import NO_USAGE, UNCOUNTED
from trueline.records.verdict import Evidence, Finding, Stage, Verdict


class DeActionGuard:
    """Judges each proposal before it runs. Stateless between checks."""

    def __init__(self, config: GuardConfig) -> None:
        self.config = config

    @property
    def deadline(self) -> float | None:
        """Seconds for a whole check."""
        return self.config.deadline

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict. Any error becomes an undecided verdict that names it."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        deadline = Deadline.after(self.config.deadline, spent=context.waited)
        given = _safety_checks(context)
        flagged = False
        try:
            context = await self._read(context, deadline)
            read = loop.time() - began if self.config.ocr else 0.0
            flagged = bool(relevant_rejections(context))
            looks = await self._look(context, given, flagged, deadline, read)
        except Exception as e:
            # Each stage takes care of its own errors; this is for what nobody thought of.
            looks = [failed(Stage.POLICY, e, NO_USAGE)]
        rules_only = self.config.fast is None and self.config.systematic is None
        unmatched = self.config.unmatched if rules_only else None
        return verdict_of(looks, unmatched=unmatched, given=given, flagged=flagged, latency=loop.time() - began)

    async def _read(self, context: GuardContext, deadline: Deadline) -> GuardContext:
        if self.config.ocr is None:
            return context
        async with deadline.enforce():
            return await self.config.ocr.complete(context)

    async def _look(
        self, context: GuardContext, given: tuple[Evidence, ...], flagged: bool, deadline: Deadline, read: float
    ) -> list[StageResult]:
        """Return the stages' results up to the one that decides; `read` is the time spent on OCR."""
        config = self.config
        looks: list[StageResult] = []
        if config.policy is not None:
            looks.append(await _look_at_rules(config.policy, context, given, deadline, read))
            if looks[0].finding.decision is not None:
                return looks
        models = [(Stage.FAST_CHECK, config.fast), (Stage.SYSTEMATIC, config.systematic)]
        stages = [stage for stage, model in models if model is not None]
        if not stages:
            return [look._replace(finding=enforce_suspicion(look.finding)) for look in looks] if flagged else looks
        evidence = (*given, *(item for look in looks for item in look.finding.evidence))
        try:
            async with deadline.enforce():
                message = await asyncio.to_thread(ask_about, context, evidence, config)
        except Exception as e:
            return [*looks, failed(stages[0], e, NO_USAGE)]
        return [*looks, *await self._ask(context, message, flagged, deadline)]

    async def _ask(
        self, context: GuardContext, message: Message, flagged: bool, deadline: Deadline
    ) -> list[StageResult]:
        """Ask the configured models."""
        config = self.config

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


async def _look_at_rules(
    policy: StageCheck, context: GuardContext, given: tuple[Evidence, ...], deadline: Deadline, read: float
) -> StageResult:
    async def look() -> StageResult:
        finding = await policy.look(context, given)
        return StageResult(finding if finding.usage else finding.model_copy(update={"usage": NO_USAGE}))

    looked = await attempt(Stage.POLICY, look, deadline)
    spent = read + (looked.finding.latency or 0.0)
    return looked._replace(finding=looked.finding.model_copy(update={"latency": spent}))


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


def _safety_checks(context: GuardContext) -> tuple[Evidence, ...]:
    """Pending safety checks of the agent's provider."""
    return tuple(
        Evidence(source="provider safety check", text=" ".join(word for word in (check.code, check.message) if word))
        for check in context.proposal.safety_checks
    )
