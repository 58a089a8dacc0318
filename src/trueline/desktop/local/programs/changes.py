"""What changed in a home folder: the upper layer of its overlay compared with the template below it.

The upper layer is written by the sandbox while it is read here: folders are opened without following links, and what
goes away in between is left out. Nothing here needs more than the standard library: the supervisor runs it, which may
open what the user inside has closed to everybody.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat

TYPE_CHECKING = False  # `typing` costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator

OPAQUE = "user.overlay.opaque"
OWN = frozenset({".cache/openbox/openbox.log"})
"""What the session itself writes at every start."""
ICONS = re.compile(r"\.config/xfce4/desktop/icons\.screen(?:[0-9]{1,3}(?:-[0-9]{1,5}x[0-9]{1,5})?|\.latest)\.rc")
"""Where the session remembers the places of the icons whenever a file comes onto the desktop or goes."""
DEPTH = 200
"""Folders within folders that are looked into: what lies deeper is an error, never left out."""
CREATED, CHANGED, DELETED = "created", "changed", "deleted"
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

Found = tuple[str, str, bool]
"""Path below the home folder, what happened, and whether it is, or was, a folder."""


class TooDeep(Exception):
    """Folders lie deeper than `DEPTH`; the argument is where."""


def find_changes(upper: str, lower: str, *, owners: bool = False) -> Iterator[Found]:
    """Everything created, changed and deleted. Folders whose content alone changed are not named.

    With `owners` another owner, capabilities of a file and permissions of a folder are changes too.

    Raises:
        TooDeep: It cannot be read to its bottom.
        OSError: It cannot be read; what merely went away meanwhile is left out.
    """
    top = os.open(upper, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    yield from _Comparison(owners).folder(top, lower, "", DEPTH)


def send_changes(layers: list[tuple[str, str, str, bool]], fd: int) -> None:
    """Write the changes to a pipe, one JSON list a line; the last line says how it ended.

    Each layer is the upper folder, the one below it, what the paths begin with, and whether owners are compared.
    """
    with os.fdopen(fd, "w", encoding="ascii") as pipe:
        end: dict[str, str | int] = {"end": "complete"}
        try:
            for upper, lower, prefix, owners in layers:
                for path, kind, is_folder in find_changes(upper, lower, owners=owners):
                    pipe.write(json.dumps((prefix + path, kind, is_folder)) + "\n")
        except TooDeep as error:
            end = {"end": "too deep", "detail": str(error)}
        except OSError as error:
            end = {"end": "error", "errno": error.errno or errno.EIO}
        pipe.write(json.dumps(end) + "\n")


class _Comparison:
    """How an upper layer is compared with what lies below it."""

    def __init__(self, owners: bool) -> None:
        self._owners = owners

    def folder(self, fd: int, lower: str | None, path: str, depth: int) -> Iterator[Found]:
        """Changes in one folder; `lower` is its counterpart in the template, if it has one. Closes `fd`."""
        try:
            entries = os.listdir(fd)
            if lower is not None and _opaque(fd):
                for gone in sorted(set(os.listdir(lower)) - set(entries)):
                    yield path + gone, DELETED, os.path.isdir(f"{lower}/{gone}")
            for entry in entries:
                try:
                    found = os.lstat(entry, dir_fd=fd)
                    if (path + entry in OWN or ICONS.fullmatch(path + entry)) and not stat.S_ISDIR(found.st_mode):
                        continue
                    yield from self._entry(fd, entry, found, lower, path + entry, depth)
                except OSError as error:
                    if error.errno not in GONE:
                        raise
                    continue  # it went away while it was looked at
        finally:
            os.close(fd)

    def _entry(
        self, parent: int, name: str, found: os.stat_result, lower: str | None, path: str, depth: int
    ) -> Iterator[Found]:
        below = None if lower is None else f"{lower}/{name}"
        before = None if below is None or not os.path.lexists(below) else os.lstat(below)
        if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0:
            if before is not None:
                yield path, DELETED, stat.S_ISDIR(before.st_mode)
            return
        folder = stat.S_ISDIR(found.st_mode)
        was_folder = before is not None and stat.S_ISDIR(before.st_mode)
        if before is None:
            yield path, CREATED, folder
        elif below is not None and (
            folder != was_folder
            or (not folder and _differs(parent, name, found, below, before))
            or (self._owners and _owner_differs(f"/proc/self/fd/{parent}/{name}", found, below, before))
        ):
            yield path, CHANGED, folder
        if folder:
            if not depth:
                raise TooDeep(path[:80])
            fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
            yield from self.folder(fd, below if was_folder else None, path + "/", depth - 1)


def _opaque(fd: int) -> bool:
    try:
        return os.getxattr(fd, OPAQUE) == b"y"
    except OSError:
        return False


def _owner_differs(path: str, found: os.stat_result, below: str, before: os.stat_result) -> bool:
    """Whether owner, permissions or capabilities differ."""
    if (found.st_mode, found.st_uid, found.st_gid) != (before.st_mode, before.st_uid, before.st_gid):
        return True
    return stat.S_ISREG(found.st_mode) and _capabilities(path) != _capabilities(below)


def _capabilities(path: str) -> bool:
    try:
        return bool(os.getxattr(path, "security.capability", follow_symlinks=False))
    except OSError:
        return False


def _differs(parent: int, name: str, found: os.stat_result, below: str, before: os.stat_result) -> bool:
    """Whether type, permissions or content differ: a file that was only opened to write is in the upper layer too."""
    if found.st_mode != before.st_mode or found.st_size != before.st_size:
        return True
    if stat.S_ISLNK(found.st_mode):
        return os.readlink(name, dir_fd=parent) != os.readlink(below)
    if not stat.S_ISREG(found.st_mode):
        return True
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    with os.fdopen(fd, "rb") as now, open(below, "rb") as then:
        while piece := now.read(1 << 16):
            if piece != then.read(1 << 16):
                return True
    return False
