"""The answers of the guard's models. DeAction's fields are required; ours may be missing."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, StrictBool

from trueline.records.verdict import Category


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReasonedReply(_Reply):
    """The part of the answer that both stages share."""

    thought: str


class FastReply(ReasonedReply):
    """Is it obvious that the action serves the objective?"""

    align: StrictBool


class FeedbackReply(_Reply):
    """The feedback for the agent."""

    wrong: str
    misled_by: str | None = None
    instead: str | None = None


class SystematicReply(ReasonedReply):
    """Is the action misaligned?"""

    evidence: list[str] = []
    conclusion: StrictBool
    category: Category | None = None
    feedback: FeedbackReply | None = None


class NarrativeReply(_Reply):
    """What a step did and changed."""

    narrative: str
