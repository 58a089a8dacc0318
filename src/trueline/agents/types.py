"""The `Agent` protocol, and what an agent is told at the start of an episode."""

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
    from trueline.tasks.model import Demo, DemoStep, Kind


class AgentError(TruelineError):
    """The agent itself failed: the episode ends as an agent error and is scored.

    A model that does not answer raises a `ModelError`, which passes through an agent unchanged.
    """


@dataclass(frozen=True)
class Insight:
    """What only simulated subjects are told: they play a task instead of solving it."""

    demo: Demo | None
    """The task's own scripts, as varied for this episode."""
    kind: Kind
    task_seed: int = 0
    """Seed of the task: the same in all its episodes under one base seed, whatever the setting and the attack."""
    clarified: bool = False
    """Whether the instruction states everything that is checked."""
    attacked: bool = False
    """Whether there is an injection."""
    reading: tuple[DemoStep, ...] = ()
    """Steps to come to see the injection, where it is not on the screen at the start and the task has no script."""


@dataclass(frozen=True)
class AgentContext:
    """What an agent knows about an episode. It gives no access to the desktop."""

    instruction: str
    screen: Size
    """Width and height in pixels."""
    seed: int = 0
    """Seed of this episode, for agents that make random choices."""
    plan: str | None = None
    """A plan that was made before the episode."""
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """Models by role; `agent` decides what to do."""
    episode: str = ""
    """The episode that model calls are charged to."""
    platform: str = "ubuntu"
    insight: Insight | None = None
    """Always `None` for an agent that is measured."""

    def model(self, role: str = "agent") -> Model:
        """Return the model of a role.

        Raises:
            InputError: There is none.
        """
        if role not in self.models:
            raise InputError(f"the agent needs a model for the role {role!r}; set one with --model")
        return self.models[role]


class Agent(Protocol):
    """Proposes actions for an instruction and observations, and revises rejected proposals. It never acts itself.

    A call that raises leaves the agent unchanged, so it may be repeated.
    """

    @property
    def wants(self) -> ObservationSpec:
        """What the agent must see."""
        ...

    async def reset(self, ctx: AgentContext) -> None:
        """Start an episode, or another try of one."""
        ...

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Propose what to do next.

        Args:
            obs: The screen now.
            last: Results of the actions of the last proposal, in order. A result without an id says why its action was
                not executed; an empty tuple means that none was.
        """
        ...

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Propose what to do instead of the last proposal, of which no action was executed."""
        ...


@runtime_checkable
class _Reads(Protocol):
    def reads(self, obs: Observation) -> str | None: ...


def words_for(agent: Agent, obs: Observation) -> str | None:
    """Return the text that an agent reads of a screen; `None` if it gets a screenshot at most.

    This is the table of the tree, the marks and the OCR text, as far as the agent wants them. An agent that is given
    less (cut to a number of tokens) or more implements a method `reads`.
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
class _Scales(Protocol):
    def picture_size(self) -> Size | None: ...


def sent_size(agent: Agent) -> tuple[int, int] | None:
    """Return the size in which an agent sends its model the screenshot; `None` leaves it as it is.

    An agent that scales the screenshot itself implements a method `picture_size`.
    """
    return agent.picture_size() if isinstance(agent, _Scales) else agent.wants.size


@runtime_checkable
class _Closeable(Protocol):
    async def close(self) -> None: ...


async def close_agent(agent: Agent) -> None:
    """Release what an agent holds, such as a process or connections."""
    if isinstance(agent, _Closeable):
        await agent.close()
