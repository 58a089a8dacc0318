"""The executed steps of a session within a bound of memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from trueline.guard.types import PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal

_NODE_BYTES = 1000
"""About what a node of a tree, or an action, takes besides its words."""

Part = Literal["screenshot", "tree"]
_PARTS: tuple[Part, ...] = ("screenshot", "tree")


class StepMemory:
    """Steps whose screens are dropped, the oldest first, when they take too much; the steps themselves never are.

    Trees go only after all pictures, because the policy stage works out from them what was focused and typed into.
    """

    def __init__(self, keep_bytes: int) -> None:
        self.steps: list[PastStep] = []
        self._keep_bytes = keep_bytes
        self._held = 0
        self._dropped: dict[Part, int] = dict.fromkeys(_PARTS, 0)
        """How many of the oldest steps have lost this part."""

    def add(self, step: PastStep) -> None:
        """Append a step."""
        self.steps.append(step)
        self._held += _size_of_words(step.proposal)
        self._held += sum(_size_of(step.observation, part) for part in _PARTS)

    def count(self, proposal: Proposal) -> None:
        """Count a proposal that is kept elsewhere."""
        self._held += _size_of_words(proposal)

    def fit(self) -> bool:
        """Drop screens until all fits; return whether it does."""
        for part in _PARTS:
            while self._held > self._keep_bytes and self._dropped[part] < len(self.steps):
                place = self._dropped[part]
                step = self.steps[place]
                self._dropped[part] += 1
                if step.observation is not None:
                    self._held -= _size_of(step.observation, part)
                    self.steps[place] = replace(step, observation=replace(step.observation, **{part: None}))
        return self._held <= self._keep_bytes


def _size_of(observation: Observation | None, part: Part) -> int:
    if observation is None:
        return 0
    if part == "screenshot":
        return len(observation.screenshot) if isinstance(observation.screenshot, bytes) else 0
    if observation.tree is None:
        return 0
    return sum(_NODE_BYTES + len(node.name) + len(node.text) for node in observation.tree.root.walk())


def _size_of_words(proposal: Proposal) -> int:
    # The raw text of an action mostly stands in its fields too.
    raw = sum(len(action.raw) for action in proposal.actions)
    return _NODE_BYTES * (1 + len(proposal.actions)) + len(proposal.raw or "") + len(proposal.thought or "") + 2 * raw
