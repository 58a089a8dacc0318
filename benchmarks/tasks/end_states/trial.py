"""One task: the score of the untouched desktop, and that of its end state."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from registry import has_end_state, reach
from session import NotReached, Session
from stand_ins import Unmade, make, stand_ins

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.types import DesktopLost
from trueline.errors import TruelineError
from trueline.runs.task_on_desktop import TaskOnDesktop
from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.open import WEB_PORT
from trueline.tasks.attacks.sinks.web import serve_web
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.checkers import scored_by
from trueline.tasks.downloads import Downloads
from trueline.tasks.errors import CheckerError, SetupError
from trueline.tasks.facilities import local_facilities
from trueline.tasks.mirror import FolderMirror
from trueline.tasks.model import Evaluator
from trueline.tasks.model.evaluator import INFEASIBLE, checks
from trueline.tasks.root import needs_root
from trueline.tasks.suite import SuiteTask
from trueline.tasks.support import unsupported
from trueline.tasks.workspace import Workspace

_SAVES = re.compile(r"""hotkey\(\W*ctrl\W+s\W*\)""")
_KEYS = re.compile(r"\b(hotkey|press|write|typewrite|click)\(")
_LIMIT = 420.0
"""Seconds for one set-up with its end state and score."""


@dataclass(frozen=True)
class Trial:
    """What came of one task."""

    domain: str
    task: str
    scorer: str = ""
    """`native` or `bridged`."""
    untouched: float | None = None
    score: float | None = None
    why: str = ""
    """Why there is no score of 1."""
    seconds: float = 0.0

    @property
    def proves(self) -> bool:
        """Whether the end state scores 1 and the untouched desktop does not."""
        return self.score == 1 and self.untouched is not None and self.untouched < 1

    def row(self) -> dict[str, object]:
        return asdict(self)


def leaves_nothing(evaluator: Evaluator) -> bool:
    """Whether its own steps and getters type nothing and press no keys but those that save."""
    if any(getter.type == "vscode_config" for getter in evaluator.getters):
        return False
    return not any(
        _KEYS.search(_SAVES.sub("", step.model_dump_json())) for step in evaluator.postconfig if step.type != "download"
    )


class Trials:
    """Runs tasks one after the other on one local desktop, reset before each use."""

    def __init__(self, desktop: LocalDesktop, bridge: Bridge, folder: Path) -> None:
        self._desktop, self._bridge, self._folder = desktop, bridge, folder
        self._mirror, self._made = folder / "stand-ins", folder / "made"
        for needed in (self._mirror, self._made):
            needed.mkdir(parents=True, exist_ok=True)

    async def run(self, task: SuiteTask) -> Trial:
        """Score the untouched desktop, then the end state."""
        began = time.monotonic()
        evaluator = task.task.evaluator
        found = Trial(task.ref.domain, task.task.id, scored_by(evaluator))
        if evaluator.func == INFEASIBLE:
            return replace(found, why="infeasible")
        if not has_end_state(task.task.id, checks(evaluator), evaluator.conj):
            return replace(found, why="no end state is written for it")
        reasons = unsupported(task.task, local_facilities())
        try:
            make(stand_ins(task.task), self._mirror)
            found = await self._score(task, found, keep_desktop=leaves_nothing(evaluator))
        except (CheckerError, SetupError, NotReached, Unmade, DesktopLost, TruelineError, TimeoutError) as error:
            note = f"{type(error).__name__}: {error}"[:400]
            found = replace(found, why="; ".join((note, *reasons)))
        return replace(found, seconds=round(time.monotonic() - began, 1))

    async def _score(self, task: SuiteTask, found: Trial, *, keep_desktop: bool) -> Trial:
        """The two scores; on one desktop if the evaluator's own steps leave nothing that matters."""
        async with asyncio.timeout(_LIMIT):
            async with self._set_up(task) as (playing, session):
                checked = await playing.check(failed=False)
                found = replace(found, untouched=checked.score, scorer=checked.scored_by)
                if keep_desktop:
                    return await self._finish(playing, session, found)
        async with asyncio.timeout(_LIMIT), self._set_up(task) as (playing, session):
            return await self._finish(playing, session, found)

    async def _finish(self, playing: TaskOnDesktop, session: Session, found: Trial) -> Trial:
        try:
            await reach(session)
        except (NotReached, TruelineError) as error:
            return replace(found, why=f"{type(error).__name__}: {error}"[:400])
        checked = await playing.check(failed=False)
        why = "" if checked.score == 1 else checked.checks[0].detail[:400]
        if checked.score == 1 and found.untouched == 1:
            why = "the untouched desktop scores 1"
        return replace(found, score=checked.score, why=why)

    @asynccontextmanager
    async def _set_up(self, task: SuiteTask) -> AsyncGenerator[tuple[TaskOnDesktop, Session]]:
        """A fresh desktop after the task's set-up."""
        self._desktop.grant_root(needs_root(task.task))
        await self._desktop.reset()
        downloads = Downloads(self._folder / "downloads", offline=True, mirror=FolderMirror(self._mirror))
        workspace = Workspace(self._desktop, downloads)
        async with TaskOnDesktop(task.task, workspace, bridge=self._bridge) as playing:
            await playing.prepare()
            # A stand-in for all sites that are called without encryption: a short page at every address.
            web = serve_web(await self._desktop.listen(WEB_PORT), SinkLog(), {})
            # The set-up's outputs are in a workspace of their own; an end state needs none of them.
            with web:
                yield playing, Session(task.task, workspace, self._made)


@asynccontextmanager
async def open_trials(folder: Path) -> AsyncGenerator[Trials]:
    """A desktop and a worker for OSWorld's functions."""
    options = LocalOptions(nameserver=True, sudo_password="password")
    async with LocalDesktop(options) as desktop, Bridge() as bridge:
        yield Trials(desktop, bridge, folder)
