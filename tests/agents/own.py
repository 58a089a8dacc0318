"""Classes that a user may name by import path."""

from __future__ import annotations

from trueline.actions import Done
from trueline.agents import AgentContext
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.verdict import Feedback


class Good:
    wants = ObservationSpec(tree=True)

    def __init__(self, greeting: str = "hello") -> None:
        self.greeting = greeting

    async def reset(self, ctx: AgentContext) -> None:
        self.task = ctx.instruction

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        return Proposal(id="1", thought=f"{self.greeting}: {self.task}", actions=(Done(),))

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        return rejected


class NoRevise:
    wants = ObservationSpec()

    async def reset(self, ctx: AgentContext) -> None: ...

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        return Proposal(id="1")


class NotAsync(Good):
    def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:  # pyright: ignore[reportIncompatibleMethodOverride]
        return rejected


class NoWants:
    async def reset(self, ctx: AgentContext) -> None: ...

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        return Proposal(id="1")

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        return rejected


class OddWants(Good):
    wants = "everything"  # pyright: ignore[reportAssignmentType]


def make_good(greeting: str = "made") -> Good:
    return Good(greeting)


def make_nothing() -> None: ...


NUMBER = 7
