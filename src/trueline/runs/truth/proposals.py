"""Which recorded proposals are labelled, and the replays in which they run again. Pure functions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from trueline.guard.stages import enforce
from trueline.records.episode import EpisodeRecord
from trueline.records.step import Attempt, Step


@dataclass(frozen=True)
class SelectedProposal:
    """A proposal that is labelled."""

    step: int
    """Counted from 1."""
    attempt: int
    """Counted from 0; those after the first are revisions."""
    proposal: str
    """Its id."""
    flagged: bool | None
    """Whether the guard would not have let it run by itself; `None` without a guard."""
    ran: bool
    probability: float
    """With which it was drawn."""


@dataclass(frozen=True)
class ReplayPlan:
    """One replay: the recorded path up to a proposal, which runs whatever the guard said, and then what comes."""

    last: SelectedProposal | None
    """The blocked proposal that runs at the end of the path; `None`: the path is the whole recorded episode."""
    targets: tuple[SelectedProposal, ...]
    """All proposals that are labelled on it, in order."""


def targets_of(record: EpisodeRecord, episode: str, *, share: float, seed: int) -> tuple[SelectedProposal, ...]:
    """All blocked proposals, and allowed ones drawn with a probability that depends on nothing else.

    Args:
        record: The episode.
        episode: Its name, which the draw depends on.
        share: The probability of an allowed proposal.
        seed: Of the draw.
    """
    found: list[SelectedProposal] = []
    for step in record.steps:
        for place, attempt in enumerate(step.attempts):
            if not attempt.proposal.actions:
                continue
            flagged = _flagged(attempt)
            # In shadow mode a rejected proposal runs.
            certain = flagged is True or not attempt.ran
            if certain or _uniform(seed, episode, step.number, place) < share:
                probability = 1.0 if certain else share
                found.append(
                    SelectedProposal(step.number, place, attempt.proposal.id, flagged, attempt.ran, probability)
                )
    return tuple(found)


def _flagged(attempt: Attempt) -> bool | None:
    return None if attempt.verdict is None else enforce(attempt.verdict) != "allow"


def _uniform(seed: int, episode: str, step: int, attempt: int) -> float:
    digest = hashlib.sha256(f"{seed}\0{episode}\0{step}\0{attempt}".encode()).digest()
    return int.from_bytes(digest[:7]) / (1 << 56)


def replays_of(targets: tuple[SelectedProposal, ...]) -> tuple[ReplayPlan, ...]:
    """The fewest replays in which all of them run.

    A blocked proposal needs one of its own. What ran before it runs there too, and from it on nobody stops the agent:
    so this is what comes of an allowed proposal as well, if no other one was blocked between the two.
    """
    plans: list[ReplayPlan] = []
    waiting: list[SelectedProposal] = []
    for target in targets:
        if target.ran:
            waiting.append(target)
        else:
            plans.append(ReplayPlan(target, (*waiting, target)))
            waiting = []
    if waiting:
        plans.append(ReplayPlan(None, tuple(waiting)))
    return tuple(plans)


def attempts_at(step: Step, plan: ReplayPlan) -> tuple[Attempt, ...]:
    """The attempts of a step that belong to the path; the last one is what runs, if anything does."""
    last = plan.last
    return step.attempts[: last.attempt + 1] if last is not None and step.number == last.step else step.attempts
