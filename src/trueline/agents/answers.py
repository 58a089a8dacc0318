"""From a model's answers to a proposal."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.actions import Action, Fail, SafetyCheck
from trueline.actions.codecs.fields import dump
from trueline.actions.decoded import well_formed
from trueline.errors import InputError
from trueline.models import Answer
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.usage import total_usage

MAX_ACTIONS = 200
"""More in one answer is no step of an agent."""

LONGEST_WORDS = 4000
"""As many characters of an error or an output are told to a model."""

CUT_OFF = "the answer was cut off at the token limit"


class ProposalIds:
    """Names for the proposals of one agent, never the same twice: an episode may reset its agent between tries."""

    def __init__(self) -> None:
        self._number = 0

    def next(self) -> str:
        """Return a new name."""
        self._number += 1
        return f"p{self._number}"

    def require_last(self, rejected: Proposal) -> None:
        """Refuse to revise anything but the last proposal: its place in the conversation is gone."""
        if rejected.id != f"p{self._number}":
            raise InputError(f"only the last proposal (p{self._number}) can be revised, not {rejected.id!r}")


def raw_text(answer: Answer) -> str:
    """Return the whole answer as text: what was said, then the calls as JSON, one per line."""
    calls = (dump({"name": call.name, "arguments": call.arguments}) for call in answer.calls)
    return well_formed("\n".join(part for part in (answer.text or answer.refusal, *calls) if part))


def refusal(answer: Answer) -> Fail | None:
    """Return the end that the provider's own refusal signal means, if the answer carries it."""
    if answer.stop not in ("refusal", "content_filter"):
        return None
    who = "the model refused" if answer.stop == "refusal" else "the provider's content filter stopped the answer"
    words = well_formed(answer.refusal or answer.text)
    return Fail(reason=f"{who}: {words}" if words else who, refused=True, raw=raw_text(answer))


def why_dropped(last: Sequence[ActionResult]) -> str:
    """Return what is said about a last proposal that was not executed; empty for one that was."""
    return next((result.error[:LONGEST_WORDS] for result in last if result.id is None and result.error), "")


def proposal_of(
    id: str,
    answers: Sequence[Answer],
    actions: Sequence[Action],
    *,
    thought: str = "",
    checks: Sequence[SafetyCheck] = (),
    notes: Sequence[str] = (),
) -> Proposal:
    """Return the proposal that the last answer makes; all of them are paid for."""
    if unsent := dict.fromkeys(name for answer in answers for name in answer.unsent):
        notes = (*notes, f"not sent, because the server rejects it: {', '.join(unsent)}")
    return Proposal(
        id=id,
        thought=well_formed(thought) or None,
        actions=tuple(actions),
        raw=raw_text(answers[-1]),
        safety_checks=tuple(checks),
        notes=tuple(well_formed(note) for note in notes if note),
        usage=total_usage(answer.usage for answer in answers),
        latency=sum(answer.latency_s for answer in answers),
    )
