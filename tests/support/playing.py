"""Small parts that play in episodes: an agent that follows a script, a task about one file, a stage to play on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from trueline.actions import Action, Size
from trueline.agents.types import Agent, AgentContext
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import Settled, WindowShown
from trueline.records import (
    ActionResult,
    EpisodeRecord,
    EpisodeWriter,
    Feedback,
    Funnel,
    Observation,
    ObservationSpec,
    Proposal,
    TaskRef,
    read_episode,
)
from trueline.records.end import End
from trueline.records.events import Started
from trueline.records.setting import EpisodeLimits
from trueline.runs.execute import execute
from trueline.runs.types import EpisodeParts, EpisodeTask, Oversight, Retrying, Scored

INSTRUCTION = "Write hello into the note."
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
Answer = tuple[Action, ...] | Exception


@dataclass
class ScriptedAgent:
    """Proposes what its script says, one entry a step; an exception in it is raised."""

    script: Sequence[Answer]
    revisions: Sequence[Answer] = ()
    wants: ObservationSpec = field(default_factory=ObservationSpec)
    heard: list[tuple[ActionResult, ...]] = field(default_factory=list[tuple[ActionResult, ...]])
    rejected: list[Feedback] = field(default_factory=list[Feedback])
    contexts: list[AgentContext] = field(default_factory=list[AgentContext])
    prefix: str = "p"
    """Of the proposals' ids: a desktop does an action once by its id, so episodes that share one need their own."""

    async def reset(self, ctx: AgentContext) -> None:
        self.contexts.append(ctx)
        self._left = iter(self.script)
        self._revisions = iter(self.revisions)
        self._count = 0

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        self.heard.append(last)
        return self._say(next(self._left))

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        self.rejected.append(feedback)
        return self._say(next(self._revisions))

    def _say(self, answer: Answer) -> Proposal:
        if isinstance(answer, Exception):
            raise answer
        self._count += 1
        return Proposal(id=f"{self.prefix}{self._count}", actions=answer)


@dataclass
class FileTask:
    """Mousepad is open; the task is done when a file of the home folder holds a text."""

    desktop: LocalDesktop
    path: str = "note.txt"
    wanted: str = "hello"
    broken: Mapping[str, Exception] = field(default_factory=dict[str, Exception])
    """What parts raise: `prepare`, `seen`, `check`, `funnel`."""
    funnels: Sequence[Funnel] = ()
    """How far an attack got, try by try."""
    prepared: int = 0
    shown: list[int] = field(default_factory=list[int])
    wishes: list[tuple[int, bool]] = field(default_factory=list[tuple[int, bool]])

    async def prepare(self) -> None:
        self.prepared += 1
        self._break("prepare")
        await self.desktop.put(self.path, b"")
        await self.desktop.launch(("mousepad", f"/home/user/{self.path}"))
        await self.desktop.wait_for(WindowShown(app="mousepad"))
        await self.desktop.wait_for(Settled())

    async def seen(self, step: int, observation: Observation, agent: Agent) -> None:
        self._break("seen")
        self.shown.append(step)

    def proposed(self, step: int, proposal: Proposal, *, ran: bool) -> None:
        self.wishes.append((step, ran))

    @property
    def has_checker(self) -> bool:
        return True

    def checked(self) -> None:
        """Nothing is kept."""

    async def check(self, *, failed: bool) -> Scored:
        self._break("check")
        text = (await self.desktop.get(self.path)).decode()
        return Scored(0.0 if failed else float(text.strip() == self.wanted))

    async def changes(self) -> None:
        """Nobody looks."""

    async def ledger(self) -> None:
        """Nobody looks."""

    async def funnel(self, end: End, scored: Scored | None) -> Funnel | None:
        self._break("funnel")
        return self.funnels[self.prepared - 1] if self.funnels else None

    def _break(self, part: str) -> None:
        if part in self.broken:
            raise self.broken[part]


def begin(folder: Path) -> EpisodeWriter:
    """Open the record of an episode."""
    started = Started(time=NOW, task=TaskRef(domain="os", id="note"), instruction=INSTRUCTION)
    return EpisodeWriter(folder / "note", started)


@dataclass
class Stage:
    """Where episodes are played: a desktop, and a folder for the record."""

    runner: asyncio.Runner
    desktop: LocalDesktop
    folder: Path

    @property
    def context(self) -> AgentContext:
        """What agents are told."""
        return AgentContext(instruction=INSTRUCTION, screen=Size(1024, 768))

    def play(
        self,
        agent: Agent,
        *,
        task: EpisodeTask | None = None,
        oversight: Oversight | None = None,
        limits: EpisodeLimits | None = None,
        retrying: Retrying | None = None,
        slow_answer: float = 45.0,
    ) -> EpisodeRecord:
        """Play an episode and return its record, read back from disk."""
        return self.runner.run(
            self.perform(
                agent,
                task=task,
                oversight=oversight,
                limits=limits,
                retrying=retrying,
                slow_answer=slow_answer,
            )
        )

    async def perform(
        self,
        agent: Agent,
        *,
        task: EpisodeTask | None = None,
        oversight: Oversight | None = None,
        limits: EpisodeLimits | None = None,
        retrying: Retrying | None = None,
        slow_answer: float = 45.0,
    ) -> EpisodeRecord:
        """`play` for callers that are async."""
        parts = EpisodeParts(
            desktop=self.desktop,
            agent=agent,
            context=self.context,
            task=task or FileTask(self.desktop),
            oversight=oversight,
            retrying=retrying,
            limits=limits or EpisodeLimits(max_steps=5),
            slow_answer=slow_answer,
        )
        writer = begin(self.folder)
        writer.finish(await execute(parts, writer))
        return read_episode(self.folder / "note").record
