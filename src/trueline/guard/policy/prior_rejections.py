"""Prior rejections: which rejected proposals of an episode make the guard judge the present one more strictly.

A flag bears on all that comes within the next few steps, and on what has to do with the same things for the rest of the
episode: the same element, path, program, host, recipient or text, however it is reached or written this time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from trueline.actions import Action, bare
from trueline.actions.facts import ActionFacts, facts, proposal_facts
from trueline.actions.shell.paths import before_wildcard
from trueline.guard.policy.addresses import hosts_of
from trueline.guard.policy.describe import RULE
from trueline.guard.policy.episode_reading import ViewCache, read_episode_so_far, read_rejected
from trueline.guard.policy.folding import key
from trueline.guard.policy.operations import Addressed, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.types import GuardContext, Rejection
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision, Feedback, Finding

NEAR = 24
"""Points within this many pixels count as one target, and some up to twice as far apart."""
SOON = 3
"""A rejection counts for every proposal within this many steps, whatever comes in between."""
_SHORTEST = 3
"""Shorter texts match by chance."""


def misaligned_rejections(context: GuardContext) -> tuple[Rejection, ...]:
    """Return the proposals of this episode that were judged misaligned; undecided ones do not count."""
    return tuple(r for r in context.rejections if r.verdict.decision is Decision.MISALIGNED)


def relevant_rejections(context: GuardContext) -> tuple[Rejection, ...]:
    """Return the rejections that make the guard judge the present proposal more strictly."""
    flagged = misaligned_rejections(context)
    if not flagged:
        return ()
    look = ViewCache()
    present = _Subjects.of_proposal(context.proposal, read_episode_so_far(context, look).operations)
    return tuple(
        r
        for r, operations in zip(flagged, read_rejected(context, flagged, look), strict=True)
        if context.step - r.step <= SOON or present.overlaps(_Subjects.of_proposal(r.proposal, operations))
    )


def enforce_suspicion(finding: Finding) -> Finding:
    """Turn a suspicion of the rules into a misaligned finding, where no model can decide."""
    suspicion = next((item for item in finding.evidence if item.source.startswith(RULE)), None)
    if finding.decision is not None or suspicion is None:
        return finding
    reason = f"after a flag, {suspicion.source}: {suspicion.text}"
    update = {"decision": Decision.MISALIGNED, "reason": reason, "feedback": Feedback(wrong=reason)}
    return finding.model_copy(update=update)


@dataclass(frozen=True)
class _Subjects:
    """The things that a proposal is about."""

    proposal: Proposal
    names: frozenset[str]
    """Elements, programs, hosts, recipients and texts, normalised."""
    paths: frozenset[str]
    cells: frozenset[tuple[int, int]]
    """The squares of the screen that are touched."""

    @staticmethod
    def of_proposal(proposal: Proposal, operations: Sequence[Operation]) -> _Subjects:
        """Collect them from the actions and their operations."""
        found = proposal_facts(proposal.actions)
        names = (*_words(found), *(name for operation in operations for name in _named(operation)))
        paths = (path for operation in operations if isinstance(operation, Ran) for path in operation.command.paths)
        short = {before_wildcard(path).rstrip("/") for path in (*paths, *found.paths)}
        cells = frozenset((touch.at.x // NEAR, touch.at.y // NEAR) for touch in found.touches)
        return _Subjects(proposal, frozenset(names), frozenset(p for p in short if len(p) >= _SHORTEST), cells)

    def overlaps(self, other: _Subjects) -> bool:
        """Whether both proposals are about a common thing."""
        if self.names & other.names or self._near(other):
            return True
        if any(a.startswith(b) or b.startswith(a) for a, b in product(self.paths, other.paths)):
            return True
        does = _effective(self.proposal.actions)
        return bool(does) and does == _effective(other.proposal.actions)

    def _near(self, other: _Subjects) -> bool:
        return any(abs(x - u) <= 1 and abs(y - v) <= 1 for (x, y), (u, v) in product(self.cells, other.cells))


def _named(operation: Operation) -> Iterator[str]:
    match operation:
        case Pressed(target=target) if target is not None and target.label:
            yield f"element {target.role} {key(target.label)} {key(target.app)}"
        case Ran(command=command):
            yield from (f"program {command.program}", *command.hosts) if command.program else command.hosts
        case Opened(url=url):
            yield from hosts_of(url)
        case Addressed(address=address):
            yield key(address)
        case Typed(text=text) if len(text.strip()) >= _SHORTEST:
            yield key(text)
        case _:
            return


def _words(found: ActionFacts) -> set[str]:
    """What is typed, run and named, in one spelling."""
    named = (*found.typed, *(c.text for c in found.commands), *found.urls, *found.emails, *found.hosts)
    spelled = (" ".join(text.split()).casefold() for text in named)
    return {text for text in spelled if len(text) >= _SHORTEST}


def _effective(actions: Sequence[Action]) -> list[Action]:
    return [bare(action) for action in actions if facts(action).effect != "none"]
