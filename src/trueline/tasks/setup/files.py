"""Steps that put files inside."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path, PurePath

from trueline.desktop.types import RunResult
from trueline.tasks.model import Download, UploadFile
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.workspace import Workspace


async def download(step: Download, workspace: Workspace) -> RunResult | None:
    """Fetch files, several at once, and put them inside."""
    found = await asyncio.gather(*(workspace.downloads.fetch(file.url) for file in step.parameters.files))
    for file, path in zip(step.parameters.files, found, strict=True):
        await workspace.desktop.put(file.path, path)
    return None


async def upload(step: UploadFile, workspace: Workspace) -> RunResult | None:
    """Put files that come with the tasks inside."""
    for file in step.parameters.files:
        await workspace.desktop.put(file.path, find_asset(file.local_path, workspace.assets))
    return None


def find_asset(name: str, folders: tuple[Path, ...]) -> Path:
    """A file that comes with the tasks; a task file cannot name any other file of this machine.

    A name that begins with the name of a folder (`assets/x` for `…/assets`) is looked for in that folder, too.

    Raises:
        StepFailed: It is not there, outside these folders, or hidden.
    """
    wanted = PurePath(name)
    if wanted.is_absolute() or _is_hidden(wanted):
        raise StepFailed(f"{name}: must be a path below the tasks' folder, without hidden files and folders")
    for folder in folders:
        root = folder.resolve()
        for path in _places(wanted, root, folder.name):
            if path.is_relative_to(root) and not _is_hidden(path.relative_to(root)):
                return path
    raise StepFailed(f"{name}: not in {', '.join(map(str, folders)) or 'any folder: none was given'}")


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _places(wanted: PurePath, root: Path, known_as: str) -> Iterator[Path]:
    """Files that are there, links followed; no name that a task file may hold is an error."""
    inner = PurePath(*wanted.parts[1:]) if wanted.parts[:1] == (known_as,) else None
    for name in (wanted, inner):
        try:
            path = None if name is None else (root / name).resolve()
            if path is not None and path.is_file():
                yield path
        except (ValueError, OSError):
            # A NUL in it, or longer than a file system takes.
            continue
