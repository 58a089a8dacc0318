"""Steps that start and run programs, and open files."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import PurePosixPath

from trueline.desktop.types import ActionTimeout, CommandResult, FileExists, WindowShown
from trueline.tasks.commands import TIME_LIMIT, argv_of, run_command
from trueline.tasks.model import is_true
from trueline.tasks.model.steps import ExecuteParameters, LaunchParameters, OpenParameters, Until
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup.wait import wait_until_usable
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace, home_path

_AGAIN = 0.3
_SHOWN = 60.0
"""Seconds an application may take to show its window on a busy machine."""
_TAKEN_UP = 5.0
"""Seconds that an application that is already running may take to show another window."""
_GONE = 10.0
"""Seconds that programs may take to end; one that does not is left alone."""
_OPENS = 10.0
"""Seconds an editor that has loaded may take to show what it was started with."""
_EDITOR, _EDITOR_TITLE = "code", "Visual Studio Code"
_POSITION = re.compile(r"(?::\d+){1,2}$")
_APPLICATIONS = {
    "google-chrome": "chrom", "chromium": "chrom", "code": "code", "gimp": "gimp", "vlc": "vlc",
    "thunderbird": "thunderbird", "libreoffice": "libreoffice", "soffice": "libreoffice", "localc": "libreoffice",
    "lowriter": "libreoffice", "loimpress": "libreoffice", "nautilus": "thunar", "thunar": "thunar",
    "gnome-terminal": "terminal", "xfce4-terminal": "terminal", "gedit": "", "mousepad": "mousepad", "geany": "geany",
    "evince": "evince", "eog": "", "picard": "picard", "gnome-disks": "disks",
}  # fmt: skip
"""Programs that show a window, and a piece of its class where that is known."""
_ENDING = frozenset({"killall", "pkill"})


async def _launch(parameters: LaunchParameters, workspace: Workspace) -> None:
    """Start a program; wait for the window of an application."""
    argv = argv_of(parameters.command, shell=is_true(parameters.shell), workspace=workspace)
    if PurePosixPath(argv[0]).name in _ENDING:
        await _end(argv, workspace)
        return
    before = await workspace.desktop.windows()
    await workspace.desktop.launch(argv)
    piece = _APPLICATIONS.get(_program(argv))
    if piece is None:
        return
    # One that already runs may handle the request without a new window.
    runs = bool(piece) and any(piece in window.app for window in before)
    known = {window.id for window in before}
    if not await _new_window(workspace, known, _TAKEN_UP if runs else _SHOWN) and not runs:
        raise StepFailed(f"no window was shown within {_SHOWN:g} s")
    if _program(argv) == _EDITOR:
        await _editor_ready(workspace, _opened(argv))
    await wait_until_usable(workspace.desktop, known)


async def _end(argv: tuple[str, ...], workspace: Workspace) -> None:
    """End programs, and wait for them.

    The next step starts the same application again. It must neither be ended with the old one, by a search that is
    still going on, nor be handed to the old one, which would show no window for it.
    """
    await run_command(workspace, argv)
    if any(word.startswith("-") for word in argv[1:]):
        return
    end = time.monotonic() + _GONE
    while time.monotonic() < end:
        if (await run_command(workspace, (argv[0], "-0", *argv[1:]))).returncode != 0:
            return
        await asyncio.sleep(_AGAIN)


async def _editor_ready(workspace: Workspace, name: str) -> None:
    """Wait until a window of Visual Studio Code has loaded, which its title says, and shows what it is to open."""
    end, shown = time.monotonic() + _SHOWN, False
    while time.monotonic() < end:
        titles = [window.title for window in await workspace.desktop.windows() if window.title.endswith(_EDITOR_TITLE)]
        if titles and not shown:
            # What cannot be opened, such as a folder that is not there, never appears in a title.
            shown, end = True, min(end, time.monotonic() + _OPENS)
        if any(name in title for title in titles):
            return
        await asyncio.sleep(_AGAIN)
    if not shown:
        raise StepFailed(f"{_EDITOR}: no window had loaded within {_SHOWN:g} s")


def _opened(argv: tuple[str, ...]) -> str:
    """The name that the editor's title has for the first thing on its command line; empty without one."""
    words = argv[2].split() if argv[:2] == ("/bin/sh", "-c") else list(argv)
    place = next((number for number, word in enumerate(words) if PurePosixPath(word).name == _EDITOR), len(words))
    paths = [word.strip("'\"") for word in words[place + 1 :] if not word.startswith("-")]
    return PurePosixPath(_POSITION.sub("", paths[0])).name.removesuffix(".code-workspace") if paths else ""


def _program(argv: tuple[str, ...]) -> str:
    """The name of the program that is started; of a shell's line the first, after settings of variables."""
    words = argv[2].split() if argv[:2] == ("/bin/sh", "-c") else argv[:1]
    return PurePosixPath(next((word for word in words if "=" not in word), "")).name


async def _new_window(workspace: Workspace, known: set[int], within: float) -> bool:
    """Whether a window appears in time."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if {window.id for window in await workspace.desktop.windows()} - known:
            return True
        await asyncio.sleep(_AGAIN)
    return False


async def _execute(wanted: ExecuteParameters, workspace: Workspace) -> CommandResult:
    """Run a program to its end, repeatedly if the step has `until`."""
    argv = argv_of(wanted.command, shell=is_true(wanted.shell), workspace=workspace)
    end = time.monotonic() + TIME_LIMIT
    while True:
        done = await run_command(workspace, argv)
        if wanted.until is None or _reached(wanted.until, done):
            break
        if time.monotonic() > end:
            raise StepFailed(f"its `until` condition was not met within {TIME_LIMIT:g} s", _output(done))
        await asyncio.sleep(_AGAIN)
    for name, content in ((wanted.stdout, done.stdout), (wanted.stderr, done.stderr)):
        if name:
            workspace.outputs[name] = content
    if wanted.check and done.returncode != 0:
        raise StepFailed(f"it exited with code {done.returncode}", _output(done))
    return done


def _reached(until: Until, done: CommandResult) -> bool:
    if until.returncode is None and until.stdout is None and until.stderr is None:
        return True
    return (
        until.returncode == done.returncode
        or (until.stdout is not None and until.stdout in done.text)
        or (until.stderr is not None and until.stderr in done.stderr.decode("utf-8", "replace"))
    )


def _output(done: CommandResult) -> str:
    return done.text + done.stderr.decode("utf-8", "replace")


async def _open(parameters: OpenParameters, workspace: Workspace) -> None:
    """Open a file with its application and wait for a window with its name; or start a program."""
    path = home_path(parameters.path)
    if "/" not in path:
        await workspace.desktop.launch((path,))
        return
    try:
        await workspace.desktop.wait_for(FileExists(path), time_limit=2.0)
    except ActionTimeout as error:
        raise StepFailed(f"{path}: there is no such file on the desktop") from error
    known = {window.id for window in await workspace.desktop.windows()}
    await workspace.desktop.launch(("xdg-open", path))
    try:
        await workspace.desktop.wait_for(WindowShown(PurePosixPath(path).stem), time_limit=_SHOWN)
    except ActionTimeout as error:
        titles = [window.title for window in await workspace.desktop.windows()]
        raise StepFailed(
            f"{path}: no window with its name was shown within {_SHOWN:g} s; there are {titles}"
        ) from error
    await wait_until_usable(workspace.desktop, known)


LAUNCH = StepKind.typed(LaunchParameters, _launch)
EXECUTE = StepKind.typed(ExecuteParameters, _execute, files_only=True)
OPEN = StepKind.typed(OpenParameters, _open, may_be_skipped=True)
