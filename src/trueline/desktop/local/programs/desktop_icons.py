"""What xfdesktop saved of its icons, and what lies in the Desktop folder, as one JSON text.

The agent runs this inside, where every path leads only to what the sandbox sees. Only plain files are opened, and only
so much of them is read: programs inside can put anything there.
"""

from __future__ import annotations

import json
import os
import stat
import time

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    class Icons(TypedDict):
        """The fields of the text; ages are in seconds."""

        layout: str | None
        layout_age: float
        folder_age: float
        names: list[str]
        launchers: dict[str, str]


MOST_NAMES, MOST_LAUNCHERS = 1000, 100
LAYOUT_LIMIT, LAUNCHER_LIMIT = 1 << 18, 1 << 14


def write_icons(layout: str, folder: str, fd: int) -> None:
    """Write the JSON text into an empty file."""
    text, layout_age = read_text(layout, LAYOUT_LIMIT)
    names = list_names(folder)
    launchers: dict[str, str] = {}
    for name in names:
        if name.endswith(".desktop") and len(launchers) < MOST_LAUNCHERS:
            launchers[name] = read_text(os.path.join(folder, name), LAUNCHER_LIMIT)[0] or ""
    found: Icons = {
        "layout": text,
        "layout_age": layout_age,
        "folder_age": age(folder),
        "names": names,
        "launchers": launchers,
    }
    with open(fd, "wb", closefd=False) as out:
        out.write(json.dumps(found).encode())


def list_names(folder: str) -> list[str]:
    """The names of what is not hidden in a folder."""
    found: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith(".") and not entry.name.endswith("~"):
                    found.append(entry.name)
                    if len(found) == MOST_NAMES:
                        break
    except OSError:
        pass  # there is no such folder
    return sorted(found)


def read_text(path: str, limit: int) -> tuple[str | None, float]:
    """The beginning of a plain file and its age; no text when there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None, 0.0
    with os.fdopen(fd, "rb") as source:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            return None, 0.0
        return source.read(limit).decode("utf-8", "surrogateescape"), time.time() - about.st_mtime


def age(path: str) -> float:
    """Seconds since a folder changed; a day when there is none."""
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:
        return 86400.0
