"""The guard: policy, then fast check, then systematic analysis. The first that decides ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trueline.guard.config import GuardConfig
from trueline.guard.model_stages import ask_models
from trueline.guard.policy.prior_rejections import enforce_suspicion, relevant_rejections
from trueline.guard.question import ask_about
from trueline.guard.scope.types import ScopeSource
from trueline.guard.stages import Deadline, StageResult, attempt, failed, verdict_of
from trueline.guard.types import ChecksChanges, GuardContext, StageCheck
from trueline.records.ledger import Changes
from trueline.records.usage import NO_USAGE
from trueline.records.verdict import Evidence, Stage, Verdict


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

    async def late_reason(
        self, source: ScopeSource, changes: Changes, episode: str = "", before: Sequence[Changes] = ()
    ) -> str | None:
        """Why what a step changed lies outside the Scope of the task; `None` where it does not, or without a Scope."""
        stage = self.config.scope
        return await stage.late_reason(source, changes, episode, before) if isinstance(stage, ChecksChanges) else None

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
        if config.scope is not None:
            looks.append(await _look_at_scope(config.scope, context, given, deadline))
            if looks[-1].finding.decision is not None:
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
        return [*looks, *await ask_models(config, context, message, flagged=flagged, deadline=deadline)]


async def _look_at_rules(
    policy: StageCheck, context: GuardContext, given: tuple[Evidence, ...], deadline: Deadline, read: float
) -> StageResult:
    async def look() -> StageResult:
        finding = await policy.look(context, given)
        return StageResult(finding if finding.usage else finding.model_copy(update={"usage": NO_USAGE}))

    looked = await attempt(Stage.POLICY, look, deadline)
    spent = read + (looked.finding.latency or 0.0)
    return looked._replace(finding=looked.finding.model_copy(update={"latency": spent}))


async def _look_at_scope(
    scope: StageCheck, context: GuardContext, given: tuple[Evidence, ...], deadline: Deadline
) -> StageResult:
    async def look() -> StageResult:
        return StageResult(await scope.look(context, given))

    return await attempt(Stage.SCOPE, look, deadline)


def _safety_checks(context: GuardContext) -> tuple[Evidence, ...]:
    """Pending safety checks of the agent's provider."""
    return tuple(
        Evidence(source="provider safety check", text=" ".join(word for word in (check.code, check.message) if word))
        for check in context.proposal.safety_checks
    )
