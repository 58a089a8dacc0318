"""The user that owns the sandbox, and the folder of its read-only parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueline.desktop.types import DesktopUnavailable

OWNER = 1_900_000_000
"""The user of the sandbox when the host process is root: no account has it, no file of the machine is its own."""
SMALL_OWNER = 64_321
"""The same inside a container that maps fewer users."""
WORK_PLACES = ("/mnt", "/media", "/srv", "/opt", "/home")
"""Folders that exist on any Linux; in the sandbox's own mount namespace one of them is covered by its work area."""


@dataclass(frozen=True)
class Owner:
    """The unprivileged user that builds and runs sandboxes."""

    uid: int
    gid: int
    drop: bool
    """The host process is root and must become this user first."""


def pick_owner(euid: int, egid: int, uid_map: str) -> Owner:
    """Return the caller itself, or for root a user of its own. `uid_map` is /proc/self/uid_map."""
    if euid != 0:
        return Owner(euid, egid, drop=False)
    ranges = [tuple(int(word) for word in line.split()) for line in uid_map.splitlines() if line.strip()]
    for uid in (OWNER, SMALL_OWNER):
        if any(first <= uid < first + count for first, _, count in ranges):
            return Owner(uid, uid, drop=True)
    raise DesktopUnavailable("root here maps too few users to drop to one; run as an ordinary user instead")


def owner() -> Owner:
    """The owner for this process."""
    return pick_owner(os.geteuid(), os.getegid(), Path("/proc/self/uid_map").read_text("ascii"))


def cache_folder(environ: Mapping[str, str] = os.environ, euid: int | None = None) -> Path:
    """The cache folder: $TRUELINE_CACHE_DIR, the user's cache folder, or for root one that all can read."""
    own = environ.get("TRUELINE_CACHE_DIR")
    if own:
        base = Path(own).expanduser().absolute()
    elif (os.geteuid() if euid is None else euid) == 0:
        base = Path("/var/cache/trueline")
    else:
        shared = Path(environ.get("XDG_CACHE_HOME", ""))
        base = (shared if shared.is_absolute() else Path("~/.cache").expanduser()) / "trueline"
    if any(c in ':,\\"' or c < " " for c in str(base)):
        raise DesktopUnavailable(f"{base}: a cache folder for desktops may not have : , \\ or quotes in its path")
    return base / "desktop"


def work_place(*needed: Path) -> str:
    """A folder to cover that hides none of the paths needed."""
    for place in map(Path, WORK_PLACES):
        if place.is_dir() and not any(path.resolve().is_relative_to(place.resolve()) for path in needed):
            return str(place)
    raise DesktopUnavailable(
        f"the cache folder hides all of {', '.join(WORK_PLACES)}; set TRUELINE_CACHE_DIR elsewhere"
    )
