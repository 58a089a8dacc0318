"""Eyes and hands of a running desktop: its screen, its accessibility tree, its keyboard and mouse, its code worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self, TypeVar

import numpy as np

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
from trueline.desktop.ocr import plain_text, shared_reader
from trueline.desktop.screen import Box, Encoding, Frame, Framebuffer, ScreenError, crop, encode, scaled
from trueline.desktop.settle import Decision, Restless, Rules, Settling, Watch
from trueline.desktop.types import ActionTimeout, DesktopError, DesktopLost
from trueline.desktop.worker import WorkerClient
from trueline.records import ActionResult, Observation, ObservationSpec
from trueline.records.tree import Mark, Tree, marks

CODE_LIMIT = 120.0
"""Seconds a piece of action code may run: what OSWorld's server gives it."""
FRAMEBUFFER = "Xvfb_screen0"
_WORKER_SOCKET = f"{RUNTIME}/worker.sock"
_WORKER_UP = 10.0
_LOOKS = 3
"""How often picture and tree are taken before a screen that never rests is shown as it is."""
T = TypeVar("T")


async def accessibility_bus(sandbox: Sandbox) -> Bus:
    """Connect to the sandbox's accessibility bus, which its session bus knows."""
    session = await asyncio.to_thread(Bus, await sandbox.connect(path=f"{RUNTIME}/bus"), UID)
    with closing(session):
        address = await asyncio.to_thread(accessibility_address, session)
    path = address.removeprefix("unix:path=").split(",")[0]
    return await asyncio.to_thread(Bus, await sandbox.connect(path=path), UID)


class Senses:
    """What the host sees and does through connections of its own; each is used by one call at a time."""

    def __init__(self, sandbox: Sandbox, screen: Framebuffer, hands: Pointing, tree: Accessibility) -> None:
        """Take over the connections; call `open` instead."""
        self._sandbox = sandbox
        self._screen = screen
        self._hands = hands
        self._tree = tree
        self._worker: WorkerClient | None = None
        self._restless = Restless()
        self._rows = screen.rows()
        self._seeing, self._acting = asyncio.Lock(), asyncio.Lock()

    @classmethod
    async def open(cls, sandbox: Sandbox) -> Self:
        """Open everything early: applications keep an accessibility cache only for those who listen."""
        with ExitStack() as undo:
            screen = undo.enter_context(Framebuffer(sandbox.path("fb") / FRAMEBUFFER))
            hands = undo.enter_context(closing(Pointing(await connect_x(sandbox))))
            tree = await asyncio.to_thread(Accessibility, await accessibility_bus(sandbox))
            undo.pop_all()
        return cls(sandbox, screen, hands, tree)

    async def observe(self, want: ObservationSpec) -> Observation:
        """Look once.

        Raises:
            MissingExtraError: Text from the picture is wanted and the extra for it is not installed.
        """
        async with self._seeing:
            seen, frame = await self._thread(lambda: self._observe(want))
        if want.ocr and frame is not None:
            text = await asyncio.to_thread(lambda: plain_text(shared_reader().read(frame)))
            return replace(seen, text=text)
        return seen

    def _observe(self, want: ObservationSpec) -> tuple[Observation, Frame | None]:
        frame, tree = self._look(want)
        png = None
        if frame is not None and want.screenshot:
            png = encode(frame if want.size is None else scaled(frame, want.size))
        found: tuple[Mark, ...] = ()
        if want.marks and tree is not None and frame is not None:
            found = marks(tree, png if png is not None and want.size is None else encode(frame))
        seen = Observation(datetime.now(UTC), png, tree if want.tree else None, found, screen=self._screen.size)
        return seen, frame

    def _look(self, want: ObservationSpec) -> tuple[Frame | None, Tree | None]:
        """Picture and tree of one moment: when the screen changed while the tree was read, both are taken again."""
        pictured, read = want.screenshot or want.marks or want.ocr, want.tree or want.marks
        # Text is read from the frame later, when the next one may already be here.
        rows = None if want.ocr else self._rows
        looks = 0
        while True:
            frame = self._screen.read(into=rows) if pictured else None
            tree = self._tree.read().tree if read else None
            looks += 1
            if frame is None or tree is None or looks == _LOOKS:
                return frame, tree
            if np.array_equal(frame.pixels, self._screen.read().pixels):
                return frame, tree

    async def picture(self, box: Box | None, size: tuple[int, int] | None, encoding: Encoding, quality: int) -> bytes:
        """A picture of the screen, or of a part of it, scaled and encoded as asked.

        Raises:
            ScreenError: Nothing of the box lies on the screen.
        """
        async with self._seeing:
            frame = await self._thread(self._screen.read)
        part = frame if box is None else crop(frame, box)
        whole = part if size is None else scaled(part, size)
        return await asyncio.to_thread(encode, whole, encoding, quality=quality)

    async def settle(self, rules: Rules, windows: Callable[[], Awaitable[Hashable]]) -> Settling:
        """Wait until the screen has come to rest; `windows` gives what differs when a window comes or goes."""
        async with self._seeing:
            watch = await self._thread(lambda: Watch(self._screen))
        decision = Decision(rules, self._restless, time.monotonic(), await windows())
        while True:
            async with self._seeing:
                changed = await self._thread(watch.look)
            now = time.monotonic()
            end = decision.see(now, changed, await windows())
            if end is not None:
                return end
            await asyncio.sleep(rules.poll)

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
