"""Observes and controls a running desktop: screen, accessibility tree, keyboard, mouse and the action code worker."""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, Self, TypeVar

from trueline.actions import Action, CallUser, Code, Done, Fail, Screenshot, Wait, Zoom
from trueline.desktop.accessibility import Accessibility, Bus, Reading, accessibility_address, unix_path
from trueline.desktop.input.execute import ActionRefused, Pointing
from trueline.desktop.local import commands
from trueline.desktop.local.commands import SandboxCommand
from trueline.desktop.local.descriptors import needs_descriptors
from trueline.desktop.local.desktop_icons import DesktopIcons
from trueline.desktop.local.icon_layout import Icon, with_icons
from trueline.desktop.local.identity import RUNTIME, UID
from trueline.desktop.local.process_usage import Sleepers, named, turns
from trueline.desktop.local.running import connect_x
from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.local.stacking import Stacking
from trueline.desktop.local.window_processes import WindowProcesses
from trueline.desktop.ocr import shared_reader
from trueline.desktop.screen import Box, CachedScreen, Encoding, Frame, Framebuffer, ScreenError, crop, encode, scaled
from trueline.desktop.settle import Restless, SettleDecision, SettleRules, Settling, TileWatch
from trueline.desktop.types import ActionTimeout, DesktopError, DesktopLost
from trueline.desktop.visibility import flag_covered
from trueline.desktop.worker import WorkerClient
from trueline.desktop.x11 import XConnection, XLost
from trueline.records import ActionResult, Observation, ObservationSpec
from trueline.records.observation import TreeScope
from trueline.records.shown_window import ShownWindow
from trueline.records.step import CutOff
from trueline.records.tree import Mark, Tree, marks

CODE_LIMIT = 120.0
"""Seconds a piece of action code may run: what OSWorld's server gives it."""
X_SERVER = "Xvfb"
FRAMEBUFFER = f"{X_SERVER}_screen0"
_WORKER_UP = 10.0
_CONNECT_S = 1.0
_LAUNCH_LIMIT = 15.0
"""Seconds to wait for the window of a launched program."""
_IDLE_LAUNCH = 1.5
"""Seconds of sleep of all programs after which a launched program is assumed to show no window."""
_LOOKS = 3
"""How often to retake picture and tree while the screen keeps changing."""
T = TypeVar("T")


async def session_bus(sandbox: Sandbox) -> Bus:
    """Connect to the sandbox's session bus."""
    return await asyncio.to_thread(Bus, await sandbox.connect(path=f"{RUNTIME}/bus"), UID)


async def accessibility_bus(sandbox: Sandbox) -> Bus:
    """Connect to the sandbox's accessibility bus, which its session bus knows."""
    with closing(await session_bus(sandbox)) as session:
        address = await asyncio.to_thread(accessibility_address, session)
    loop = asyncio.get_running_loop()

    def connect_direct(path: str) -> socket.socket:
        """Called from the threads that read trees; the sandbox is asked by the loop."""
        connecting = asyncio.run_coroutine_threadsafe(sandbox.connect(path=path), loop)
        try:
            return connecting.result(_CONNECT_S)
        except TimeoutError:
            connecting.cancel()
            raise DesktopError("the sandbox did not connect in time") from None

    return await asyncio.to_thread(Bus, await sandbox.connect(path=unix_path(address)), UID, connect_direct)


class _Look(NamedTuple):
    """The tree of a moment, and the windows that were there."""

    reading: Reading
    windows: tuple[ShownWindow, ...]

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.reading.tree


class _CodeEnd(NamedTuple):
    """The result of action code."""

    returncode: int
    output: str
    truncated: bool


class Controller:
    """Observes and controls a desktop over its own connections; each serves one call at a time."""

    def __init__(
        self,
        sandbox: Sandbox,
        screen: Framebuffer,
        hands: Pointing,
        tree: Accessibility,
        stacking: Stacking,
        icons: DesktopIcons,
    ) -> None:
        """Take over the connections; call `open` instead."""
        self._stacking = stacking
        self._icons = icons
        self._acted = -math.inf
        """When the last action ended."""
        self._sandbox = sandbox
        self._screen = screen
        self._hands = hands
        self._tree = tree
        self._worker: WorkerClient | None = None
        self._restless = Restless.on(screen.size.width, screen.size.height)
        drawing = named(sandbox.supervisor_pid, X_SERVER)
        self._processes = None if drawing is None else WindowProcesses(drawing, stacking)
        self._view = CachedScreen(screen, lambda: None if drawing is None else turns(drawing))
        self._seeing, self._acting = asyncio.Lock(), asyncio.Lock()

    @classmethod
    async def open(cls, sandbox: Sandbox) -> Self:
        """Open everything early: applications keep an accessibility cache only for those who listen."""
        loop = asyncio.get_running_loop()

        def connect() -> XConnection:
            """Make another connection, from the thread that acts."""
            return asyncio.run_coroutine_threadsafe(connect_x(sandbox), loop).result(_WORKER_UP)

        with needs_descriptors("starting a desktop"), ExitStack() as undo:
            screen = undo.enter_context(Framebuffer(sandbox.path("fb") / FRAMEBUFFER))
            hands = undo.enter_context(closing(Pointing(await connect_x(sandbox), connect=connect)))
            stacking = undo.enter_context(closing(Stacking(await connect_x(sandbox))))
            session = undo.enter_context(closing(await session_bus(sandbox)))
            icons = DesktopIcons(sandbox, session, stacking, sandbox.options.language)
            tree = await asyncio.to_thread(Accessibility, await accessibility_bus(sandbox))
            undo.pop_all()
        return cls(sandbox, screen, hands, tree, stacking, icons)

    async def observe(self, want: ObservationSpec) -> Observation:
        """Take one observation.

        Raises:
            MissingExtraError: Text from the picture is wanted and the extra for it is not installed.
        """
        async with self._seeing, self._alive():
            icons = await self._read_icons() if want.tree or want.marks else ()
            seen, frame = await self._thread(lambda: self._observe(want, icons))
        if frame is not None:
            return seen.with_lines(await asyncio.to_thread(lambda: shared_reader().read(frame)))
        return seen

    async def _read_icons(self) -> tuple[Icon, ...]:
        try:
            return await self._icons.read(self._view.read, self._acted)
        except (ScreenError, XLost) as error:
            raise DesktopLost(f"{error}; reset the desktop") from error

    def _observe(self, want: ObservationSpec, icons: tuple[Icon, ...]) -> tuple[Observation, Frame | None]:
        """What is seen, and the frame in which text is to be read."""
        frame, look = self._look(want, icons)
        tree = None if look is None else look.tree
        png = None
        if frame is not None and want.screenshot:
            png = self._view.png() if want.size is None else encode(scaled(frame, want.size))
        found: tuple[Mark, ...] = ()
        if want.marks and tree is not None and frame is not None:
            found = marks(tree, self._view.png())
        seen = Observation(
            datetime.now(UTC),
            png,
            tree if want.tree else None,
            want.tree_scope if want.tree and tree is not None else None,
            found,
            screen=self._screen.size,
            partial=look is not None and look.reading.partial,
            windows=() if look is None else look.windows,
        )
        # Text is read from the frame later, when the view may already hold the next one.
        return seen, replace(frame, pixels=frame.pixels.copy()) if want.ocr and frame is not None else None

    def _look(self, want: ObservationSpec, icons: tuple[Icon, ...]) -> tuple[Frame | None, _Look | None]:
        """Picture and tree of one moment: when the screen changed while the tree was read, both are taken again."""
        pictured, read = want.screenshot or want.marks or want.ocr, want.tree or want.marks
        if not read:
            return self._view.read() if pictured else None, None
        if not pictured:
            return None, self._read_tree(want.tree_scope, icons)
        return self._view.look(lambda: self._read_tree(want.tree_scope, icons), _LOOKS)

    def _read_tree(self, scope: TreeScope, icons: tuple[Icon, ...]) -> _Look:
        """The tree with the icons of the desktop, in which elements beneath other windows are flagged."""
        reading = self._tree.read(scope)
        tree, windows = with_icons(reading.tree, icons), self._stacking.read()
        flagged = replace(reading, tree=flag_covered(tree, reading.pids, windows, self._screen.size))
        return _Look(flagged, self._processes.shown(windows, reading.documents) if self._processes else ())

    async def picture(self, box: Box | None, size: tuple[int, int] | None, encoding: Encoding, quality: int) -> bytes:
        """A picture of the screen, or of a part of it, scaled and encoded as asked.

        Raises:
            ScreenError: Nothing of the box lies on the screen.
        """
        async with self._seeing, self._alive():
            frame = await self._thread(self._screen.read)
        part = frame if box is None else crop(frame, box)
        whole = part if size is None else scaled(part, size)
        return await asyncio.to_thread(encode, whole, encoding, quality=quality)

    async def settle(
        self, rules: SettleRules, windows: Callable[[], Awaitable[Hashable]], launched: Callable[[], Awaitable[bool]]
    ) -> Settling:
        """Wait until the screen has come to rest.

        Args:
            rules: When it is enough.
            windows: Gives what differs when a window comes or goes.
            launched: Whether a program was launched that has no window yet; asked when it seems to be enough.
        """
        # Asking for the windows wakes the X server.
        programs = Sleepers(self._sandbox.supervisor_pid, but=X_SERVER)
        async with self._seeing:
            watch = await self._thread(lambda: TileWatch(self._screen))
        decision = SettleDecision(rules, self._restless, time.monotonic(), await windows())
        awake_at = time.monotonic()
        while True:
            async with self._seeing:
                changed, asleep = await self._thread(lambda: (watch.look(), programs.asleep()))
            now = time.monotonic()
            end = decision.see(now, changed, await windows(), asleep=asleep)
            awake_at = awake_at if asleep else now
            if end is not None and not (
                end.seconds < _LAUNCH_LIMIT and now - awake_at < _IDLE_LAUNCH and await launched()
            ):
                return end
            await asyncio.sleep(rules.poll)

    async def act(
        self, action: Action, id: str, code_limit: float | None = None, window: int | None = None
    ) -> ActionResult:
        """Do one action. What fails by its own doing is a result with an error; code may take its limit's seconds.

        With a window, keys are typed only while it has the keyboard; see `TiesKeyboard`.
        """
        began, at = time.monotonic(), datetime.now(UTC)
        output: str | None = None
        error: str | None = None
        code: int | None = None
        truncated = False
        cut_off: CutOff | None = None
        async with self._acting, self._alive(), self._noting_the_end():
            match action:
                case Code():
                    code, output, truncated = await self._tidy_code(action, code_limit or CODE_LIMIT)
                    error = None if code == 0 else f"the code ended with {code}"
                case Done() | Fail() | CallUser() | Screenshot() | Zoom():
                    pass  # nothing to do here: the loop ends or looks
                case Wait():
                    await asyncio.sleep((action.seconds or 0.0) + action.pause_after)
                case _:
                    try:
                        output, cut_off = await self._thread(lambda: self._hands.do(action, window))
                    except ActionRefused as refused:
                        error = str(refused)
        return ActionResult(
            action=action,
            id=id,
            time=at,
            output=output,
            error=error,
            returncode=code,
            truncated=truncated,
            duration=time.monotonic() - began,
            cut_offs=() if cut_off is None else (cut_off,),
        )

    async def _tidy_code(self, action: Code, limit: float) -> _CodeEnd:
        """Run code; if it fails, release the keys it left pressed, which would change the next key."""
        before = await self._thread(self._hands.held)
        failed = True
        try:
            done = await self._code(action, limit)
            failed = done.returncode != 0
            return done
        finally:
            if failed:
                with suppress(DesktopError):
                    await self._thread(lambda: self._hands.release_since(before))

    async def _code(self, action: Code, limit: float) -> _CodeEnd:
        if action.language == "bash":
            command = SandboxCommand(("bash", "-c", action.source), {}, None)
            done = await commands.run(self._sandbox, command, b"", limit)
            return _CodeEnd(done.returncode, done.text + done.stderr.decode("utf-8", "replace"), done.truncated)
        worker = await self._ready_worker()
        try:
            result = await self._thread(lambda: worker.run(action.source, timeout=limit))
        except DesktopError:
            self._drop_worker()
            raise
        if result.timeout:
            raise ActionTimeout(f"the code did not end within {limit:g} s and was killed")
        return _CodeEnd(result.returncode, result.output, result.truncated)

    async def _ready_worker(self) -> WorkerClient:
        """The worker inside, started when it is first needed or was killed."""
        if self._worker is not None and self._worker.ended:
            self._drop_worker()
        if self._worker is None:
            with needs_descriptors("action code"):
                ours, its = socket.socketpair()
            worker = WorkerClient(ours)
            try:
                with its:
                    await self._sandbox.start_worker(its.fileno())
                await self._thread(lambda: worker.wait_ready(_WORKER_UP))
            except BaseException:
                worker.close()
                raise
            self._worker = worker
        return self._worker

    def _drop_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    @asynccontextmanager
    async def _alive(self) -> AsyncGenerator[None]:
        """What is seen and done in the block counts only on a desktop that is still there at its end.

        The picture of a desktop that has died stays readable, and looks like one on which nothing happens.

        Raises:
            DesktopLost: It was gone before, or went meanwhile.
        """
        self._sandbox.check()
        yield
        self._sandbox.check()

    @asynccontextmanager
    async def _noting_the_end(self) -> AsyncGenerator[None]:
        """What is done in the block ended now, however it did."""
        try:
            yield
        finally:
            self._acted = time.monotonic()

    async def _thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except ScreenError as error:
            raise DesktopLost(f"{error}; reset the desktop") from error
        except XLost as error:
            raise DesktopLost(f"the X server is gone: {error}") from error

    async def close(self) -> None:
        """Close all connections once calls in progress have ended."""
        self._drop_worker()
        self._hands.close()
        async with self._seeing:
            self._tree.close()
            self._icons.close()
            self._stacking.close()
            self._screen.close()
