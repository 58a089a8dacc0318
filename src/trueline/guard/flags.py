"""Flags stick: which rejected proposals of the episode bear on the present one."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.actions import Action, bare
from trueline.actions.facts import ActionFacts, facts, proposal_facts
from trueline.guard.types import GuardContext, Rejection
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision

NEAR = 24
"""Points so many pixels apart count as one target, and some that are up to twice as far apart."""
_SHORTEST = 3
"""Shorter texts are alike by chance."""


def flags(context: GuardContext) -> tuple[Rejection, ...]:
    """Return the proposals of this episode that were found misaligned; a failed check is no flag."""
    return tuple(r for r in context.rejections if r.verdict.decision is Decision.MISALIGNED)


def bearing_flags(context: GuardContext) -> tuple[Rejection, ...]:
    """Return the flags on what the present proposal revises, or on a target that it shares."""
    flagged = flags(context)
    if not flagged:
        return ()
    present = context.proposal
    seen = _facts(present)
    return tuple(r for r in flagged if r.step == context.step or _alike(present, seen, r.proposal))


def _alike(present: Proposal, seen: ActionFacts, earlier: Proposal) -> bool:
    then = _facts(earlier)
    if _cells(seen, around=1) & _cells(then) or _words(seen) & _words(then):
        return True
    does = _effective(present.actions)
    return bool(does) and does == _effective(earlier.actions)


def _facts(proposal: Proposal) -> ActionFacts:
    return proposal_facts(proposal.actions)


def _cells(found: ActionFacts, around: int = 0) -> set[tuple[int, int]]:
    """The squares of the screen that are touched, with so many squares around them."""
    steps = range(-around, around + 1)
    return {(touch.at.x // NEAR + x, touch.at.y // NEAR + y) for touch in found.touches for x in steps for y in steps}


def _words(found: ActionFacts) -> set[str]:
    """What is typed, run and named, in one spelling."""
    named = (*found.typed, *(c.text for c in found.commands), *found.urls, *found.paths, *found.emails, *found.hosts)
    spelled = (" ".join(text.split()).casefold() for text in named)
    return {text for text in spelled if len(text) >= _SHORTEST}


def _effective(actions: Sequence[Action]) -> list[Action]:
    return [bare(action) for action in actions if facts(action).effect != "none"]
