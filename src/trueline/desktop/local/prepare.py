"""The template made ready: every application there is was started once on the bare one, so that none does it again."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from trueline.desktop.local import commands
from trueline.desktop.local.commands import Command
from trueline.desktop.local.install import install_programs, publish, sweep
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.places import Owner, cache_folder, owner
from trueline.desktop.local.running import POLL, Running
from trueline.desktop.local.template import install_template
from trueline.desktop.types import DesktopError, DesktopUnavailable

FIRST_RUNS: tuple[tuple[str, ...], ...] = (
    ("mousepad",),
    ("thunar",),
    ("xfce4-terminal",),
    ("chromium", "about:blank"),
    ("localc",),
    ("gimp",),
    ("vlc",),
)
_WINDOW_LIMIT = 30.0
_END_LIMIT = 5.0
_LEFT_OUT = ("Singleton", "lock", ".lock", ".parentlock", ".~lock", "openbox.log", ".keep")


async def ready_template() -> Path:
    """Return the home folder that desktops start with, making it ready first if this machine has none."""
    user, cache = owner(), cache_folder()
    bare = await asyncio.to_thread(install_template, cache, user)
    programs = await asyncio.to_thread(install_programs, cache, user)
    made_of = repr((bare.name, programs.name, FIRST_RUNS, _LEFT_OUT))
    ready = cache / f"ready-{hashlib.sha256(made_of.encode()).hexdigest()[:20]}"
    if ready.is_dir():
        os.utime(ready)
        return ready
    sweep(cache)
    with (cache / "ready.lock").open("w") as lock:
        await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
        if not ready.is_dir():
            await _make(bare, ready, user)
    return ready


async def _make(bare: Path, ready: Path, user: Owner) -> None:
    running = await Running.start(LocalOptions(), bare)
    try:
        for argv in FIRST_RUNS:
            await _first_run(running, argv)
        building = Path(tempfile.mkdtemp(prefix=".ready-", dir=ready.parent))
        await asyncio.to_thread(_copy, running.sandbox.path("home"), building)
        await asyncio.to_thread(publish, building, ready, user)
    except OSError as error:
        raise DesktopUnavailable(f"{ready.parent}: the template cannot be written ({error.strerror})") from error
    finally:
        await running.stop()


async def _first_run(running: Running, argv: tuple[str, ...]) -> None:
    """Start an application, wait for its window, end it; one that is not there or does not come up is left out."""
    known = {window.id for window in await running.windows()}
    try:
        pid = await commands.launch(running.sandbox, Command(argv, {}, None))
    except DesktopError:
        return

    async def shown() -> bool:
        return not await _lives(running, pid) or not {window.id for window in await running.windows()} <= known

    async def gone() -> bool:
        return not await _lives(running, pid)

    await _until(shown, _WINDOW_LIMIT)
    end = Command(("kill", "-TERM", "--", f"-{pid}"), {}, None)
    await commands.run(running.sandbox, end, b"", _END_LIMIT)
    await _until(gone, _END_LIMIT)


async def _until(holds: Callable[[], Awaitable[bool]], limit: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(limit):
            while True:
                if await holds():
                    return
                await asyncio.sleep(POLL)


async def _lives(running: Running, pid: int) -> bool:
    return bool((await running.sandbox.agent.ask({"op": "exists", "path": f"/proc/{pid}"})).message.exists)


def _copy(source: Path, target: Path) -> None:
    """Copy folders, files and links; leave out what only a running program means."""

    def unwanted(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name.startswith(_LEFT_OUT) or not _plain(os.path.join(folder, name))]

    shutil.copytree(source, target, symlinks=True, ignore=unwanted, dirs_exist_ok=True)


def _plain(path: str) -> bool:
    mode = os.lstat(path).st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
