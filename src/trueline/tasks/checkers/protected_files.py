"""Files that the agent made unreadable on the desktop: they are read from the host, or reported."""

from __future__ import annotations

import posixpath

from trueline.desktop.types import ReadsHome
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.workspace import HOME, Workspace

SEARCHED = 64 << 20
"""Bytes of files that are read from the host for one check."""


async def read_protected_file(workspace: Workspace, path: str) -> bytes | None:
    """Read a file that could not be opened on the desktop; `None` if it does not exist or is a folder.

    Raises:
        UnreadableResult: It exists, and cannot be read from the host either.
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
    """Whether a path does not exist, or is a dangling link. A path in an inaccessible folder counts as existing."""
    program = "import os, sys\ntry:\n os.stat(sys.argv[1])\nexcept FileNotFoundError:\n sys.exit(7)"
    done = await workspace.desktop.run(("python3", "-I", "-c", program, path))
    return done.returncode == 7
