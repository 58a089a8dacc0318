"""Steps that start and run programs."""

from __future__ import annotations

import asyncio
import time
from pathlib import PurePosixPath

from trueline.desktop.types import ActionTimeout, FileExists, RunResult, Settled, WindowShown
from trueline.tasks.commands import TIME_LIMIT, argv_of, run_command
from trueline.tasks.model import Execute, Launch, Open, is_true
from trueline.tasks.model.steps import Until
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.stage import Stage

_AGAIN = 0.3
_SHOWN = 60.0
"""Seconds an application may take to show its window on a busy machine."""
_SHOWS_WINDOW = frozenset(
    {"google-chrome", "chromium", "code", "gimp", "vlc", "thunderbird", "libreoffice", "soffice", "localc", "lowriter",
     "loimpress", "nautilus", "thunar", "gnome-terminal", "xfce4-terminal", "gedit", "mousepad", "geany", "evince",
     "eog"}
)  # fmt: skip


async def launch(step: Launch, stage: Stage) -> RunResult | None:
    """Start a program; of an application with a window, wait for the window."""
    argv = argv_of(step.parameters.command, shell=is_true(step.parameters.shell), stage=stage)
    before = {window.id for window in await stage.desktop.windows()}
    await stage.desktop.launch(argv)
    if not _SHOWS_WINDOW.intersection(PurePosixPath(word).name for word in " ".join(argv).split()):
        return None
    end = time.monotonic() + _SHOWN
    while not {window.id for window in await stage.desktop.windows()} - before:
        if time.monotonic() > end:
            raise StepFailed(f"no window was shown within {_SHOWN:g} s")
        await asyncio.sleep(_AGAIN)
    await stage.desktop.wait_for(Settled())
    return None


async def execute(step: Execute, stage: Stage) -> RunResult | None:
    """Run a program to its end, again and again where the step says until when."""
    wanted = step.parameters
    argv = argv_of(wanted.command, shell=is_true(wanted.shell), stage=stage)
    end = time.monotonic() + TIME_LIMIT
    while True:
        done = await run_command(stage, argv)
        if wanted.until is None or _reached(wanted.until, done):
            break
        if time.monotonic() > end:
            raise StepFailed(f"its until did not come about within {TIME_LIMIT:g} s", _output(done))
        await asyncio.sleep(_AGAIN)
    for name, content in ((wanted.stdout, done.stdout), (wanted.stderr, done.stderr)):
        if name:
            stage.outputs[name] = content
    if wanted.check and done.returncode != 0:
        raise StepFailed(f"it ended with {done.returncode}", _output(done))
    return done


def _reached(until: Until, done: RunResult) -> bool:
    if until.returncode is None and until.stdout is None and until.stderr is None:
        return True
    return (
        until.returncode == done.returncode
        or (until.stdout is not None and until.stdout in done.text)
        or (until.stderr is not None and until.stderr in done.stderr.decode("utf-8", "replace"))
    )


def _output(done: RunResult) -> str:
    return done.text + done.stderr.decode("utf-8", "replace")


async def open_path(step: Open, stage: Stage) -> RunResult | None:
    """Open a file with its application and wait until a window with its name shows; or start a program."""
    path = step.parameters.path
    if "/" not in path:
        await stage.desktop.launch((path,))
        return None
    try:
        await stage.desktop.wait_for(FileExists(path), time_limit=2.0)
    except ActionTimeout as error:
        raise StepFailed(f"{path}: there is no such file inside") from error
    await stage.desktop.launch(("xdg-open", path))
    try:
        await stage.desktop.wait_for(WindowShown(PurePosixPath(path).stem), time_limit=_SHOWN)
    except ActionTimeout as error:
        titles = [window.title for window in await stage.desktop.windows()]
        raise StepFailed(
            f"{path}: no window with its name was shown within {_SHOWN:g} s; there are {titles}"
        ) from error
    await stage.desktop.wait_for(Settled())
    return None
