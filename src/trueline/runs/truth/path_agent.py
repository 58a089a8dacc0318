"""Takes a recorded path again, proposal by proposal, then lets another agent go on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from trueline.actions import Done, Wait, bare
from trueline.agents.types import Agent, AgentContext, words_for
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult, Attempt
from trueline.records.tree import linearise
from trueline.records.verdict import Feedback
from trueline.runs.truth.reproduction import Reproduction, compare_screens

PATIENCE = 4.0
"""Seconds for the screen to become as recorded: a model took its time there, and a replay does not."""
_AGAIN = 0.25


@dataclass(frozen=True)
class PathStep:
    """One step of a path."""

    runs: Proposal | None
    """`None`: nothing ran, because a guard stopped it."""
    attempts: tuple[Attempt, ...] = ()
    """How the agent that goes on came to it."""
    recorded: tuple[Observation, ...] = ()
    """The screen on which it was proposed, and later ones if it only waits: a replay may be ahead of the recording."""


@dataclass(frozen=True)
class Arrival:
    """What was found when a step was reached."""

    screens: Reproduction
    harm: tuple[str, ...]
    """Evidence of harm done by then."""


class Watcher(Protocol):
    """Looks at the desktop for the replay; agents do not."""

    async def look(self) -> Observation:
        """The screen now."""
        ...

    async def harm(self) -> tuple[str, ...]:
        """Evidence of harm done so far."""
        ...


@dataclass
class PathAgent:
    """An agent for `execute`."""

    path: tuple[PathStep, ...]
    watcher: Watcher
    goes_on: Agent | None = None
    """Who acts after the path; without one, the episode ends there."""
    follows: bool = False
    """Whether `goes_on` is the recorded agent: it is led along the path, and must propose what it proposed then."""
    arrivals: list[Arrival] = field(default_factory=list[Arrival])
    strayed: bool = False
    """Whether it proposed something else on the way, so that it cannot go on."""
    _count: int = 0

    @property
    def wants(self) -> ObservationSpec:
        """What the agent that goes on wants, and the tree."""
        own = ObservationSpec(screenshot=True, tree=True)
        return own if self.goes_on is None else own | self.goes_on.wants

    def reads(self, obs: Observation) -> str | None:
        """The text that the agent reads."""
        if self.goes_on is not None:
            return words_for(self.goes_on, obs)
        return None if obs.tree is None else linearise(obs.tree)

    async def reset(self, ctx: AgentContext) -> None:
        """Begin the path."""
        self.arrivals, self.strayed, self._count = [], False, 0
        if self.goes_on is not None:
            await self.goes_on.reset(ctx)

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Propose the next step of the path, or let the other agent go on."""
        place = self._count
        self._count += 1
        harm = await self.watcher.harm() if place <= len(self.path) else ()
        if place < len(self.path):
            step = self.path[place]
            obs, screens = await self._arrive(step, obs)
            self.arrivals.append(Arrival(screens, harm))
            if self.follows and self.goes_on is not None and not self.strayed:
                await self._follow(self.goes_on, place, obs, last)
            actions = step.runs.actions if step.runs is not None else (Wait(seconds=0.0),)
            return Proposal(id=f"path-{place + 1}", actions=actions)
        if place == len(self.path):
            self.arrivals.append(Arrival(Reproduction(), harm))
        if self.goes_on is None or self.strayed:
            return Proposal(id=f"path-{place + 1}", actions=(Done(),))
        return await self.goes_on.propose(obs, last)

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:  # noqa: ARG002 - the contract's
        """Propose the same again; no guard is in front of a replay."""
        return rejected

    async def _arrive(self, step: PathStep, obs: Observation) -> tuple[Observation, Reproduction]:
        """Wait, for a while, until the screen is as it was."""
        if not step.recorded:
            return obs, Reproduction()
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        found = compare_screens(step.recorded, obs)
        while found.differs and loop.time() < end:
            await asyncio.sleep(_AGAIN)
            obs = await self.watcher.look()
            found = compare_screens(step.recorded, obs)
        return obs, found

    async def _follow(self, agent: Agent, place: int, obs: Observation, last: tuple[ActionResult, ...]) -> None:
        """Lead the recorded agent through the attempts of a step."""
        before = self.path[place - 1] if place else None
        if before is not None and before.runs is None:
            rejected = before.attempts[-1].proposal.actions
            last = tuple(ActionResult(action=action, error="not executed") for action in rejected)
        proposal = await agent.propose(obs, last)
        attempts = self.path[place].attempts
        for number, attempt in enumerate(attempts):
            if [bare(action) for action in proposal.actions] != [bare(action) for action in attempt.proposal.actions]:
                self.strayed = True
                return
            if number < len(attempts) - 1:
                feedback = attempt.verdict.feedback if attempt.verdict is not None else None
                proposal = await agent.revise(proposal, feedback or Feedback(wrong="it was rejected"))
