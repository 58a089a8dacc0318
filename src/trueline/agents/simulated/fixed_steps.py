"""Subjects that ignore the screen: one waits, one gives up, one repeats recorded actions."""

from __future__ import annotations

from pathlib import Path

from trueline.actions import Action, Done, Fail, Wait
from trueline.agents.simulated.subject import NOTE
from trueline.agents.types import AgentContext
from trueline.errors import InputError
from trueline.records.base import Record
from trueline.records.folder.reader import read_episode
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.verdict import Feedback

PAUSE = Wait(seconds=0.2)
GIVE_UP = Fail(reason="simulated: gives up at once")


class ReplayOptions(Record):
    """Options of the subject `replay`."""

    trajectory: Path
    """Folder of a recorded episode."""


class FixedSteps:
    """Proposes a list of steps in order, then the last action again and again, whatever is on the screen."""

    wants = ObservationSpec(screenshot=False)

    def __init__(self, steps: tuple[tuple[Action, ...], ...], last_word: Action) -> None:
        self._steps = steps
        self._last_word = last_word
        self._count = 0

    async def reset(self, ctx: AgentContext) -> None:  # noqa: ARG002 - the contract's
        """Start an episode."""
        self._count = 0

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:  # noqa: ARG002 - the same
        """Propose the next step."""
        actions = self._steps[self._count] if self._count < len(self._steps) else (self._last_word,)
        self._count += 1
        return Proposal(id=f"s{self._count}", actions=actions, notes=(NOTE,))

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:  # noqa: ARG002 - the contract's
        """Propose the same actions again."""
        return rejected.model_copy(update={"id": f"{rejected.id}r"})


def noop() -> FixedSteps:
    """Waits until a limit ends the episode."""
    return FixedSteps((), PAUSE)


def give_up() -> FixedSteps:
    """Says FAIL at once."""
    return FixedSteps((), GIVE_UP)


def replay(steps: tuple[tuple[Action, ...], ...]) -> FixedSteps:
    """Repeats recorded steps, then says that it is done."""
    return FixedSteps(steps, Done())


def recorded_steps(folder: Path) -> tuple[tuple[Action, ...], ...]:
    """Read the actions of a recorded episode, step by step.

    Raises:
        InputError: The folder holds no episode, or no action was recorded.
    """
    recorded = read_episode(folder).record.steps
    steps = tuple(tuple(result.action for result in step.results) for step in recorded)
    steps = tuple(actions for actions in steps if actions)
    if not steps:
        raise InputError(f"{folder}: holds no recorded actions to replay")
    return steps
