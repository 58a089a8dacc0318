"""Small parts that play in episodes: an agent that follows a script, a scene of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from trueline.actions import Action
from trueline.agents.types import AgentContext
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import Settled, WindowShown
from trueline.records import (
    ActionResult,
    EpisodeWriter,
    Feedback,
    Funnel,
    Observation,
    ObservationSpec,
    Proposal,
    TaskRef,
)
from trueline.records.end import End
from trueline.records.events import Started
from trueline.runs.types import Scored
from trueline.tasks.errors import CheckerError, SetupError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
Answer = tuple[Action, ...] | Exception


@dataclass
class ScriptedAgent:
    """Proposes what its script says, one entry a turn; an exception in it is raised."""

    script: Sequence[Answer]
    revisions: Sequence[Answer] = ()
    wants: ObservationSpec = field(default_factory=ObservationSpec)
    heard: list[tuple[ActionResult, ...]] = field(default_factory=list[tuple[ActionResult, ...]])
    rejected: list[Feedback] = field(default_factory=list[Feedback])
    contexts: list[AgentContext] = field(default_factory=list[AgentContext])

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
        return Proposal(id=f"p{self._count}", actions=answer)


@dataclass
class FileScene:
    """Mousepad is open; the task is done when a file of the home folder holds a text."""

    desktop: LocalDesktop
    path: str = "note.txt"
    wanted: str = "hello"
    broken: str = ""
    """Which part fails: `setup` or `check`."""
    prepared: int = 0
    shown: list[int] = field(default_factory=list[int])
    wishes: list[tuple[int, bool]] = field(default_factory=list[tuple[int, bool]])

    async def prepare(self) -> None:
        self.prepared += 1
        if self.broken == "setup":
            raise SetupError("launch: no such program")
        await self.desktop.put(self.path, b"")
        await self.desktop.launch(("mousepad", f"/home/user/{self.path}"))
        await self.desktop.wait_for(WindowShown(app="mousepad"))
        await self.desktop.wait_for(Settled())

    def seen(self, step: int, observation: Observation) -> None:
        self.shown.append(step)

    def proposed(self, step: int, proposal: Proposal, *, ran: bool) -> None:
        self.wishes.append((step, ran))

    async def check(self, *, failed: bool) -> Scored:
        if self.broken == "check":
            raise CheckerError("the file could not be parsed")
        text = (await self.desktop.get(self.path)).decode()
        return Scored(0.0 if failed else float(text.strip() == self.wanted))

    async def funnel(self, end: End, scored: Scored) -> Funnel | None:
        return None


def begin(folder: Path) -> EpisodeWriter:
    """Open the record of an episode."""
    started = Started(time=NOW, task=TaskRef(domain="os", id="note"), instruction="Write hello into the note.")
    return EpisodeWriter(folder / "note", started)
