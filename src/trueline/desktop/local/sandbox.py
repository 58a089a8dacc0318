"""One running sandbox: started, asked, stopped. What it is asked to do inside is done by its agent."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from pydantic import JsonValue

from trueline.desktop.local.argv import DISPLAY, Folders
from trueline.desktop.local.blocks import IdBlock, map_block, supervisor_owner, take_block
from trueline.desktop.local.checks import check_all, check_way_out
from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.diff import receive_changes
from trueline.desktop.local.groups import ControlGroups, make_groups
from trueline.desktop.local.install import install_programs
from trueline.desktop.local.janitor import Janitor
from trueline.desktop.local.link import Link, LinkAnswer, LinkMessage, close_all
from trueline.desktop.local.network import open_way_out
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.ownership import Owner, cache_folder, owner, work_place
from trueline.desktop.local.process import OOM_SCORE, StartedSupervisor, memory_files, plan, start_supervisor
from trueline.desktop.local.root import attach_at, root_mode, root_plan
from trueline.desktop.local.vs_code import vs_code_server
from trueline.desktop.types import ActionInterrupted, Change, DesktopError, DesktopLost, DesktopUnavailable
from trueline.errors import InputError
from trueline.text import printable

_STOP_LIMIT = 10.0


class Sandbox:
    """A sandbox from its start to its end; it is never started twice."""

    def __init__(
        self, options: LocalOptions, started: StartedSupervisor, folders: Folders, template: Path, block: IdBlock | None
    ) -> None:
        """Attach to a supervisor that was just started; call `start` instead."""
        self.options = options
        self.template = template
        self.ended: str = ""
        """The part with which it ended: `session`, `X server`, `time`; empty while it lives, or was stopped."""
        self.on_end: Callable[[str], None] | None = None
        """Called with the part when it ends by itself, or with `stopped`."""
        self.killed: set[int] = set()
        """Processes that the supervisor killed for their memory."""
        self.notes: list[str] = []
        """What the supervisor had to do: programs killed for memory, or for descriptors they kept on their way."""
        self._started = started
        self._folders = folders
        self.block = block
        """Its user ids; `None` where it shares one with the user's other desktops."""
        self._unshared: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._built: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._exits: dict[int, asyncio.Future[int]] = {}
        self._groups: ControlGroups | None = None
        self._way_out: Janitor | None = None
        self.supervisor = Link(started.control, "supervisor of the sandbox", self._on_supervisor)
        self.agent = Link(started.channel, "agent inside the sandbox", self._on_agent)

    @classmethod
    async def start(cls, options: LocalOptions, template: Path) -> Self:
        """Build a sandbox and wait until its agent answers and its X server runs.

        Raises:
            DesktopUnavailable: This machine cannot; the message says what is missing.
        """
        user, cache = owner(), cache_folder()
        if options.network == "open" and not (way := check_way_out(user)).ok:
            raise DesktopUnavailable(f"{way.name}: {way.detail}; {way.fix}")
        programs = await asyncio.to_thread(install_programs, cache, user)
        editor = vs_code_server()
        place = work_place(programs, template, *(() if editor is None else (editor,)))
        folders = Folders(place, None if editor is None else str(editor))
        mode = await asyncio.to_thread(root_mode, user) if options.root else None
        lock = await asyncio.to_thread(take_block, user) if options.own_ids else None
        block = None if lock is None else lock.block
        runs_as = supervisor_owner(user, block)
        try:
            attach, root = None, None
            if mode is not None and block is not None:
                place = work_place(programs, template, Path(folders.work))
                attach = attach_at(place, block) if mode == "mapped" else None
                root = await asyncio.to_thread(root_plan, options, folders, block, attach, cache)
            started = start_supervisor(programs, runs_as, lock, attach)
        finally:
            if lock is not None:
                lock.release()  # the supervisor holds it from here on
        self = cls(options, started, folders, template, block)
        try:
            async with asyncio.timeout(options.start_limit):
                await asyncio.to_thread(self._limit)
                await self._begin(
                    user, await asyncio.to_thread(plan, options, folders, programs, template, block, root)
                )
                if options.network == "open":
                    self._way_out = await open_way_out(runs_as, self.supervisor_pid)
        except TimeoutError as error:
            await self.stop()
            raise DesktopUnavailable(
                f"the sandbox did not start within {options.start_limit:g} s; see: trueline doctor"
            ) from error
        except DesktopLost as error:
            said = await asyncio.to_thread(self._error_output)
            await self.stop()
            raise DesktopUnavailable(await asyncio.to_thread(start_failure, f"{error}{said}")) from error
        except BaseException:
            await self.stop()
            raise
        return self

    def _limit(self) -> None:
        """Put the supervisor, which has started nothing yet, into control groups where that is allowed.

        What root says about the order in which programs are killed for their memory, nobody below can take back.
        """
        with suppress(OSError):
            Path(f"/proc/{self.supervisor_pid}/oom_score_adj").write_text(str(OOM_SCORE), "ascii")
        groups = make_groups(self.options.limits, memory_files(self.options))
        if groups is None:
            return
        try:
            groups.add(self.supervisor_pid)
            self._groups = groups
        except OSError:
            groups.finish()

    @property
    def limited_by(self) -> str:
        """What enforces its limits: `cgroup v1`, `cgroup v2`, or `rlimits` with the supervisor's watch."""
        return "rlimits" if self._groups is None else self._groups.kind

    def _error_output(self) -> str:
        """The error output of the supervisor, once it has ended."""
        process = self._started.process
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_LIMIT)
            if process.stderr is not None:
                return " " + _last_line(process.stderr.read(4000).decode("utf-8", "replace"))
        return ""

    async def _begin(self, user: Owner, built: dict[str, JsonValue]) -> None:
        await self._unshared
        if self.block is not None:
            await asyncio.to_thread(map_block, self.supervisor_pid, self.block, user)
        with suppress(DesktopLost):  # it ended at once: the wait below says why
            await self.supervisor.tell(built, [self._started.agent.fileno()])
        self._started.agent.close()
        await self._built
        await self._up

    def _on_supervisor(self, message: LinkMessage) -> None:
        match message.event:
            case "unshared":
                self._unshared.set_result(None)
            case "started":
                self._built.set_result(None)
            case "memory":
                mib = message.freed >> 20
                self.killed.update(message.pids)
                self.notes.append(f"{mib} MiB of programs were killed: all together held {message.total >> 20} MiB")
            case "descriptors":
                self.killed.update(message.pids)
                self.notes.append(f"a program was killed: it had {message.freed} descriptors in transit")
            case _:
                self.part_ended(message.part)
                self.lose(
                    printable(f"{message.part} ended: {_last_line(message.detail)}" if message.part else message.detail)
                )

    def _on_agent(self, message: LinkMessage) -> None:
        if message.event == "exit" and message.request is not None and message.returncode is not None:
            future = self._exits.pop(message.request, None)
            if future is not None and not future.done():
                future.set_result(message.returncode)
        elif message.event == "closed":
            self.part_ended("session")
            self.lose("the session inside ended")
        elif message.event == "ready":
            if self._up.done():
                self.agent.interrupt("the agent inside was killed; it was started again")
                self._fail_exits(ActionInterrupted("the agent inside was killed; what ran for it may still run"))
            else:
                self._up.set_result(None)

    def part_ended(self, part: str) -> None:
        """Note with which part it ended, unless that is known already."""
        if part and not self.ended:
            self.ended = part
            if self.on_end is not None:
                self.on_end(part)

    def lose(self, reason: str) -> None:
        """Note that the sandbox is gone: pending and later calls fail with DesktopLost."""
        for future in (self._unshared, self._built, self._up):
            _fail(future, DesktopLost(reason))
        self.agent.close(reason)
        self.supervisor.close(reason)
        self._fail_exits(DesktopLost(reason))

    def _fail_exits(self, error: DesktopError) -> None:
        for future in self._exits.values():
            _fail(future, error)
        self._exits.clear()

    def check(self) -> None:
        """Do nothing while the sandbox lives.

        Raises:
            DesktopLost: It is gone.
        """
        for link in (self.supervisor, self.agent):
            link.check()

    @property
    def supervisor_pid(self) -> int:
        """The process all of the sandbox's descend from."""
        return self._started.process.pid

    def path(self, name: str) -> Path:
        """A folder of the work area as the host sees it: `fb`, `disk/upper`."""
        return Path(f"/proc/{self.supervisor_pid}/root{self._folders.below(name)}")

    async def spawn(self, request: dict[str, JsonValue], fds: tuple[int, ...]) -> tuple[int, int, asyncio.Future[int]]:
        """Start a program inside; return the request's number, its process id inside and its end to come."""
        argv = request["argv"]
        return await self._start("spawn", str(argv[0] if isinstance(argv, list) else ""), request, fds)

    async def start_worker(self, connection: int) -> None:
        """Start the process inside that runs action code and speaks over a connected socket.

        Raises:
            DesktopError: It cannot be started.
        """
        await self._start("worker", "the worker", {"display": DISPLAY}, (connection,))

    async def _start(
        self, op: str, program: str, request: dict[str, JsonValue], fds: tuple[int, ...]
    ) -> tuple[int, int, asyncio.Future[int]]:
        number = self.agent.new_id()
        exit_: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._exits[number] = exit_
        try:
            answer = await self.agent.ask({**request, "op": op}, fds, number=number)
        except BaseException:
            self._exits.pop(number, None)
            raise
        if answer.message.pid is None:
            self._exits.pop(number, None)
            raise spawn_error(program, answer)
        return number, answer.message.pid, exit_

    async def connect(self, *, path: str | None = None, port: int | None = None) -> socket.socket:
        """Connect to a unix socket or a port of the loopback inside, as a program there would.

        Raises:
            InputError: No such port.
            DesktopError: Nobody listens there.
        """
        if port is not None and not 1 <= port <= 65535:
            raise InputError(f"port {port}: must be from 1 to 65535")
        where: dict[str, JsonValue] = {"port": port} if path is None else {"path": path}
        answer = await self.agent.ask({"op": "connect", **where})
        if answer.message.errno is not None:
            raise DesktopError(f"cannot connect to {path or port} inside: {answer.message.error}")
        fd = answer.fd()
        try:
            return socket.socket(fileno=fd)
        except OSError as error:
            os.close(fd)
            raise DesktopError(f"cannot connect to {path or port} inside: the answer is not a socket") from error

    async def changes(self, *, system: bool = False) -> tuple[Change, ...]:
        """What changed in the home folder since the start, or outside of it; see `diff.receive_changes`."""
        self.check()
        with needs_descriptors("diff of the desktop's files"):
            read, write = os.pipe2(os.O_CLOEXEC)
        try:
            answer = await self.supervisor.ask({"op": "system_changes" if system else "changes"}, [write])
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        close_all(answer.fds)
        return await asyncio.to_thread(receive_changes, read)

    async def stop(self) -> None:
        """Kill everything inside and wait until it is gone. Stopping twice is fine."""
        # Its end is our doing, whatever still runs in it; who stops it says so before it is seen to end.
        if self.on_end is not None and not self.ended:
            self.on_end("stopped")
        self.lose("the desktop was stopped")
        self._started.agent.close()
        process = self._started.process
        try:
            await asyncio.to_thread(process.wait, _STOP_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)
        if process.stderr is not None:
            process.stderr.close()
        for left in (self._way_out, self._groups):
            if left is not None:
                await asyncio.to_thread(left.finish)


def spawn_error(program: str, answer: LinkAnswer) -> DesktopError:
    """The error for a program that could not be started."""
    message = answer.message
    if message.errno == errno.EAGAIN:
        return DesktopError(f"{program}: the desktop's limit of processes is reached")
    return DesktopError(
        f"{program}: cannot be started inside: {message.error or os.strerror(message.errno or errno.EIO)}"
    )


def start_failure(reason: str) -> str:
    """Explain why a sandbox does not start: the first failed check of this machine, else the error."""
    for check in check_all():
        if check.needed and not check.ok:
            return f"no local desktop here: {check.name}: {check.detail}; {check.fix}"
    return f"the sandbox did not start: {reason.strip()}; see: trueline doctor"


def _fail(future: asyncio.Future[None] | asyncio.Future[int], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # seen: asyncio need not complain that nobody looked


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no word why"
