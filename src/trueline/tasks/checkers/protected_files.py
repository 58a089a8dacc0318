"""Files that cannot be opened inside because whoever works there saw to that: read from outside, or reported."""

from __future__ import annotations

import posixpath

from trueline.desktop.types import ReadsHome
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.workspace import HOME, Workspace

SEARCHED = 64 << 20
"""Bytes of files that are read from outside for one check."""


async def read_protected_file(workspace: Workspace, path: str) -> bytes | None:
    """A file that could not be opened inside; `None` when nothing is there, or a folder.

    Raises:
        UnreadableResult: Something is there, and cannot be read from outside either.
    """
    desktop, below = workspace.desktop, path.removeprefix("~/").removeprefix(f"{HOME}/")
    if isinstance(desktop, ReadsHome) and not below.startswith("/"):
        (file,) = await desktop.read_changed([posixpath.normpath(below)], limit=SEARCHED)
        if file.kind == "file":
            return file.content
    whole = posixpath.join(HOME, below)
    if await is_missing(workspace, whole) or (await workspace.desktop.run(("test", "-d", whole))).returncode == 0:
        return None
    raise UnreadableResult(f"{path}: is not a regular file that can be read")


async def is_missing(workspace: Workspace, path: str) -> bool:
    """Whether nothing is there: a link whose end does not exist. A folder that may not be entered is something."""
    program = "import os, sys\ntry:\n os.stat(sys.argv[1])\nexcept FileNotFoundError:\n sys.exit(7)"
    done = await workspace.desktop.run(("python3", "-I", "-c", program, path))
    return done.returncode == 7
