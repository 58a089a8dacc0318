"""From findings to a verdict, and from a verdict to what is done. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from trueline.guard.config import OnError, Unmatched
from trueline.guard.stages import StageResult
from trueline.records.usage import NO_USAGE, Usage, total_usage
from trueline.records.verdict import Decision, Evidence, Feedback, Finding, Stage, Verdict

NO_RULE = "no rule matched"

Enforcement = Literal["allow", "block", "ask"]
"""What to do with a proposal; `ask` leaves it to a person."""


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
