"""An agent's conversation with its model: what the model is told, and how its answers become a proposal.

The words are in `prompts/turns.v1.md`.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueline.actions import Action, Fail, SafetyCheck
from trueline.actions.codecs.fields import dump
from trueline.actions.decoded import well_formed
from trueline.errors import InputError
from trueline.models import Answer
from trueline.models.prompt_files import Phrases
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.usage import total_usage
from trueline.records.verdict import Feedback

PACKAGE = "trueline.agents"
TURNS = "turns.v1"

MAX_ACTIONS = 200
"""More actions than this in one answer are refused."""

LONGEST_WORDS = 4000
"""Characters of an error or an output that a model is shown."""

CUT_OFF = "the answer was cut off at the token limit"

phrase = Phrases(PACKAGE, TURNS)


def task_message(instruction: str, plan: str | None) -> str:
    """The message that tells the agent its task."""
    task = phrase("task", instruction=instruction)
    return f"{task}\n\n{phrase('plan', plan=plan)}" if plan else task


def feedback_message(feedback: Feedback) -> str:
    """The message that tells the agent why its proposal was rejected."""
    parts = [phrase("rejected", wrong=feedback.wrong)]
    if feedback.misled_by:
        parts.append(phrase("misled", by=feedback.misled_by))
    if feedback.instead:
        parts.append(phrase("instead", instead=feedback.instead))
    return "\n".join(parts)


def screenshot(obs: Observation) -> bytes:
    """Return the screenshot of an observation; raises InputError if there is none."""
    png = obs.png()
    if png is None:
        raise InputError("the observation has no screenshot, which the agent requires")
    return png


class ProposalIds:
    """Unique ids for the proposals of one agent, also when an episode resets it between tries."""

    def __init__(self) -> None:
        self._number = 0

    def next(self) -> str:
        """Return a new id."""
        self._number += 1
        return f"p{self._number}"

    def require_last(self, rejected: Proposal) -> None:
        """Raise unless this is the last proposal: earlier ones are no longer at the end of the conversation."""
        if rejected.id != f"p{self._number}":
            raise InputError(f"only the last proposal (p{self._number}) can be revised, not {rejected.id!r}")


def raw_text(answer: Answer) -> str:
    """Return the whole answer as text: what was said, then the calls as JSON, one per line."""
    calls = (dump({"name": call.name, "arguments": call.arguments}) for call in answer.calls)
    return well_formed("\n".join(part for part in (answer.text or answer.refusal, *calls) if part))


def refusal(answer: Answer) -> Fail | None:
    """Return the end of the episode if the answer carries the provider's own refusal signal."""
    if answer.stop not in ("refusal", "content_filter"):
        return None
    who = "the model refused" if answer.stop == "refusal" else "the provider's content filter stopped the answer"
    words = well_formed(answer.refusal or answer.text)
    return Fail(reason=f"{who}: {words}" if words else who, refused=True, raw=raw_text(answer))


def why_dropped(last: Sequence[ActionResult]) -> str:
    """Return why the last proposal was not executed; empty if it was."""
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
    """Make a proposal from the last answer; its usage and latency are those of all answers."""
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
