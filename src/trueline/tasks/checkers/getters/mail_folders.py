"""The getter `mail_folders`: Thunderbird's mail folders, read from the host."""

from __future__ import annotations

from fnmatch import fnmatchcase

from trueline.desktop.types import ChangeKind, PathRefused
from trueline.tasks.checkers.protected_files import read_protected_file
from trueline.tasks.checkers.values import FileValue, UnreadableResult
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace

_FOLDERS = ".thunderbird/*/Mail/*"
_NO_MAIL = (".msf", ".dat", ".html", ".json")
_LARGEST = 64 << 20
"""Bytes of all folders together."""
_MOST = 100


async def mail_folders(_: Getter, workspace: Workspace) -> tuple[FileValue, ...]:
    """The mbox files of folders that changed since the desktop started; all other folders are empty.

    Raises:
        UnreadableResult: One is not a regular file, they are too large, or there are too many.
    """
    paths = [
        change.path
        for change in await workspace.desktop.diff()
        if fnmatchcase(change.path, _FOLDERS)
        and not change.path.endswith(_NO_MAIL)
        and not change.folder
        and change.kind is not ChangeKind.DELETED
    ]
    if len(paths) > _MOST:
        raise UnreadableResult(f"there are more than {_MOST} mail folders")
    found: list[FileValue] = []
    left = _LARGEST
    for path in paths:
        try:
            content = await workspace.desktop.get(path, limit=left)
        except PathRefused as error:
            content = await read_protected_file(workspace, path)
            if content is None or len(content) > left:
                raise UnreadableResult(f"a mail folder cannot be read: {error}") from error
        found.append(FileValue(path, content))
        left -= len(content)
    return tuple(found)
