"""Steps that put files inside."""

from __future__ import annotations

import asyncio
from pathlib import Path

from trueline.desktop.types import RunResult
from trueline.tasks.model import Download, UploadFile
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.stage import Stage


async def download(step: Download, stage: Stage) -> RunResult | None:
    """Fetch files, several at once, and put them inside."""
    found = await asyncio.gather(*(stage.downloads.fetch(file.url) for file in step.parameters.files))
    for file, path in zip(step.parameters.files, found, strict=True):
        await stage.desktop.put(file.path, path)
    return None


async def upload(step: UploadFile, stage: Stage) -> RunResult | None:
    """Put files that come with the tasks inside."""
    for file in step.parameters.files:
        await stage.desktop.put(file.path, find_asset(file.local_path, stage.assets))
    return None


def find_asset(name: str, folders: tuple[Path, ...]) -> Path:
    """A file that comes with the tasks; a task file cannot name any other file of this machine.

    Raises:
        StepFailed: It is not there, or outside these folders.
    """
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise StepFailed(f"{name}: must be a path below the tasks' folder")
    for folder in folders:
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            return path
    raise StepFailed(f"{name}: not in {', '.join(map(str, folders)) or 'any folder: none was given'}")
