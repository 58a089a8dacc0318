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
from trueline.runs.faults import of_guard
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
    """Have a proposal and its revisions checked until one may run or none is left.

    Raises:
        Unfinished: The guard could not be asked, and nothing may run without it.
    """
    proposal = first
    while True:
        last = len(deciding.attempts) >= oversight.max_revisions
        checked = await _check(oversight, proposal, deciding, desktop, look, last=last)
        outcome = checked.outcome
        deciding.attempts.append(Attempt(proposal=proposal, verdicts=checked.verdicts, ran=checked.runs))
        if checked.runs:
            return Ruling(proposal, outcome.id)
        # It may have been let through, on a screen that is no more: it must not count as executed.
        await oversight.session.executed(outcome.id, ran=False)
        if outcome.enforced == "block" and (unasked := of_guard(outcome.verdict)) is not None:
            raise unasked
        if checked.final:
            return _exhausted(oversight, outcome)
        proposal = await revise(proposal, outcome.feedback)


@dataclass(frozen=True)
class _Checked:
    """What became of one proposal."""

    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    runs: bool
    final: bool
    """No revision is asked for."""


async def _check(
    oversight: Oversight, proposal: Proposal, deciding: Deciding, desktop: Desktop, look: Look, *, last: bool
) -> _Checked:
    """Have one proposal judged, by a person too where that was declared, on a screen that is still there then."""
    loop = asyncio.get_running_loop()
    session = oversight.session
    verdicts: list[Verdict] = []
    seen_changed: set[str] = set()
    rechecks = 0
    while True:
        began = loop.time()
        outcome = await session.check(deciding.view.observation, proposal)
        judged = loop.time()
        deciding.guard_s += judged - began
        verdicts.append(outcome.verdict)
        final = last or outcome.verdict.decision is Decision.UNDECIDED
        allowed = outcome.allowed or await _agreed(oversight, outcome, final=final)
        asked = loop.time()
        changed = await changes(desktop, deciding.view, proposal) if allowed else ()
        deciding.verify_s += loop.time() - asked
        seen_changed.update(changed)
        deciding.gap = Gap(seconds=loop.time() - judged, changed=tuple(sorted(seen_changed)), rechecks=rechecks)
        if not changed:
            return _Checked(outcome, tuple(verdicts), allowed or oversight.shadow, final)
        if rechecks == MOST_RECHECKS:
            verdict = Verdict(decision=Decision.UNDECIDED, reason=UNSTEADY)
            unsteady = replace(outcome, verdict=verdict, enforced="block")
            return _Checked(unsteady, (*verdicts, verdict), oversight.shadow, final=True)
        await session.executed(outcome.id, ran=False)
        rechecks += 1
        deciding.view = await look()


async def _agreed(oversight: Oversight, outcome: Outcome, *, final: bool) -> bool:
    """Whether a person says yes, where one is to be asked and is there."""
    wanted = outcome.enforced == "ask" or (final and oversight.exhausted == "ask")
    return wanted and not oversight.shadow and oversight.ask is not None and await oversight.ask(outcome)


def _exhausted(oversight: Oversight, outcome: Outcome) -> Ruling:
    """Do what was declared for a step of which nothing is let through."""
    match oversight.exhausted:
        case "skip":
            return Ruling(None, told=outcome.feedback)
        case "fail":
            return Ruling(None, end=End.FAIL, told=outcome.feedback)
        case "stop" | "ask":
            return Ruling(None, end=End.STOPPED_BY_GUARD, told=outcome.feedback)
