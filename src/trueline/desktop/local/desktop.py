"""The local desktop behind the contract of `desktop.types`."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from trueline.actions import Action, CallUser, Done, Fail, Screenshot, Wait, Zoom, bare
from trueline.desktop.local import commands, files, home_files
from trueline.desktop.local.change_log import LocalChangeLog
from trueline.desktop.local.commands import SandboxCommand
from trueline.desktop.local.controller import FRAMEBUFFER, Controller
from trueline.desktop.local.forwarding import display, forward
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.parts_watch import PartsWatch
from trueline.desktop.local.pool import Pool, start_running
from trueline.desktop.local.process_usage import is_launching, launch_time
from trueline.desktop.local.running import POLL, Running
from trueline.desktop.local.sinks import listen
from trueline.desktop.local.sudo import Sudo, SudoRequest
from trueline.desktop.recording import record
from trueline.desktop.screen import Box, Encoding
from trueline.desktop.settle import SettleRules, Settling
from trueline.desktop.types import (
    ActionTimeout,
    Capability,
    Change,
    CommandResult,
    Condition,
    DesktopLost,
    FileExists,
    HomeFile,
    PartDied,
    Recording,
    Settled,
    Window,
    WindowShown,
)
from trueline.errors import InputError
from trueline.records import ActionResult, Observation, ObservationSpec
from trueline.text import printable

_LATE = 1.0
"""Seconds an action gets to notice that its desktop is gone."""
_LATER = 0.1
"""Seconds that are waited longer while programs run: what was done may not show yet."""


@dataclass(frozen=True)
class _Act:
    """An action that was begun."""

    action: Action
    task: asyncio.Task[ActionResult]


@dataclass
class _Up:
    """One start of the desktop: its sandbox, its controller, and what was done there."""

    running: Running
    controller: Controller
    sudo: Sudo
    parts: PartsWatch
    dispatched: tuple[int, frozenset[int]] | None = None
    """When the last action was dispatched (`launch_time`), and the windows there were; `None` once it has settled."""
    acts: dict[str, _Act] = field(default_factory=dict[str, _Act])

    async def stop(self) -> None:
        """Stop it; calls in progress fail with DesktopLost."""
        self.parts.close()
        await self.running.stop()
        tasks = [act.task for act in self.acts.values()]
        if unfinished := [task for task in tasks if not task.done()]:
            _, late = await asyncio.wait(unfinished, timeout=_LATE)
            for task in late:
                task.cancel()
        for task in tasks:
            if task.done() and not task.cancelled():
                task.exception()  # seen: whoever asked has it
        await self.controller.close()
        await self.sudo.close()


async def _stop(up: _Up | None) -> None:
    if up is not None:
        await up.stop()


async def _launched(now: _Up) -> bool:
    """Whether the last action launched a program that has no window with the focus yet."""
    if now.dispatched is None:
        return False
    since, before = now.dispatched
    *_, active = (0, *await now.running.window_numbers())
    if active and active not in before:
        return False
    return await asyncio.to_thread(is_launching, now.running.sandbox.supervisor_pid, since)


class LocalDesktop:
    """A real desktop in a sandbox. Entering starts it, leaving stops it; one event loop uses it."""

    capabilities = frozenset(
        {
            Capability.DIFF,
            Capability.RESET,
            Capability.SINKS,
            Capability.RECORD,
            Capability.CDP,
            Capability.NETWORK_CONTROL,
        }
    )

    def __init__(self, options: LocalOptions | None = None, *, pool: Pool | None = None) -> None:
        """Set it up; with a pool, starting and resetting take a desktop that is already up, of the pool's options."""
        self.options = pool.options if pool is not None else options or LocalOptions()
        self._pool = pool
        self._up: _Up | None = None
        self._root = self.options.root

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start it.

        Raises:
            DesktopUnavailable: This machine cannot; the message names what is missing.
        """
        async with AsyncExitStack() as undo:
            # What waits in a pool was made with the pool's options.
            pool = self._pool if self._root == self.options.root else None
            running = await (start_running(replace(self.options, root=self._root)) if pool is None else pool.take())
            undo.push_async_callback(running.stop)
            sudo = await Sudo.open(running.sandbox)
            undo.push_async_callback(sudo.close)
            controller = await Controller.open(running.sandbox)
            sandbox = running.sandbox
            parts = PartsWatch(sandbox.supervisor_pid, sandbox.lose, sandbox.killed.__contains__)
            sandbox.on_end = parts.session_ended
            self._up = _Up(running, controller, sudo, parts)
            undo.pop_all()

    async def stop(self) -> None:
        """End it and everything in it; stopping twice is fine."""
        up, self._up = self._up, None
        await _stop(up)

    async def reset(self) -> None:
        """Discard everything and start again; also after the desktop was lost."""
        old, self._up = self._up, None
        stopping = asyncio.create_task(_stop(old))
        try:
            await self.start()
        finally:
            await stopping

    def grant_root(self, granted: bool) -> None:
        """Whether `sudo` makes its command root, from the next start or reset on; see `GrantsRoot`."""
        self._root = granted or self.options.root

    @property
    def running(self) -> Running:
        """What runs now.

        Raises:
            DesktopLost: It was not started, or stopped.
        """
        return self._started.running

    @property
    def _started(self) -> _Up:
        if self._up is None:
            raise DesktopLost("the desktop is not started")
        return self._up

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: bytes = b"",
        time_limit: float = 30.0,
    ) -> CommandResult:
        """Run a program inside and wait for its end; see `commands.run` for what it raises."""
        return await commands.run(self.running.sandbox, SandboxCommand(argv, env or {}, cwd), stdin, time_limit)

    async def observe(self, want: ObservationSpec) -> Observation:
        """Look at the screen once."""
        return await self._started.controller.observe(want)

    async def picture(
        self,
        box: Box | None = None,
        *,
        size: tuple[int, int] | None = None,
        encoding: Encoding = "png",
        quality: int = 85,
    ) -> bytes:
        """A picture of the screen or of a part of it, scaled to a size, as PNG, JPEG or WebP."""
        return await self._started.controller.picture(box, size, encoding, quality)

    async def act(self, action: Action, *, id: str, code_limit: float | None = None) -> ActionResult:
        """Do one action, at most once per id; the same id again gives the first result and does nothing.

        Code may take `code_limit` seconds, 120 unless told otherwise.

        Raises:
            InputError: The id stands for another action.
        """
        return await self._act(action, id, code_limit, None)

    async def act_in(self, action: Action, *, id: str, window: int) -> ActionResult:
        """Do one action, its keys only while a window has the keyboard; see `TiesKeyboard`."""
        return await self._act(action, id, None, window)

    async def _act(self, action: Action, id: str, code_limit: float | None, window: int | None) -> ActionResult:
        now = self._started
        if id not in now.acts:
            dispatched = self._dispatch(now, action, id, code_limit, window)
            now.acts[id] = _Act(action, asyncio.create_task(dispatched))
        done = now.acts[id]
        if bare(done.action) != bare(action):
            raise InputError(f"action id {printable(id)}: it was used for another action")
        # A caller that gives up does not stop the action: it may have begun, and the id stays used.
        return await asyncio.shield(done.task)

    async def _dispatch(
        self, now: _Up, action: Action, id: str, code_limit: float | None, window: int | None
    ) -> ActionResult:
        if not isinstance(action, Wait | Done | Fail | CallUser | Screenshot | Zoom):
            await now.parts.dispatch()
            now.dispatched = launch_time(), frozenset(await now.running.window_numbers())
        return await now.controller.act(action, id, code_limit, window)

    @property
    def died(self) -> PartDied | None:
        """The first part that died since it was first acted on; see `TellsDeaths`."""
        return None if self._up is None else self._up.parts.died

    def record(self, target: Path, *, fps: float = 5.0) -> AbstractAsyncContextManager[Recording]:
        """Record the screen into an MP4 while the block runs, over resets too; see `recording.record`."""
        return record(lambda: self.running.sandbox.path("fb") / FRAMEBUFFER, target, fps)

    async def launch(self, argv: tuple[str, ...], *, env: Mapping[str, str] | None = None) -> int:
        """Start a program inside and leave it running; return its process id inside."""
        return await commands.launch(self.running.sandbox, SandboxCommand(argv, env or {}, None))

    async def put(self, path: str, content: bytes | Path, *, mode: int = 0o644) -> None:
        """Write a file inside, making its folders. Raises PathRefused."""
        await files.put(self.running.sandbox, path, content, mode)

    async def get(self, path: str, *, limit: int = 64 << 20) -> bytes:
        """Read a plain file inside. Raises PathRefused."""
        return await files.get(self.running.sandbox, path, limit)

    async def windows(self) -> tuple[Window, ...]:
        """The windows there are, the lowest first."""
        return await self.running.windows()

    async def wait_for(self, condition: Condition, *, time_limit: float = 10.0) -> Window | None:
        """Wait until a condition holds. Raises ActionTimeout when it does not in time."""
        if isinstance(condition, Settled):
            await self.settle(condition, time_limit=time_limit)
            return None
        try:
            async with asyncio.timeout(time_limit):
                if isinstance(condition, FileExists):
                    return await self._file(condition.path)
                return await self._window(condition)
        except TimeoutError as error:
            raise ActionTimeout(f"{condition} did not hold within {time_limit:g} s") from error

    async def settle(self, condition: Settled | None = None, *, time_limit: float = 3.0) -> Settling:
        """Wait until the screen has come to rest, or the time is over, and say how it went."""
        quiet = (condition or Settled()).quiet
        rules = SettleRules(quiet, quiet + _LATER, time_limit)
        now = self._started
        settling = await now.controller.settle(rules, now.running.window_numbers, lambda: _launched(now))
        now.dispatched = None
        await now.parts.settled()
        return settling

    async def _file(self, path: str) -> None:
        while True:
            if await files.exists(self.running.sandbox, path):
                return
            await asyncio.sleep(POLL)

    async def _window(self, wanted: WindowShown) -> Window:
        known = {window.id for window in await self.windows()} if wanted.new else set[int]()
        while True:
            for window in reversed(await self.windows()):
                fits = wanted.title.lower() in window.title.lower() and wanted.app.lower() in window.app
                if fits and window.id not in known:
                    return window
            await asyncio.sleep(POLL)

    async def diff(self) -> tuple[Change, ...]:
        """What changed in the home folder since the start, sorted by path. Raises DesktopLost."""
        return await self.running.sandbox.changes()

    async def system_diff(self) -> tuple[Change, ...]:
        """What the root inside changed outside of the home folder, by whole paths; nothing where there is no root.

        Covered are `/etc`, `/usr`, `/opt`, `/var`, `/root`, `/run`, other homes, new folders at the top; also owners,
        permissions and file capabilities; not covered are `/tmp`, `/var/tmp` and `/dev/shm`. Raises DesktopLost.
        """
        return await self.running.sandbox.changes(system=True)

    async def open_change_log(self) -> LocalChangeLog:
        """Begin to log what changes; see `LogsChanges`. The caller closes it."""
        return await LocalChangeLog.open(self.running.sandbox)

    async def read_changed(self, paths: Sequence[str], *, limit: int) -> tuple[HomeFile, ...]:
        """Read files of the home folder from outside; see `ReadsHome`."""
        return await home_files.read(self.running.sandbox, paths, limit)

    async def digest_changed(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Digests of their content; see `ReadsHome`."""
        return await home_files.digests(self.running.sandbox, paths)

    @property
    def sudo_requests(self) -> Sequence[SudoRequest]:
        """Every call of `sudo` inside since the start, allowed or not. Nothing inside can change this list."""
        return self._started.sudo.requests

    @property
    def sudo_dropped(self) -> int:
        """How many more calls of `sudo` there were when the record was full; all of them were refused."""
        return self._started.sudo.dropped

    async def listen(self, port: int, *, udp: bool = False, address: str = "127.0.0.1") -> socket.socket:
        """Listen on the desktop's own loopback from outside; see `sinks.listen`."""
        return await listen(self.running.sandbox, port, udp=udp, address=address)

    async def connect(self, *, path: str | None = None, port: int | None = None) -> socket.socket:
        """Connect to a unix socket or a loopback port inside (a message bus, DevTools), without a port of the host."""
        return await self.running.sandbox.connect(path=path, port=port)

    def forward(self, port: int, *, at: int = 0) -> AbstractAsyncContextManager[int]:
        """A port of the host's loopback (`at`, or a free one) that leads to a port inside, over resets too."""
        return forward(lambda: self.connect(port=port), at)

    def display(self) -> AbstractAsyncContextManager[str]:
        """An X display of the host (`:60`) for this user's programs that leads here, while the block runs."""
        return display(self.running.sandbox)
