"""Pointer files: what Git LFS and git-annex leave where the content of a file was not fetched."""

from __future__ import annotations

import os
from pathlib import Path

from trueline.errors import InputError
from trueline.text import printable

LFS_POINTER = "is a Git LFS pointer, not the file itself: fetch it with git lfs pull"
ANNEX_POINTER = "is a git-annex pointer, not the file itself: fetch it with git annex get"
BROKEN_LINK = "is a link to a file that is not there"
FAULTS = (LFS_POINTER, ANNEX_POINTER, BROKEN_LINK)
HEAD = 1024
"""Bytes at the beginning of a file that show whether it is a pointer; neither kind is longer where it matters."""
_LFS_FIRST_LINE = b"version https://git-lfs.github.com/spec/"
_ANNEX_UNLOCKED = b"/annex/objects/"
_ANNEX_LOCKED = ".git/annex/objects/"


class NotFetchedError(InputError):
    """A file whose content was not fetched: there is a pointer, or a link to nothing, in its place."""


def pointer_fault(content: bytes) -> str | None:
    """Why the content of a file, or its beginning, is not the file's own: that of a pointer; `None` if it is."""
    if content.startswith(_LFS_FIRST_LINE) and b"\noid " in content[:HEAD]:
        return LFS_POINTER
    return ANNEX_POINTER if content.startswith(_ANNEX_UNLOCKED) else None


def link_fault(path: Path | str) -> str | None:
    """Why a path that cannot be opened is a link without its file (git-annex); `None` if it is not a link."""
    if os.path.exists(path):
        return None
    try:
        target = os.readlink(path)
    except OSError:
        return None
    return ANNEX_POINTER if _ANNEX_LOCKED in target.replace(os.sep, "/") else BROKEN_LINK


def json_fault(content: bytes, error: Exception) -> str:
    """Why the content of a file is not JSON, for a message: `is not JSON: …`."""
    return pointer_fault(content) or f"is not JSON: {printable(str(error))}"


def unreadable(path: Path, error: OSError) -> InputError:
    """The error to raise for a file that cannot be read."""
    broken = link_fault(path)
    return (
        InputError(f"{path}: cannot be read ({error.strerror})")
        if broken is None
        else NotFetchedError(f"{path}: {broken}")
    )
