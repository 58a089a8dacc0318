"""Any machine that speaks OSWorld's protocol, behind the contract of `desktop.types`."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
import uuid
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from trueline.actions import Action, CallUser, Code, Done, EncodeError, Fail, Screenshot, Wait, Zoom, bare
from trueline.desktop.osworld import untrusted_answers
from trueline.desktop.osworld.address import Address, parse_address
from trueline.desktop.osworld.http import Http, Patience
from trueline.desktop.osworld.machine import COMMAND_SECONDS, Executed, Machine, capabilities_of
from trueline.desktop.osworld.requests import action_command, launch_command, run_command
from trueline.desktop.osworld.waiting import file_exists, wait_until_answering, wait_until_settled, window_shown
from trueline.desktop.osworld.windows import LIST, parse_windows
from trueline.desktop.perturbations.model import Applied
from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    Capability,
    Change,
    CommandResult,
    Condition,
    DesktopError,
    DesktopLost,
    FileExists,
    NotSupported,
    PathRefused,
    Recording,
    Settled,
    Window,
)
from trueline.errors import InputError, TruelineError
from trueline.records import ActionResult, Observation, ObservationSpec
from trueline.records.tree import marks
from trueline.text import printable

TOKEN_VARIABLE = "TRUELINE_DESKTOP_TOKEN"  # noqa: S105 (the name of a variable)
_KILLED = (-9, 124, 137)
"""How a command ends that `timeout` killed."""


class OSWorldDesktop:
    """A remote machine. Entering queries it; leaving closes the connections and leaves it running."""

    def __init__(self, address: Address | str, *, token: str | None = None, patience: Patience | None = None) -> None:
        """Set it up.

        Args:
            address: `host[:5000[:9222:8006:8080]]`.
            token: What the server asks for; by default that of $TRUELINE_DESKTOP_TOKEN. It is shown nowhere.
            patience: How long and how often the machine is asked.
        """
        self.address = parse_address(address) if isinstance(address, str) else address
        self.capabilities: frozenset[Capability] = frozenset()
        self._token = token or os.environ.get(TOKEN_VARIABLE)
        self._patience = patience or Patience()
        self._machine: Machine | None = None
        self._ours = False
        self.perturbation: Applied | None = None
        """The perturbation applied by our own server."""
        self._home = ""
        self._acts: dict[str, tuple[Action, asyncio.Task[ActionResult]]] = {}
        self._start = uuid.uuid4().hex
        """Identifies this start of the desktop, so that action ids of other clients or starts do not collide."""

    async def __aenter__(self) -> Self:
        self._machine = Machine(Http(self.address.url(self.address.server), self._token, self._patience))
        try:
            hello = await self._connected.hello()
            if (platform := await self._connected.platform()) != "Linux":
                raise NotSupported(f"{self.address.host}: runs {platform[:40]!r}; only Linux machines are driven")
            self._ours, self.perturbation = hello is not None, hello.perturbation if hello else None
            self._home = (await self._connected.ask(("sh", "-c", 'printf %s "$HOME"'))).output
        except BaseException:
            await self.__aexit__()
            raise
        devtools = {Capability.CDP} if self.address.chromium else set[Capability]()
        self.capabilities = capabilities_of(hello) | devtools
        return self

    async def __aexit__(self, *exc: object) -> None:
        machine, self._machine = self._machine, None
        tasks = [task for _, task in self._acts.values()]
        if unfinished := [task for task in tasks if not task.done()]:
            for task in unfinished:
                task.cancel()
            await asyncio.wait(unfinished)
        for task in tasks:
            if not task.cancelled():
                task.exception()  # seen: whoever asked has it
        if machine is not None:
            await machine.close()

    @property
    def ours(self) -> bool:
        """Whether `trueline desktop serve` serves it, with Trueline's own desktop behind; known once it is entered."""
        return self._ours

    @property
    def _connected(self) -> Machine:
        if self._machine is None:
            raise DesktopLost("the desktop is not connected: use it in `async with`")
        return self._machine

    async def observe(self, want: ObservationSpec) -> Observation:
        """Look at the screen once; picture and tree are asked for at the same time."""
        if want.ocr:
            raise NotSupported("the machine does not read text from screenshots; observe the accessibility tree")
        machine = self._connected
        at = datetime.now(UTC)
        seen, read, screen = await asyncio.gather(
            machine.screenshot() if want.screenshot or want.marks else _do_nothing(),
            machine.tree() if want.tree or want.marks else _do_nothing(),
            machine.screen_size() if not want.screenshot and not want.marks else _do_nothing(),
        )
        png, screen = seen if seen is not None else (None, screen)
        tree, partial = read if read is not None else (None, False)
        found = await asyncio.to_thread(marks, tree, png) if want.marks and tree is not None else ()
        if png is not None and want.size is not None:
            png = await asyncio.to_thread(untrusted_answers.scaled, png, want.size)
        return Observation(
            at,
            png if want.screenshot else None,
            tree if want.tree else None,
            "whole" if want.tree and tree is not None else None,
            tuple(found),
            screen=screen,
            partial=partial,
        )

    async def act(self, action: Action, *, id: str) -> ActionResult:
        """Do one action, at most once per id: it is sent once, even if the answer is lost.

        Raises:
            InputError: The id stands for another action.
        """
        if id not in self._acts:
            self._acts[id] = (action, asyncio.create_task(self._act(action, id)))
        first, task = self._acts[id]
        if bare(first) != bare(action):
            raise InputError(f"action id {printable(id)}: it was used for another action")
        return await asyncio.shield(task)

    async def _act(self, action: Action, id: str) -> ActionResult:
        began, at = time.monotonic(), datetime.now(UTC)
        done: Executed | None = None
        output: str | None = None
        error: str | None = None
        returncode: int | None = None
        match action:
            case Done() | Fail() | CallUser() | Screenshot() | Zoom():
                pass  # nothing to do here: the loop ends or looks
            case Wait():
                await asyncio.sleep((action.seconds or 0.0) + action.pause_after)
            case _:
                try:
                    done = await self._connected.execute(
                        action_command(action, any_text=self._ours), id=self._wire_id(id)
                    )
                except EncodeError as refused:
                    error = str(refused)
        if done is not None and isinstance(action, Code):
            output, returncode = done.output + done.error, done.returncode
            error = f"the code ended with {returncode}" if returncode else None
        elif done is not None:
            output = done.output.strip() or None
            last = done.error.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
            error = last[0] if done.returncode else None
        return ActionResult(
            action=action,
            id=id,
            time=at,
            output=output,
            error=error,
            returncode=returncode,
            duration=time.monotonic() - began,
        )

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: bytes = b"",
        time_limit: float = 30.0,
    ) -> CommandResult:
        """Run a program there and wait for its end; at most 120 s. Output that is not UTF-8 does not come whole."""
        seconds = min(time_limit, COMMAND_SECONDS)
        folder = os.path.join(self._home, cwd or "")
        given = f"/tmp/stdin-{uuid.uuid4().hex}" if stdin else None  # noqa: S108 - on the machine
        command = run_command(argv, env=env or {}, cwd=folder, stdin=given, seconds=seconds)
        if given is not None:
            with _sent_once():
                await self._connected.upload(given, stdin)
        began = time.monotonic()
        try:
            with _sent_once():
                done = await self._connected.execute(command, seconds)
        finally:
            if given is not None:
                with suppress(TruelineError):
                    await self._connected.ask(("rm", "-f", given))
        took = time.monotonic() - began
        if done.returncode in _KILLED and took >= seconds:
            raise ActionTimeout(f"{argv[0]}: did not end within {seconds:g} s and was killed")
        if done.returncode == 127 and argv[0] in done.error and "No such file" in done.error:
            raise DesktopError(f"{argv[0]}: cannot be started on the machine: No such file or directory")
        return CommandResult(done.returncode, done.output.encode(), done.error.encode(), done.truncated, took)

    async def put(self, path: str, content: bytes | Path, *, mode: int = 0o644) -> None:
        """Write a file there, making its folders."""
        whole = self._path(path)
        data = content if isinstance(content, bytes) else await _content(content)
        with _sent_once():
            await self._connected.upload(whole, data)
            done = await self._connected.execute(("chmod", f"{mode:o}", whole)) if mode != 0o644 else None
        if done is not None and done.returncode:
            raise PathRefused(f"{path}: its mode cannot be set to {mode:o}")

    async def get(self, path: str, *, limit: int = 64 << 20) -> bytes:
        """Read a plain file there."""
        return await self._connected.file(self._path(path), limit)

    async def launch(self, argv: tuple[str, ...], *, env: Mapping[str, str] | None = None) -> int:
        """Start a program there and leave it running; return its process id."""
        with _sent_once():
            done = await self._connected.execute(launch_command(argv, env=env or {}, cwd=self._home))
        if done.returncode or not done.output.strip().isdigit():
            raise DesktopError(f"{argv[0]}: cannot be started on the machine")
        return int(done.output)

    async def windows(self) -> tuple[Window, ...]:
        """The windows there are, the lowest first."""
        if self._ours:
            return await self._connected.windows()
        listed = await self._connected.ask(LIST)
        if listed.returncode:
            raise NotSupported(f"{self.address.host}: cannot list its windows: it lacks wmctrl or xprop")
        return parse_windows(listed.output)

    async def wait_for(self, condition: Condition, *, time_limit: float = 10.0) -> Window | None:
        """Wait until a condition holds."""
        try:
            async with asyncio.timeout(time_limit):
                match condition:
                    case Settled():
                        return await wait_until_settled(self._connected, condition.quiet)
                    case FileExists():
                        return await file_exists(self._connected, self._path(condition.path))
                    case _:
                        return await window_shown(self.windows, condition)
        except TimeoutError as error:
            if isinstance(condition, Settled):
                return None
            raise ActionTimeout(f"{condition} did not hold within {time_limit:g} s") from error

    async def diff(self) -> tuple[Change, ...]:
        """What changed in the home folder since the start; only our own server knows."""
        self._need(Capability.DIFF)
        return await self._connected.changes()

    def record(self, target: Path, *, fps: float = 5.0) -> AbstractAsyncContextManager[Recording]:
        """Record the screen into an MP4 while the block runs; the server chooses how many pictures a second."""
        del fps
        return self._record(target)

    @asynccontextmanager
    async def _record(self, target: Path) -> AsyncGenerator[Recording]:
        self._need(Capability.RECORD)
        await self._connected.start_recording()
        recording, began = Recording(), time.monotonic()
        try:
            yield recording
        finally:
            film = await self._connected.end_recording()
            await asyncio.to_thread(target.write_bytes, film)
            recording.seconds, recording.video = time.monotonic() - began, target

    async def reset(self) -> None:
        """Discard everything and start again; only our own server can. Waits for a server that is down.

        Raises:
            NotSupported: It is not our own.
        """
        if Capability.RESET not in self.capabilities:
            raise NotSupported(
                f"{self.address.host}: cannot be reset from here: revert it yourself, then rerun the same command"
            )
        await wait_until_answering(self._connected, self._patience.back)
        with _sent_once():
            await self._connected.reset()
        self._acts, self._start = {}, uuid.uuid4().hex

    def _wire_id(self, id: str) -> str:
        return hashlib.sha256(f"{self._start} {id}".encode("utf-8", "surrogatepass")).hexdigest()

    def _need(self, capability: Capability) -> None:
        if capability not in self.capabilities:
            raise NotSupported(f"{self.address.host}: has no {capability.value}; see its capabilities")

    def _path(self, path: str) -> str:
        if not path or "\0" in path:
            raise PathRefused(f"{path!r}: not a path")
        return os.path.join(self._home, path.removeprefix("~/"))


@contextmanager
def _sent_once() -> Generator[None]:
    """Turn a lost answer of a set-up or check into DesktopLost: its state is unknown, only a reset helps."""
    try:
        yield
    except ActionInterrupted as error:
        raise DesktopLost(str(error)) from error


async def _do_nothing() -> None:
    return None


async def _content(path: Path) -> bytes:
    return await asyncio.to_thread(path.read_bytes)
