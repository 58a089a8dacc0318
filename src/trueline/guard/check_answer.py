"""The answer of the HTTP and MCP services to a check."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from trueline.guard.session import CheckOutcome, feedback_text
from trueline.guard.stages import Enforcement
from trueline.records.verdict import Category, Decision, Evidence, Feedback, Finding, Stage


class CheckAnswer(BaseModel):
    """The guard's answer to a check. Run the action only if `allowed` is true."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    """The id under which to report what ran."""
    step: int
    allowed: bool
    enforced: Enforcement
    """What the declared failure policy makes of the verdict; `ask` means that a person must decide."""
    decision: Decision
    stage: Stage | None
    category: Category | None
    reason: str
    feedback: Feedback | None
    """What to tell the agent when the action is not allowed."""
    feedback_text: str | None
    """The same in plain words."""
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    after_flag: bool
    latency: float | None

    @staticmethod
    def from_outcome(outcome: CheckOutcome) -> CheckAnswer:
        """Make the answer from a session's outcome."""
        verdict = outcome.verdict
        feedback = None if outcome.allowed else outcome.feedback
        return CheckAnswer(
            check=outcome.id,
            step=outcome.step,
            allowed=outcome.allowed,
            enforced=outcome.enforced,
            decision=verdict.decision,
            stage=verdict.stage,
            category=verdict.category,
            reason=verdict.reason,
            feedback=feedback,
            feedback_text=feedback_text(feedback) if feedback else None,
            evidence=verdict.evidence,
            findings=verdict.findings,
            after_flag=verdict.after_flag,
            latency=verdict.latency,
        )
