"""Running commands of setup steps and getters on the desktop."""

from __future__ import annotations

import shlex
import uuid
from pathlib import PurePosixPath

from trueline.actions import Code
from trueline.desktop.types import CommandResult
from trueline.errors import InputError
from trueline.tasks.workspace import HOME, Workspace

TIME_LIMIT = 120.0
"""Seconds; the limit of OSWorld's server."""


def argv_of(command: str | tuple[str, ...], *, shell: bool, workspace: Workspace) -> tuple[str, ...]:
    """The command line as a list of words, with placeholders filled in.

    Raises:
        InputError: A quote is not closed, or there is no program.
    """
    words = (command,) if isinstance(command, str) else command
    words = tuple(workspace.fill_placeholders(word) for word in words)
    if shell:
        return ("/bin/sh", "-c", *words)
    if isinstance(command, str):
        try:
            words = tuple(shlex.split(words[0]))
        except ValueError as error:
            raise InputError(f"{command!r}: is not a valid command line: {error}") from error
    if not words or not words[0].strip():
        raise InputError(f"{command!r}: names no program")
    return tuple(f"{HOME}/{word[2:]}" if word.startswith("~/") else word for word in words)


async def run_command(workspace: Workspace, argv: tuple[str, ...], *, time_limit: float = TIME_LIMIT) -> CommandResult:
    """Run a program until it exits, with any exit code.

    Code that drives mouse and keyboard runs like an agent's code: the desktop need not have pyautogui.

    Raises:
        ActionTimeout: It did not finish in time.
        DesktopError: It cannot be started, or the desktop is lost.
    """
    if is_input_code(argv):
        done = await workspace.desktop.act(Code(source=argv[2]), id=f"setup-{uuid.uuid4()}")
        failed = done.error is not None
        error = (done.error or "").encode("utf-8", "replace")
        output = (done.output or "").encode("utf-8", "replace")
        return CommandResult(done.returncode if done.returncode is not None else int(failed), output, error)
    return await workspace.desktop.run(argv, time_limit=time_limit)


def is_input_code(argv: tuple[str, ...]) -> bool:
    """Whether this runs `python -c` with code for pyautogui."""
    python = bool(argv) and PurePosixPath(argv[0]).name in ("python", "python3")
    return python and len(argv) == 3 and argv[1] == "-c" and "pyautogui" in argv[2]
