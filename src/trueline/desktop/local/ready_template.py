"""The prepared template: every installed application was started once, so none sets itself up again."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from trueline.desktop.local import commands
from trueline.desktop.local.commands import SandboxCommand
from trueline.desktop.local.install import publish, sweep
from trueline.desktop.local.launchers import launchers
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.ownership import Owner, cache_folder, owner
from trueline.desktop.local.process_usage import processor_times, used_between
from trueline.desktop.local.running import POLL, Running
from trueline.desktop.local.template import install_template
from trueline.desktop.local.vs_code import find_vs_code
from trueline.desktop.types import ActionTimeout, DesktopError, DesktopUnavailable

FIRST_RUNS: tuple[tuple[str, ...], ...] = (
    ("mousepad",),
    ("thunar",),
    ("xfce4-terminal",),
    ("chromium", "about:blank"),
    ("localc",),
    ("lowriter",),
    ("loimpress",),
    ("gimp",),
    ("thunderbird",),
    ("vlc",),
    ("evince",),
    ("gedit",),
    ("geany",),
    ("code", "--wait"),
)
_SILENT_RUNS: tuple[tuple[str, ...], ...] = (
    # Both names of the browser have one profile, at the place where tasks look for it.
    ("ln", "-s", "google-chrome", ".config/chromium"),
    # At its very first start LibreOffice starts itself once more, which no window tells.
    ("soffice", "--headless", "--terminate_after_init"),
)
_WINDOWS = (
    (
        ".config/libreoffice/4/user/registrymodifications.xcu",
        re.compile(r'(<prop oor:name="ooSetupFactoryWindowAttributes" oor:op="fuse"><value>)[^<;]*;[^<;]*;'),
        r"\g<1>120,90,1200,800;5;",
    ),
    (".config/GIMP/*/sessionrc", re.compile(r'\(maximized "no"\)'), '(maximized "yes")'),
)
"""Files in which applications keep the state of their windows, what stands there, what should."""
_WINDOW_LIMIT = 30.0
_END_LIMIT = 10.0
_LOOK, _IDLE = 0.5, 0.15
"""Seconds of a look, and the part of a processor below which nothing much is being done."""
_REMOVED = (".cache/Code", ".config/Code/logs", ".config/Code/User/settings.json")
"""What makes no start faster and each desktop would copy, and settings that only a task or a user has."""
_LEFT_OUT = (
    "Singleton", "lock", ".lock", ".parentlock", ".~lock", "LOCK", "openbox.log", ".keep", "DevToolsActivePort",
)  # fmt: skip


async def ready_template() -> Path:
    """Return the home folder that desktops start with, making it ready first if this machine has none."""
    user, cache = owner(), cache_folder()
    bare = await asyncio.to_thread(install_template, cache, user)
    made_of = repr((bare.name, launchers(), _SILENT_RUNS, FIRST_RUNS, _REMOVED, _LEFT_OUT, _WINDOWS, find_vs_code()))
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
    running = await Running.start(LocalOptions(own_ids=False), bare)  # what it leaves belongs to the owner
    try:
        for argv in _SILENT_RUNS:
            with suppress(ActionTimeout):
                await commands.run(running.sandbox, SandboxCommand(argv, {}, None), b"", _WINDOW_LIMIT)
        for argv in FIRST_RUNS:
            await _first_run(running, argv)
        building = Path(tempfile.mkdtemp(prefix=".ready-", dir=ready.parent))
        await asyncio.to_thread(copy_home, running.sandbox.path("home"), building)
        await asyncio.to_thread(publish, building, ready, user)
    except OSError as error:
        raise DesktopUnavailable(f"{ready.parent}: the template cannot be written ({error.strerror})") from error
    finally:
        await running.stop()


async def _first_run(running: Running, argv: tuple[str, ...]) -> None:
    """Start an application, wait for its window, close it; one that is not there or does not come up is left out."""
    known = {window.id for window in await running.windows()}
    try:
        pid = await commands.launch(running.sandbox, SandboxCommand(argv, {}, None))
    except DesktopError:
        return

    async def shown() -> bool:
        return not await _process_exists(running, pid) or bool(await _new_windows(running, known))

    async def gone() -> bool:
        # A window may come after the first one: a splash screen goes, the real one is still to be closed.
        for number in await _new_windows(running, known):
            known.add(number)
            await _say(running, "xdotool", "windowactivate", "--sync", str(number), "key", "alt+F4")
        return not await _process_exists(running, pid)

    await _until(shown, _WINDOW_LIMIT)
    await _wait_until_started(running)
    await _until(gone, _END_LIMIT)
    for signal in ("TERM", "KILL"):
        if await _process_exists(running, pid):
            await _say(running, "kill", f"-{signal}", "--", f"-{pid}")
            await _until(lambda: _ended(running, pid), _END_LIMIT)


async def _wait_until_started(running: Running) -> None:
    """Wait until the programs inside have finished starting."""
    supervisor, end = running.sandbox.supervisor_pid, time.monotonic() + _END_LIMIT
    while time.monotonic() < end:
        before = await asyncio.to_thread(processor_times, supervisor)
        await asyncio.sleep(_LOOK)
        if used_between(before, await asyncio.to_thread(processor_times, supervisor)) < _LOOK * _IDLE:
            return


async def _new_windows(running: Running, known: set[int]) -> list[int]:
    return [window.id for window in await running.windows() if window.id not in known]


async def _say(running: Running, *argv: str) -> None:
    with suppress(ActionTimeout):
        await commands.run(running.sandbox, SandboxCommand(argv, {}, None), b"", _END_LIMIT)


async def _ended(running: Running, pid: int) -> bool:
    return not await _process_exists(running, pid)


async def _until(holds: Callable[[], Awaitable[bool]], limit: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(limit):
            while True:
                if await holds():
                    return
                await asyncio.sleep(POLL)


async def _process_exists(running: Running, pid: int) -> bool:
    return bool((await running.sandbox.agent.ask({"op": "exists", "path": f"/proc/{pid}"})).message.exists)


def copy_home(source: Path, target: Path) -> None:
    """Copy folders, files and links; leave out what only a running program means."""

    def unwanted(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name.startswith(_LEFT_OUT) or not _plain(os.path.join(folder, name))]

    shutil.copytree(source, target, symlinks=True, ignore=unwanted, dirs_exist_ok=True)
    _tidy(target)


def _tidy(home: Path) -> None:
    """Remove what need not be there; make main windows maximised, with a sensible size for when they are not."""
    for path in _REMOVED:
        if (home / path).is_dir():
            shutil.rmtree(home / path)
        else:
            (home / path).unlink(missing_ok=True)
    for pattern, found, wanted in _WINDOWS:
        for settings in home.glob(pattern):
            settings.write_text(found.sub(wanted, settings.read_text("utf-8")), "utf-8")


def _plain(path: str) -> bool:
    mode = os.lstat(path).st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
