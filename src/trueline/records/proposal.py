"""What an agent wants to do next."""

from __future__ import annotations

from trueline.actions import Action
from trueline.actions.decoded import SafetyCheck
from trueline.records.base import Record, Seconds
from trueline.records.usage import Usage


class Proposal(Record):
    """One answer of the agent: its thought and its actions, which run all or none."""

    id: str
    """Unique within the episode."""
    thought: str | None = None
    actions: tuple[Action, ...] = ()
    """Empty when nothing in the answer could be read as an action."""
    raw: str | None = None
    """The model's whole original answer."""
    safety_checks: tuple[SafetyCheck, ...] = ()
    """Checks that the provider requires to be acknowledged before it runs; never acknowledged silently."""
    notes: tuple[str, ...] = ()
    """How it came about, in the agent's words: answers that could not be read, checks that were acknowledged."""
    usage: Usage | None = None
    latency: Seconds | None = None
    """Seconds from asking to the whole answer."""
