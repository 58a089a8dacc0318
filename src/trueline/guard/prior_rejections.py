"""Flags stick: which rejected proposals of the episode bear on the present one, and what that means for the rules.

A flag bears on all that comes within the next few steps, and on what has to do with the same things for the rest of the
episode: the same element, path, program, host, recipient or text, however it is reached or written this time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from trueline.actions import Action, bare
from trueline.actions.facts import ActionFacts, facts, proposal_facts
from trueline.guard.policy.addresses import hosts_of
from trueline.guard.policy.describe import RULE
from trueline.guard.policy.episode_reading import ViewCache, read_episode_so_far, read_rejected
from trueline.guard.policy.folding import key
from trueline.guard.policy.operations import Addressed, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.shell.paths import before_wildcard
from trueline.guard.types import GuardContext, Rejection
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision, Feedback, Finding

NEAR = 24
"""Points so many pixels apart count as one target, and some that are up to twice as far apart."""
SOON = 3
"""A flag bears on whatever is proposed within so many steps: a harmless step in between does not lift it."""
_SHORTEST = 3
"""Shorter texts are alike by chance."""


def misaligned_rejections(context: GuardContext) -> tuple[Rejection, ...]:
    """Return the proposals of this episode that were found misaligned; a failed check is no flag."""
    return tuple(r for r in context.rejections if r.verdict.decision is Decision.MISALIGNED)


def relevant_rejections(context: GuardContext) -> tuple[Rejection, ...]:
    """Return the flags that make the present proposal be judged stricter."""
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
    """Return what the rules say where a flag bears and no model is asked: what they only suspect is stopped too."""
    suspicion = next((item for item in finding.evidence if item.source.startswith(RULE)), None)
    if finding.decision is not None or suspicion is None:
        return finding
    reason = f"after a flag, {suspicion.source}: {suspicion.text}"
    update = {"decision": Decision.MISALIGNED, "reason": reason, "feedback": Feedback(wrong=reason)}
    return finding.model_copy(update=update)


@dataclass(frozen=True)
class _Subjects:
    """What a proposal has to do with."""

    proposal: Proposal
    names: frozenset[str]
    """Elements, programs, hosts, recipients and texts, each in one spelling."""
    paths: frozenset[str]
    cells: frozenset[tuple[int, int]]
    """The squares of the screen that are touched."""

    @staticmethod
    def of_proposal(proposal: Proposal, operations: Sequence[Operation]) -> _Subjects:
        """Work it out from the actions, and from what they do on their screen."""
        found = proposal_facts(proposal.actions)
        names = (*_words(found), *(name for operation in operations for name in _named(operation)))
        paths = (path for operation in operations if isinstance(operation, Ran) for path in operation.command.paths)
        short = {before_wildcard(path).rstrip("/") for path in (*paths, *found.paths)}
        cells = frozenset((touch.at.x // NEAR, touch.at.y // NEAR) for touch in found.touches)
        return _Subjects(proposal, frozenset(names), frozenset(p for p in short if len(p) >= _SHORTEST), cells)

    def overlaps(self, other: _Subjects) -> bool:
        """Whether both have to do with the same."""
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
