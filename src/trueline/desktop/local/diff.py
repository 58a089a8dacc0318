"""What changed in a home folder: the upper layer of its overlay compared with the template below it.

The upper layer is written by the sandbox while it is read here: folders are opened without following links, and what
goes away in between is left out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from trueline.desktop.local.descriptors import needs_descriptors, none_left
from trueline.desktop.types import Change, ChangeKind, DesktopLost, TooDeep

_OPAQUE = "user.overlay.opaque"
_OWN = frozenset({".cache/openbox/openbox.log"})
"""What the session itself writes at every start."""
_ICONS = re.compile(r"\.config/xfce4/desktop/icons\.screen(?:[0-9]{1,3}(?:-[0-9]{1,5}x[0-9]{1,5})?|\.latest)\.rc")
"""Where the session remembers the places of the icons whenever a file comes onto the desktop or goes."""
_DEPTH = 200
"""Folders within folders that are looked into: what lies deeper is an error, never left out."""


def diff(upper: Path, lower: Path) -> tuple[Change, ...]:
    """List what was created, changed and deleted, sorted by path. Folders whose content alone changed are not named.

    Raises:
        DesktopLost: The home folder is gone.
        TooDeep: It cannot be read to its bottom.
    """
    with needs_descriptors("diff of the home folder"):
        try:
            top = os.open(upper, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            if none_left(error):
                raise
            raise DesktopLost("the desktop is gone and its home folder with it; reset it") from error
        return tuple(sorted(_folder(top, lower, "", _DEPTH)))


def _folder(fd: int, lower: Path | None, path: str, depth: int) -> Iterator[Change]:
    """Changes in one folder; `lower` is its counterpart in the template, if it has one. Closes `fd`."""
    try:
        entries = os.listdir(fd)
        if lower is not None and _opaque(fd):
            for gone in sorted(set(os.listdir(lower)) - set(entries)):
                yield Change(path + gone, ChangeKind.DELETED, (lower / gone).is_dir())
        for entry in entries:
            try:
                if (path + entry in _OWN or _ICONS.fullmatch(path + entry)) and not _is_folder(fd, entry):
                    continue
                yield from _entry(fd, entry, lower, path + entry, depth)
            except OSError as error:
                if none_left(error):
                    raise
                continue  # it went away while it was looked at
    finally:
        os.close(fd)


def _entry(parent: int, name: str, lower: Path | None, path: str, depth: int) -> Iterator[Change]:
    found = os.lstat(name, dir_fd=parent)
    below = None if lower is None else lower / name
    before = None if below is None or not os.path.lexists(below) else os.lstat(below)
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0:
        if before is not None:
            yield Change(path, ChangeKind.DELETED, stat.S_ISDIR(before.st_mode))
        return
    folder = stat.S_ISDIR(found.st_mode)
    was_folder = before is not None and stat.S_ISDIR(before.st_mode)
    if before is None:
        yield Change(path, ChangeKind.CREATED, folder)
    elif folder != was_folder or (not folder and below is not None and _differs(parent, name, found, below, before)):
        yield Change(path, ChangeKind.CHANGED, folder)
    if folder:
        if not depth:
            raise TooDeep(f"diff of the home folder: folders lie deeper than {_DEPTH} in {path[:80]}")
        fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        yield from _folder(fd, below if was_folder else None, path + "/", depth - 1)


def _is_folder(parent: int, name: str) -> bool:
    return stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode)


def _opaque(fd: int) -> bool:
    try:
        return os.getxattr(fd, _OPAQUE) == b"y"
    except OSError:
        return False


def _differs(parent: int, name: str, found: os.stat_result, below: Path, before: os.stat_result) -> bool:
    """Whether type, permissions or content differ: a file that was only opened to write is in the upper layer too."""
    if found.st_mode != before.st_mode or found.st_size != before.st_size:
        return True
    if stat.S_ISLNK(found.st_mode):
        return os.readlink(name, dir_fd=parent) != os.readlink(below)
    if not stat.S_ISREG(found.st_mode):
        return True
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    with os.fdopen(fd, "rb") as now, below.open("rb") as then:
        while piece := now.read(1 << 16):
            if piece != then.read(1 << 16):
                return True
    return False
