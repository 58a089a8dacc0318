"""A guard that looks at the texts on the screen only, and stops everything while one of them looks injected."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from trueline.guard.ocr import ScreenReader
from trueline.guard.policy.classifier import Classifier, suspicious_texts
from trueline.guard.policy.screen.view import view
from trueline.guard.stages import error_text
from trueline.guard.types import GuardContext
from trueline.records.usage import NO_USAGE
from trueline.records.verdict import Category, Decision, Feedback, Finding, Stage, Verdict

_WRONG = "the screen shows a text that looks like an injected instruction"


@dataclass(frozen=True)
class ClassifierGuard:
    """Knows neither the objective nor the action."""

    classifier: Classifier
    threshold: float
    reader: ScreenReader | None = None

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; a screen without readable text is undecided."""
        began = time.perf_counter()
        try:
            finding = await self._look(context)
        except Exception as error:
            finding = Finding(stage=Stage.POLICY, decision=Decision.UNDECIDED, error=error_text(error))
        took = time.perf_counter() - began
        finding = finding.model_copy(update={"latency": took, "usage": NO_USAGE})
        undecided = finding.decision is Decision.UNDECIDED
        return Verdict(
            decision=finding.decision or Decision.UNDECIDED,
            stage=None if undecided else finding.stage,
            category=finding.category,
            reason=finding.error or finding.reason,
            feedback=finding.feedback,
            evidence=finding.evidence,
            findings=(finding,),
            latency=took,
        )

    async def _look(self, context: GuardContext) -> Finding:
        if self.reader is not None and context.observation.tree is None:
            context = await self.reader.complete(context)
        texts = view(context.observation).texts
        if not texts:
            error = "the screen has no text that can be read: it has neither a tree nor text from OCR"
            return Finding(stage=Stage.POLICY, decision=Decision.UNDECIDED, error=error)
        found = await asyncio.to_thread(suspicious_texts, texts, self.classifier, self.threshold)
        if not found:
            return Finding(stage=Stage.POLICY, decision=Decision.ALIGNED, reason="no text looks injected")
        return Finding(
            stage=Stage.POLICY,
            decision=Decision.MISALIGNED,
            category=Category.MALICIOUS_INSTRUCTION,
            reason=_WRONG,
            feedback=Feedback(wrong=_WRONG),
            evidence=found,
        )
