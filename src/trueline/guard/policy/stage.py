"""The guard's first stage: decides what is certain, and passes everything else on with what it saw."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from trueline.guard.policy.classifier import Classifier, InjectionClassifier, suspicious_texts
from trueline.guard.policy.decide import Decided, decide
from trueline.guard.policy.describe import collect_evidence, describe_match, misleading_text, one_line
from trueline.guard.policy.episode_reading import EpisodeReader, EpisodeReading, read_episode_so_far
from trueline.guard.policy.provenance import origins
from trueline.guard.policy.ruleset import Rules, load_rules
from trueline.guard.scope.types import Scope, ScopeSource
from trueline.guard.types import GuardContext
from trueline.records.usage import Usage
from trueline.records.verdict import Decision, Evidence, Feedback, Finding, Stage

Reader = Callable[[GuardContext], EpisodeReading]
ScopeOf = Callable[[GuardContext], Awaitable[tuple[Scope, Usage]]]


class Judged(NamedTuple):
    """The policy's finding, and the feedback for the agent."""

    finding: Finding
    feedback: Feedback | None
    decision: Decided
    reading: EpisodeReading


class PolicyStage:
    """Applies rules to a proposal on its screen. Stateless but for a cache of screen views."""

    def __init__(self, rules: Rules | None = None, classifier: Classifier | None = None) -> None:
        self.rules = load_rules() if rules is None else rules
        self.classifier = classifier
        self.read = EpisodeReader()
        """Shared with the scope stage, so that an episode is read once for both."""
        self.scope_of: ScopeOf | None = None
        """Gives the Scope of a task to policies that ask where an operation lies; set where there is a scope stage."""

    @property
    def stage(self) -> Stage:
        """The policy stage."""
        return Stage.POLICY

    @property
    def digest(self) -> str:
        """Names the rules in force."""
        return self.rules.digest

    @property
    def classifier_name(self) -> str | None:
        """The name of the injection classifier, if there is one."""
        return None if self.classifier is None else self.classifier.name

    async def look(self, context: GuardContext, evidence: tuple[Evidence, ...]) -> Finding:
        """Decide what is certain; `evidence` of other stages is ignored."""
        del evidence
        judged = await self.judge(context)
        return judged.finding.model_copy(update={"feedback": judged.feedback})

    async def judge(self, context: GuardContext) -> Judged:
        """Like `look`, with the feedback for the agent."""
        began = time.perf_counter()
        usage = None
        if self.scope_of is not None and "scope" in self.rules.policies.attributes:
            scope, usage = await self.scope_of(context)
            source = context.scope_source or ScopeSource(context.instruction)
            context = replace(context, scope_source=replace(source, given=scope))
        judged = judge(context, self.rules, self.read)
        finding = judged.finding.model_copy(update={"usage": usage})
        if self.classifier is not None and finding.decision is None:
            more = await asyncio.to_thread(suspicious_texts, judged.reading.view.texts, self.classifier)
            finding = finding.model_copy(update={"evidence": (*finding.evidence, *more)})
        return judged._replace(finding=finding.model_copy(update={"latency": time.perf_counter() - began}))


def load_policy(paths: Iterable[Path] = (), *, shipped: bool = True, classifier: bool = False) -> PolicyStage:
    """Make the stage from rule files.

    Args:
        paths: The user's own files, read over the shipped rules.
        shipped: Whether the shipped rules hold too.
        classifier: Whether the injection classifier looks at the screen's texts.

    Raises:
        InputError: A file is wrong.
        MissingExtraError: The classifier is wanted and not installed.
    """
    return PolicyStage(load_rules(paths, shipped=shipped), InjectionClassifier() if classifier else None)


def judge(context: GuardContext, rules: Rules, read: Reader = read_episode_so_far) -> Judged:
    """Judge a proposal by the rules alone: a pure function of its arguments."""
    reading = read(context)
    decision = decide(context, reading, rules)
    found = origins(context, reading, rules.marked)
    seen = collect_evidence(reading, decision, found, rules.marked)
    if (match := decision.forbidden) is not None:
        wrong = one_line(match.rule.wrong or match.rule.description)
        feedback = Feedback(wrong=wrong, misled_by=misleading_text(match, found), instead=match.rule.instead)
        finding = Finding(
            stage=Stage.POLICY,
            decision=Decision.MISALIGNED,
            category=match.rule.category,
            reason=f"rule {match.rule.id}: {wrong} ({describe_match(match, rules.marked)})",
            evidence=seen,
        )
        return Judged(finding, feedback, decision, reading)
    certain = Decision.ALIGNED if decision.harmless else None
    reason = one_line(decision.harmless) or "nothing certain"
    return Judged(Finding(stage=Stage.POLICY, decision=certain, reason=reason, evidence=seen), None, decision, reading)
