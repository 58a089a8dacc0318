"""Eyes and hands of a running desktop: its screen, its accessibility tree, its keyboard and mouse, its code worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueline.actions import Action, CallUser, Code, Done, Fail, Screenshot, Wait, Zoom
from trueline.desktop.accessibility import Accessibility, Bus, accessibility_address
from trueline.desktop.input.execute import ActionRefused, Pointing
from trueline.desktop.local import commands
from trueline.desktop.local.argv import DISPLAY, INSIDE, SYSTEM_PYTHON
from trueline.desktop.local.commands import Command
from trueline.desktop.local.identity import RUNTIME, UID
from trueline.desktop.local.install import WORKER
from trueline.desktop.local.running import POLL, connect_x
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.screen import Framebuffer, ScreenError, encode, scaled
from trueline.desktop.types import ActionTimeout, DesktopError, DesktopLost, NotSupported
from trueline.desktop.worker import WorkerClient
from trueline.records import ActionResult, Observation, ObservationSpec
from trueline.records.tree import marks

CODE_LIMIT = 30.0
"""Seconds a piece of action code may run."""
_WORKER_SOCKET = f"{RUNTIME}/worker.sock"
_WORKER_UP = 10.0
T = TypeVar("T")


class Senses:
    """What the host sees and does through connections of its own; each is used by one call at a time."""

    def __init__(self, sandbox: Sandbox, screen: Framebuffer, hands: Pointing, tree: Accessibility) -> None:
        """Take over the connections; call `open` instead."""
        self._sandbox = sandbox
        self._screen = screen
        self._hands = hands
        self._tree = tree
        self._worker: WorkerClient | None = None
        self._seeing, self._acting = asyncio.Lock(), asyncio.Lock()

    @classmethod
    async def open(cls, sandbox: Sandbox) -> Self:
        """Open everything early: applications keep an accessibility cache only for those who listen."""
        with ExitStack() as undo:
            screen = undo.enter_context(Framebuffer(sandbox.path("fb") / "Xvfb_screen0"))
            hands = undo.enter_context(closing(Pointing(await connect_x(sandbox))))
            session = await asyncio.to_thread(Bus, await sandbox.connect(path=f"{RUNTIME}/bus"), UID)
            with closing(session):
                address = await asyncio.to_thread(accessibility_address, session)
            path = address.removeprefix("unix:path=").split(",")[0]
            bus = await asyncio.to_thread(Bus, await sandbox.connect(path=path), UID)
            tree = await asyncio.to_thread(Accessibility, bus)
            undo.pop_all()
        return cls(sandbox, screen, hands, tree)

    async def observe(self, want: ObservationSpec) -> Observation:
        """Look once.

        Raises:
            NotSupported: OCR is wanted.
        """
        if want.ocr:
            raise NotSupported("the local desktop reads no text from pictures; ask for the tree")
        async with self._seeing:
            return await self._thread(lambda: self._observe(want))

    def _observe(self, want: ObservationSpec) -> Observation:
        png = None
        if want.screenshot:
            frame = self._screen.read()
            png = encode(frame if want.size is None else scaled(frame, want.size))
        tree = self._tree.read().tree if want.tree or want.marks else None
        found = marks(tree, png) if want.marks and tree is not None else ()
        return Observation(datetime.now(UTC), png, tree if want.tree else None, found, screen=self._screen.size)

    async def settle(self, quiet: float, time_limit: float) -> None:
        """Return once the picture has not changed for `quiet` seconds, or the time is over."""
        end = time.monotonic() + time_limit
        before, since = await self._pixels(), time.monotonic()
        while (now := time.monotonic()) < end and now - since < quiet:
            await asyncio.sleep(POLL)
            after = await self._pixels()
            if not np.array_equal(before, after):
                before, since = after, time.monotonic()

    async def _pixels(self) -> NDArray[np.uint8]:
        async with self._seeing:
            return (await self._thread(self._screen.read)).pixels

    async def act(self, action: Action, id: str) -> ActionResult:
        """Do one action. What fails by its own doing is a result with an error."""
        began, at = time.monotonic(), datetime.now(UTC)
        output: str | None = None
        error: str | None = None
        code: int | None = None
        async with self._acting:
            match action:
                case Code():
                    code, output = await self._code(action)
                    error = None if code == 0 else f"the code ended with {code}"
                case Done() | Fail() | CallUser() | Screenshot() | Zoom():
                    pass  # nothing to do here: the loop ends or looks
                case Wait():
                    await asyncio.sleep((action.seconds or 0.0) + action.pause_after)
                case _:
                    try:
                        output = await self._thread(lambda: self._hands.do(action))
                    except ActionRefused as refused:
                        error = str(refused)
        return ActionResult(
            action=action,
            id=id,
            time=at,
            output=output,
            error=error,
            returncode=code,
            duration=time.monotonic() - began,
        )

    async def _code(self, action: Code) -> tuple[int, str]:
        if action.language == "bash":
            command = Command(("bash", "-c", action.source), {}, None)
            done = await commands.run(self._sandbox, command, b"", CODE_LIMIT)
            return done.returncode, done.text + done.stderr.decode("utf-8", "replace")
        worker = await self._ready_worker()
        try:
            result = await self._thread(lambda: worker.run(action.source, timeout=CODE_LIMIT))
        except DesktopError:
            self._drop_worker()
            raise
        if result.timeout:
            raise ActionTimeout(f"the code did not end within {CODE_LIMIT:g} s and was killed")
        return result.returncode, result.output

    async def _ready_worker(self) -> WorkerClient:
        """The worker inside, started when it is first needed or was killed."""
        if self._worker is None:
            argv = (SYSTEM_PYTHON, "-I", "-S", f"{INSIDE}/{WORKER}", _WORKER_SOCKET, DISPLAY)
            await commands.launch(self._sandbox, Command(argv, {}, None))
            end = time.monotonic() + _WORKER_UP
            while True:
                try:
                    sock = await self._sandbox.connect(path=_WORKER_SOCKET)
                    break
                except DesktopLost:
                    raise
                except DesktopError:
                    if time.monotonic() > end:
                        raise
                    await asyncio.sleep(POLL)
            self._worker = WorkerClient(lambda: sock)
        return self._worker

    def _drop_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    async def _thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except ScreenError as error:
            raise DesktopLost(f"{error}; reset the desktop") from error

    async def close(self) -> None:
        """Close all connections; who is looking looks to the end first."""
        self._drop_worker()
        self._hands.close()
        async with self._seeing:
            self._tree.close()
            self._screen.close()
