"""How a provider's safety checks are handled: declared in the options, never decided silently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trueline.actions import Fail, SafetyCheck
from trueline.records.proposal import Proposal

SafetyPolicy = Literal["stop", "guard", "acknowledge"]
"""`stop` ends the episode with a fail. `guard` hands the proposal over with its checks: a guard stands behind the agent
and decides, and what it lets run counts as acknowledged. `acknowledge` does the same without a guard."""


def hold(proposal: Proposal, policy: SafetyPolicy) -> Proposal:
    """Return the proposal that the policy allows; the checks always stay in it."""
    if not proposal.safety_checks or policy != "stop":
        return proposal
    reason = f"the provider asks for a safety check first: {check_words(proposal.safety_checks)}"
    return proposal.model_copy(update={"actions": (Fail(reason=reason, raw=proposal.raw or ""),)})


def acknowledged_note(checks: Sequence[SafetyCheck], policy: SafetyPolicy) -> str:
    """The note about acknowledged checks for the record."""
    return f"safety checks acknowledged (policy {policy}): {check_words(checks)}"


def check_words(checks: Sequence[SafetyCheck]) -> str:
    """Describe safety checks."""
    return "; ".join(f"{check.id} {check.code or ''} {check.message or ''}".strip() for check in checks)
