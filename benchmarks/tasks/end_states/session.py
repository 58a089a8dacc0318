"""One task on a real desktop: what the scripted end states may do there."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stand_ins import FileWanted, make

from trueline.actions import Hotkey, Key, Type
from trueline.desktop.types import ActionTimeout, CommandResult, Desktop, FileExists, PathRefused, Settled, WindowShown
from trueline.tasks.model import Getter, Step, Task
from trueline.tasks.setup import run_steps
from trueline.tasks.workspace import Workspace, home_path

OFFICE, BROWSER, IMAGES, MAIL, PLAYER, EDITOR = "soffice.bin", "chromium", "gimp", "thunderbird", "vlc", "code"

_PAUSE = 0.2


class NotReached(Exception):
    """The end state could not be made."""


@dataclass(frozen=True)
class Session:
    """A desktop after a task's set-up."""

    task: Task
    workspace: Workspace
    folder: Path
    """Where further files are made."""

    @property
    def desktop(self) -> Desktop:
        return self.workspace.desktop

    async def run(self, script: str, *, time_limit: float = 90, check: bool = True, cwd: str = "/home/user") -> str:
        """What a line of bash prints; it must succeed unless `check` is off."""
        done = await self.call("/bin/bash", "-c", script, time_limit=time_limit, cwd=cwd)
        if check and done.returncode:
            raise NotReached(f"{script[:80]}: {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-200:]}")
        return done.text

    async def call(self, *argv: str, time_limit: float = 90, cwd: str = "/home/user") -> CommandResult:
        return await self.desktop.run(argv, time_limit=time_limit, cwd=cwd)

    async def until(self, script: str, *, time_limit: float = 30) -> None:
        """Wait until a line of bash succeeds."""
        end = time.monotonic() + time_limit
        while (await self.call("/bin/bash", "-c", script)).returncode:
            if time.monotonic() > end:
                raise NotReached(f"{script[:80]}: did not hold within {time_limit:g} s")
            await asyncio.sleep(_PAUSE)

    async def put(self, path: str, content: bytes | str) -> None:
        await self.desktop.put(home_path(path), content.encode() if isinstance(content, str) else content)

    async def get(self, path: str) -> bytes | None:
        try:
            return await self.desktop.get(home_path(path))
        except PathRefused:
            return None

    async def fetch(self, url: str) -> bytes:
        """The stand-in of an address."""
        return (await self.workspace.downloads.fetch(url)).read_bytes()

    def made(self, name: str, kind: str, seed: int, wants: dict[str, Any]) -> bytes:
        """A file made for this end state."""
        one = FileWanted(f"{uuid.uuid4().hex}-{name}", kind, seed, wants)
        make([one], self.folder)
        return (self.folder / one.name).read_bytes()

    async def keys(self, first: str, *others: str) -> None:
        """Press keys together, as the user would, and wait until the screen has settled."""
        await self._act(Hotkey(keys=(first, *others)) if others else Key(key=first))

    async def type(self, text: str) -> None:
        await self._act(Type(text=text))

    async def _act(self, action: Hotkey | Key | Type) -> None:
        result = await self.desktop.act(action, id=f"end-{uuid.uuid4()}")
        if result.error:
            raise NotReached(f"{action}: {result.error}")
        await self.desktop.wait_for(Settled())

    async def window(self, *, title: str = "", app: str = "", time_limit: float = 40) -> None:
        """Wait for a window."""
        try:
            await self.desktop.wait_for(WindowShown(title=title, app=app), time_limit=time_limit)
        except ActionTimeout as error:
            raise NotReached(f"no window {title or app}") from error

    async def raise_window(self, name: str) -> None:
        """Bring the window whose title or class holds this to the front."""
        await self.run(f"wmctrl -a '{name}' || wmctrl -x -a '{name}'")
        await self.desktop.wait_for(Settled())

    async def wait_for_file(self, path: str, time_limit: float = 30) -> None:
        try:
            await self.desktop.wait_for(FileExists(home_path(path)), time_limit=time_limit)
        except ActionTimeout as error:
            raise NotReached(f"{path} was not written") from error

    async def quit(self, program: str) -> None:
        """End an application that would write its own state over the one that is made."""
        pattern = f"[{program[0]}]{program[1:]}"
        await self.run(f"pkill -f '{pattern}'", check=False)
        try:
            await self.until(f"! pgrep -f '{pattern}'", time_limit=10)
        except NotReached:
            await self.run(f"pkill -KILL -f '{pattern}'", check=False)
        await self.desktop.wait_for(Settled())

    async def repeat(self, kinds: Sequence[str]) -> None:
        """Run the set-up's steps of these types again, such as the launch of its application."""
        steps: tuple[Step, ...] = tuple(step for step in self.task.config if step.type in kinds)
        await run_steps(steps, self.workspace)


def paths_of(getter: Getter) -> list[str]:
    """The paths that a getter of files names."""
    path: Any = (getter.model_extra or {}).get("path")
    return [path] if isinstance(path, str) else [str(one) for one in path or ()]


def rules_of(getter: Getter | None) -> Any:
    """The rules of an expected value."""
    return (getter.model_extra or {}).get("rules") if getter is not None else None
