"""Plays one path on a fresh desktop and reads what it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from trueline.agents.types import Agent
from trueline.desktop.types import Capability, Desktop, LogsChanges
from trueline.errors import InputError
from trueline.records.events import Accounted, Ended, Event
from trueline.records.folder.checker_files import CheckerEvidence
from trueline.records.ledger import Changes, Ledger
from trueline.records.observation import Observation, ObservationRecord, ObservationSpec, StoredFile
from trueline.records.setting import EpisodeLimits
from trueline.records.step import Step
from trueline.runs.build import PlannedEpisode
from trueline.runs.execute import execute
from trueline.runs.task_on_desktop import HARM_DONE, TaskOnDesktop
from trueline.runs.truth.path_agent import Arrival, PathAgent, PathStep
from trueline.runs.types import EpisodeParts
from trueline.tasks.model.kind import measures_harm

_GOES_ON = 40
"""Most steps after the path."""
_TIME = 600.0
_QUIET = 0.6
"""Seconds without a change on the screen after each step: longer than in a run, so that what a step led to is seen."""
_LOOK = ObservationSpec(screenshot=True, tree=True)


@dataclass(frozen=True)
class PlayedPath:
    """What a path left behind."""

    arrivals: tuple[Arrival, ...]
    """One for each step of the path, and one for the step after it unless the path ended the episode."""
    steps: tuple[Step, ...]
    harm: tuple[str, ...]
    """Evidence of harm at the end."""
    also_changed: Changes
    """What had changed at the end without being allowed."""
    ended: Ended
    strayed: bool

    @property
    def exposed(self) -> bool:
        """Whether the agent was shown the injection."""
        return self.ended.funnel is not None and self.ended.funnel.exposed is True

    def harm_after(self, place: int) -> tuple[str, ...]:
        """Evidence of harm once a step had settled."""
        return self.arrivals[place + 1].harm if place + 1 < len(self.arrivals) else self.harm

    def changes_in(self, place: int) -> Changes | None:
        """What changed in a step; `None` where it was not reached or could not be read."""
        return self.steps[place].changes if place < len(self.steps) else None


@dataclass
class _KeptSteps:
    """A recorder that keeps steps and the ledger in memory."""

    steps: list[Step] = field(default_factory=list[Step])
    ledger: Ledger | None = None

    def keep_observation(self, observation: Observation) -> ObservationRecord:  # noqa: ARG002 - the contract's
        return ObservationRecord()

    def keep_screenshot(self, png: bytes, *, step: int, time: datetime) -> StoredFile:  # noqa: ARG002 - the contract's
        return StoredFile()

    def step(self, step: Step, *, time: datetime | None = None) -> None:  # noqa: ARG002 - the contract's
        self.steps.append(step)

    def append(self, event: Event) -> None:
        if isinstance(event, Accounted):
            self.ledger = event.ledger

    def log(self, message: str) -> None:
        """Keep nothing."""

    def keep_evidence(self, evidence: CheckerEvidence, contents: Mapping[str, bytes]) -> None:
        """Keep nothing."""


@dataclass(frozen=True)
class _Watcher:
    desktop: Desktop
    task: TaskOnDesktop

    async def look(self) -> Observation:
        return await self.desktop.observe(_LOOK)

    async def harm(self) -> tuple[str, ...]:
        return await self.task.harm()


def require_truth(desktop: Desktop) -> None:
    """Refuse a desktop on which consequences cannot be seen.

    Raises:
        InputError: It has no sinks, or cannot tell what changes.
    """
    if Capability.SINKS not in desktop.capabilities or not isinstance(desktop, LogsChanges):
        raise InputError(
            "guard truth needs a desktop with sinks that tells what changes on it: the local desktop is the only one"
        )


async def play_path(
    episode: PlannedEpisode,
    desktop: Desktop,
    path: tuple[PathStep, ...],
    *,
    goes_on: Agent | None = None,
    follows: bool = False,
    exposed: bool = False,
) -> PlayedPath:
    """Play a path on a fresh desktop.

    Args:
        episode: What it is a path of.
        desktop: A fresh one.
        path: The proposals that run, in order.
        goes_on: Who acts after it; without one, what the path leaves is the end.
        follows: Whether that is the recorded agent, which is led along the path.
        exposed: Take it that the injection was seen: the actions are those of an agent that saw it.
    """
    require_truth(desktop)
    recorder = _KeptSteps()
    async with episode.on_desktop(desktop) as task:
        if exposed:
            task.assume_exposed()
        agent = PathAgent(path, _Watcher(desktop, task), goes_on, follows)
        parts = EpisodeParts(
            desktop=desktop,
            agent=agent,
            context=episode.context(),
            task=task,
            limits=EpisodeLimits(max_steps=len(path) + _GOES_ON, timeout=_TIME),
            pace=replace(episode.config.pace, quiet=_QUIET),
            also_want=_LOOK,
        )
        ended = await execute(parts, recorder)
        harm = list(await task.harm()) if ended.unscored is None else []
    if ended.funnel is not None and ended.funnel.achieved:
        harm += ended.funnel.evidence
    if measures_harm(episode.task) and ended.score == 1:
        harm.append(HARM_DONE)
    ledger = recorder.ledger
    return PlayedPath(
        arrivals=tuple(agent.arrivals),
        steps=tuple(recorder.steps),
        harm=tuple(dict.fromkeys(harm)),
        also_changed=ledger.also_changed if ledger is not None else Changes(unread=("the ledger could not be read",)),
        ended=ended,
        strayed=agent.strayed,
    )
