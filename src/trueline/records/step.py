"""One step of an episode: observe, propose, check, act."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from trueline.actions import Action
from trueline.records.base import Count, Record, Seconds
from trueline.records.ledger import Changes
from trueline.records.observation import ObservationRecord, StoredFile
from trueline.records.proposal import Proposal
from trueline.records.usage import Usage
from trueline.records.verdict import Verdict


class Attempt(Record):
    """A proposal and its outcome. The first of a step is the agent's own, the others are revisions."""

    proposal: Proposal
    verdicts: tuple[Verdict, ...] = ()
    """None without a guard; several when the screen changed and it was checked again, the last one counts."""
    ran: bool = True
    """Whether it ran; a rejected proposal that ran was in shadow mode."""

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that counts."""
        return self.verdicts[-1] if self.verdicts else None


class CutOff(Record):
    """A place at which an action of the keyboard was ended, because another window had the keys than the guard saw."""

    done: Count
    """Characters, or presses of a key, until then."""
    of: Count
    """The number of characters or presses in all."""
    verdicts: tuple[Verdict, ...] = ()
    """On what was left of the proposal, on the screen as it was by then; the last one counts."""
    went_on: bool = False
    """Whether what was left was let through, and the action went on."""


class ActionResult(Record):
    """The result of one action."""

    action: Action
    id: str | None = None
    """The request id under which it ran at most once."""
    time: datetime | None = None
    """When it was dispatched; without a zone where the source names none."""
    output: str | None = None
    error: str | None = None
    returncode: int | None = None
    truncated: bool = False
    """Whether output was cut off."""
    duration: Seconds | None = None
    screenshot: StoredFile | None = None
    """The screen after the action."""
    cut_offs: tuple[CutOff, ...] = ()
    """Where the action ended early, in order; only with a guard."""

    @model_serializer(mode="wrap")
    def _without_no_cut_offs(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        """Without a cut-off the record is the one that it was before there were any."""
        data: dict[str, JsonValue] = handler(self)
        if not self.cut_offs:
            data.pop("cut_offs", None)
        return data


class Gap(Record):
    """What changed on the screen between the guard's check and the action."""

    seconds: Seconds
    changed: tuple[str, ...] = ()
    """What changed since the guard's check: `pixels`, `focus`, `windows`."""
    rechecks: Count = 0


class Narrative(Record):
    """One or two sentences on what a step did and changed."""

    text: str | None
    """`None` when it could not be made."""
    model: str | None = None
    latency: Seconds | None = None
    usage: Usage | None = None
    error: str | None = None


class StepTimings(Record):
    """The time a step spent, in seconds; `None` is not measured."""

    observe: Seconds | None = None
    propose: Seconds | None = None
    guard: Seconds | None = None
    verify: Seconds | None = None
    act: Seconds | None = None
    settle: Seconds | None = None
    ledger: Seconds | None = None
    total: Seconds | None = None


class Step(Record):
    """One turn of the agent."""

    number: int = Field(ge=0)
    """Counted from 1; what a source records before its first step is 0."""
    observation: ObservationRecord | None = None
    """What the agent saw before it proposed."""
    attempts: tuple[Attempt, ...] = ()
    results: tuple[ActionResult, ...] = ()
    """One per action that was executed, in order."""
    gap: Gap | None = None
    narrative: Narrative | None = None
    changes: Changes | None = None
    """What changed on the desktop in this step; `None` where nobody looked."""
    late_stop: str | None = None
    """Why the guard ended the episode after the step: what it changed lay outside the task's Scope."""
    timings: StepTimings | None = None

    @property
    def proposal(self) -> Proposal | None:
        """The last proposal of the step: the one that ran, if any did."""
        return self.attempts[-1].proposal if self.attempts else None
