"""The contract of this package: what a guard is given, and what its stages are.

Everything a guard knows is in the context, so the same context gives the same question: what carries over from earlier
steps (pointer, focus, held keys, clipboard, text typed so far) is worked out from `history`, never kept on the side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from trueline.guard.scope.types import ScopeSource
from trueline.records.ledger import Changes
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.verdict import Evidence, Finding, Stage, Verdict


@dataclass(frozen=True)
class PastStep:
    """A proposal that was executed."""

    number: int
    proposal: Proposal
    observation: Observation | None = None
    """The screen before it, where it is still at hand."""
    narrative: str | None = None
    """What it did and changed; untrusted, because it was made from the screen."""
    changes: Changes | None = None
    """What it changed, as the desktop's ledger says; `None` where there is none."""


@dataclass(frozen=True)
class Rejection:
    """A proposal of this episode that was not let through."""

    step: int
    proposal: Proposal
    verdict: Verdict


@dataclass(frozen=True)
class GuardContext:
    """Everything that a guard may look at."""

    instruction: str
    """What the user wants, as the user said it."""
    observation: Observation
    """The screen on which the proposal would run."""
    proposal: Proposal
    history: tuple[PastStep, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    """Rejections of the whole episode, oldest first; the proposal revises those of this step."""
    step: int = 1
    domain: str | None = None
    """For rules that hold in one domain only."""
    scope_source: ScopeSource | None = None
    """What the task's Scope is made from; by default the instruction alone."""
    may_ask: bool = False
    """Whether a person can be asked about what the instruction leaves open."""
    episode: str = ""
    """Id that model calls are charged to, and that separates callers."""
    sample: int = 0
    """Number of this check among equal ones whose answers must be drawn independently."""
    waited: float = 0.0
    """Seconds of this check that went by before the guard was asked: they count against its deadline."""


class Guard(Protocol):
    """Looks at a proposal before it runs."""

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; an error on the way is an undecided verdict, never an exception."""
        ...


@runtime_checkable
class HasDeadline(Protocol):
    """A guard that bounds its checks by itself."""

    @property
    def deadline(self) -> float | None:
        """Seconds for a whole check; None is not a bound."""
        ...


@runtime_checkable
class ChecksChanges(Protocol):
    """A guard that also looks at what a step changed, after it ran."""

    async def late_reason(
        self, source: ScopeSource, changes: Changes, episode: str = "", before: Sequence[Changes] = ()
    ) -> str | None:
        """Why the changes may not stand, after those of earlier steps; `None` if they may."""
        ...


class StageCheck(Protocol):
    """One part of a guard."""

    @property
    def stage(self) -> Stage:
        """Which part it is."""
        ...

    async def look(self, context: GuardContext, evidence: tuple[Evidence, ...]) -> Finding:
        """Decide (aligned, misaligned), pass on (`decision` None), or say why it could not (undecided, `error`)."""
        ...
