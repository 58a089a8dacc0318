"""Steps that copy files to the desktop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path, PurePath

from trueline.tasks.model.steps import DownloadParameters, UploadParameters
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace


async def _download(parameters: DownloadParameters, workspace: Workspace) -> None:
    found = await asyncio.gather(*(workspace.downloads.fetch(file.url) for file in parameters.files))
    for file, path in zip(parameters.files, found, strict=True):
        await workspace.desktop.put(file.path, path)


async def _upload(parameters: UploadParameters, workspace: Workspace) -> None:
    for file in parameters.files:
        await workspace.desktop.put(file.path, find_asset(file.local_path, workspace.assets))


DOWNLOAD = StepKind.typed(DownloadParameters, _download, files_only=True)
UPLOAD_FILE = StepKind.typed(UploadParameters, _upload, files_only=True)


def find_asset(name: str, folders: tuple[Path, ...]) -> Path:
    """Find a file that comes with the tasks; a task file cannot name any other file of the host.

    A name that begins with the name of a folder (`assets/x` for `…/assets`) is looked up in that folder, too.

    Raises:
        StepFailed: It does not exist, is outside these folders, or hidden.
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
    """Existing files, links followed; a name that no file can have is skipped."""
    inner = PurePath(*wanted.parts[1:]) if wanted.parts[:1] == (known_as,) else None
    for name in (wanted, inner):
        try:
            path = None if name is None else (root / name).resolve()
            if path is not None and path.is_file():
                yield path
        except (ValueError, OSError):
            # It contains NUL, or is longer than a file system allows.
            continue
