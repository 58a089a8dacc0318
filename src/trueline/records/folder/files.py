"""Writing that survives a crash: whole files by atomic rename, lines by append and fsync."""

from __future__ import annotations

import errno
import os
import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from trueline.errors import TruelineError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_TEMPORARY = ".tmp-"


class DiskFullError(TruelineError):
    """The disk is full; what was written before is intact."""


@contextmanager
def room_needed(path: Path) -> Generator[None]:
    """Turn the system's errors for a full disk into a `DiskFullError`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise DiskFullError(
            f"{path}: no room to write ({error.strerror}); free some space and start again, nothing recorded is lost"
        ) from error


def make_folder(folder: Path, *, exist_ok: bool = False) -> None:
    """Make a folder and those above it, all for their owner only.

    Raises:
        FileExistsError: It is there already, or there is a file in its place.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    with room_needed(folder):
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=exist_ok or path is not folder)
            sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable, where the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_file(path: Path, content: bytes, *, exclusive: bool = False) -> None:
    """Write a whole file by atomic rename; it is durable once its folder is synced.

    Raises:
        FileExistsError: `exclusive`, and the file is there already.
        DiskFullError: There is no room.
    """
    temporary = path.with_name(f".{path.name[:200]}{_TEMPORARY}{secrets.token_hex(6)}")
    try:
        with room_needed(path):
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                write_all(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if exclusive:
                os.link(temporary, path)
            else:
                temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_all(descriptor: int, content: bytes) -> None:
    """Write until all is written; the system may take less at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def remove_temporary(folder: Path) -> None:
    """Remove what a killed `write_file` left; it was never part of the record."""
    for path in folder.glob(f".*{_TEMPORARY}*"):
        path.unlink(missing_ok=True)


class LineFile:
    """An append-only file of lines. A line is written completely or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def append(self, lines: bytes, *, sync: bool = True) -> None:
        """Append lines; a partial write is undone.

        Raises:
            DiskFullError: There is no room; the file is as it was.
        """
        with self._lock, room_needed(self.path):
            if self._descriptor < 0:
                raise ValueError(f"{self.path}: the episode is closed")
            before = os.fstat(self._descriptor).st_size
            try:
                write_all(self._descriptor, lines)
                if sync:
                    os.fsync(self._descriptor)
            except OSError:
                os.ftruncate(self._descriptor, before)
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
