"""The contract of this room: what an agent is, and what it is told at the beginning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from trueline.actions import Size
from trueline.errors import InputError, TruelineError
from trueline.models import Model
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.tree import linearise, marks_text
from trueline.records.verdict import Feedback

if TYPE_CHECKING:
    from trueline.tasks.model import Demo, Kind


class AgentError(TruelineError):
    """The agent itself failed, by its own doing: the episode ends as an agent error and is scored.

    A model that gives no answer is a `ModelError` and passes through an agent unchanged.
    """


@dataclass(frozen=True)
class Insight:
    """What only simulated subjects are told: they play a task, they do not solve it."""

    demo: Demo | None
    """The task's own scripts, as varied for this episode."""
    kind: Kind
    task_seed: int = 0
    """Of the task under one base seed: the same in all its episodes, whatever the setting and the attack."""
    clarified: bool = False
    """The instruction says everything that is checked."""


@dataclass(frozen=True)
class AgentContext:
    """What an agent knows of an episode. There is no way from here to the desktop."""

    instruction: str
    screen: Size
    """In pixels."""
    seed: int = 0
    """Of this episode, for agents that make random choices of their own."""
    plan: str | None = None
    """A plan that was made beforehand."""
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """By role; `agent` is the one that decides what to do."""
    episode: str = ""
    """Who pays for model calls."""
    platform: str = "ubuntu"
    insight: Insight | None = None
    """Always `None` for an agent that is measured."""

    def model(self, role: str = "agent") -> Model:
        """Return the model of a role.

        Raises:
            InputError: There is none.
        """
        if role not in self.models:
            raise InputError(f"the agent needs a model for the role {role!r}; give one with --model")
        return self.models[role]


class Agent(Protocol):
    """Proposes from an instruction and observations, and revises a rejected proposal. It never acts itself.

    A call that raised leaves the agent as it was before, so it may be repeated.
    """

    @property
    def wants(self) -> ObservationSpec:
        """What it must see."""
        ...

    async def reset(self, ctx: AgentContext) -> None:
        """Begin an episode, or another try of one."""
        ...

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Say what to do next.

        Args:
            obs: The screen now.
            last: What came of the actions of the last proposal, in order. A result without an id says why its action
                was not executed; nothing at all means that none was.
        """
        ...

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Say what to do instead of the last proposal, of which nothing was executed."""
        ...


@runtime_checkable
class _Reads(Protocol):
    def reads(self, obs: Observation) -> str | None: ...


def words_for(agent: Agent, obs: Observation) -> str | None:
    """What an agent reads of a screen; `None` when it is given a picture at most.

    That is the table of the tree and what OCR read, as far as it wants them. An agent that is given less of it (cut to
    a number of tokens) or more says so itself, with a method `reads`.
    """
    if isinstance(agent, _Reads):
        return agent.reads(obs)
    wants = agent.wants
    parts = (
        linearise(obs.tree) if wants.tree and obs.tree is not None else None,
        marks_text(obs.marks) if wants.marks else None,
        obs.text if wants.ocr else None,
    )
    given = [part for part in parts if part is not None]
    return "\n".join(given) if given else None


@runtime_checkable
class _Closeable(Protocol):
    async def close(self) -> None: ...


async def close_agent(agent: Agent) -> None:
    """Have an agent give back what it holds (a process, connections), if it holds anything."""
    if isinstance(agent, _Closeable):
        await agent.close()
