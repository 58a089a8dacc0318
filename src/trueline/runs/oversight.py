"""The correction loop: propose, check, revise, check again just before the act."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from trueline.desktop.types import Desktop
from trueline.guard.session import Outcome
from trueline.guard.verify import View, changes
from trueline.records.end import End
from trueline.records.proposal import Proposal
from trueline.records.step import Attempt, Gap
from trueline.records.verdict import Decision, Feedback, Verdict
from trueline.runs.types import Oversight

MOST_RECHECKS = 3
"""How often a proposal is checked again because the screen has changed under it."""
UNSTEADY = "the screen keeps changing where the action points, so no verdict holds"

Look = Callable[[], Awaitable[View]]
Revise = Callable[[Proposal, Feedback], Awaitable[Proposal]]


@dataclass
class Deciding:
    """What became of the proposals of one step; filled as it goes, so that an error on the way loses nothing."""

    view: View
    attempts: list[Attempt]
    gap: Gap | None = None
    guard_s: float = 0.0
    verify_s: float = 0.0


@dataclass(frozen=True)
class Ruling:
    """What may be done now."""

    proposal: Proposal | None
    """What runs; `None`: nothing does."""
    check: str | None = None
    """The id under which the session wants to hear that it ran."""
    end: End | None = None
    """The episode ends here."""
    told: Feedback | None = None
    """Why nothing runs, for the agent."""


async def decide(
    oversight: Oversight, first: Proposal, deciding: Deciding, *, desktop: Desktop, look: Look, revise: Revise
) -> Ruling:
    """Have a proposal and its revisions checked until one may run or none is left."""
    proposal = first
    while True:
        outcome, verdicts = await _check(oversight, proposal, deciding, desktop, look)
        allowed = oversight.shadow or outcome.allowed or await _asked(oversight, outcome, outcome.enforced == "ask")
        deciding.attempts.append(Attempt(proposal=proposal, verdicts=verdicts, ran=allowed))
        if allowed:
            return Ruling(proposal, outcome.id)
        undecided = outcome.verdict.decision is Decision.UNDECIDED
        if undecided or len(deciding.attempts) > oversight.max_revisions:
            return await _exhausted(oversight, outcome, deciding)
        proposal = await revise(proposal, outcome.feedback)


async def _check(
    oversight: Oversight, proposal: Proposal, deciding: Deciding, desktop: Desktop, look: Look
) -> tuple[Outcome, tuple[Verdict, ...]]:
    """Have one proposal checked on a screen that is still there when the verdict has come."""
    loop = asyncio.get_running_loop()
    session = oversight.session
    verdicts: list[Verdict] = []
    seen_changed: set[str] = set()
    rechecks = 0
    while True:
        began = loop.time()
        outcome = await session.check(deciding.view.observation, proposal)
        checked = loop.time()
        deciding.guard_s += checked - began
        verdicts.append(outcome.verdict)
        changed = await changes(desktop, deciding.view, proposal) if outcome.allowed else ()
        deciding.verify_s += loop.time() - checked
        seen_changed.update(changed)
        deciding.gap = Gap(seconds=loop.time() - checked, changed=tuple(sorted(seen_changed)), rechecks=rechecks)
        if not changed:
            return outcome, tuple(verdicts)
        await session.executed(outcome.id, ran=False)
        if rechecks == MOST_RECHECKS:
            verdict = Verdict(decision=Decision.UNDECIDED, reason=UNSTEADY)
            return replace(outcome, verdict=verdict, enforced="block"), (*verdicts, verdict)
        rechecks += 1
        deciding.view = await look()


async def _exhausted(oversight: Oversight, outcome: Outcome, deciding: Deciding) -> Ruling:
    """Do what was declared for a step of which nothing is let through."""
    match oversight.exhausted:
        case "skip":
            return Ruling(None, told=outcome.feedback)
        case "fail":
            return Ruling(None, end=End.FAIL, told=outcome.feedback)
        case "ask" if await _asked(oversight, outcome, True):
            deciding.attempts[-1] = deciding.attempts[-1].model_copy(update={"ran": True})
            return Ruling(outcome.proposal, outcome.id)
        case _:
            return Ruling(None, end=End.STOPPED_BY_GUARD, told=outcome.feedback)


async def _asked(oversight: Oversight, outcome: Outcome, wanted: bool) -> bool:
    return wanted and oversight.ask is not None and await oversight.ask(outcome)
