"""Control groups around one sandbox, where this user may make them: limits that the kernel itself keeps.

Elsewhere the limits inside the sandbox and the supervisor's watch hold alone. The groups lie below one that this
process is in, so whatever limits that one limits the desktops too.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trueline.desktop.local.janitor import Janitor
from trueline.desktop.local.options import ResourceLimits

ROOT = Path("/sys/fs/cgroup")
_PERIOD = 100_000
_REMOVE = """
for group; do
  tries=0
  until rmdir "$group" 2>/dev/null || [ ! -d "$group" ] || [ "$tries" -ge 250 ]; do
    tries=$((tries + 1)); sleep 0.02
  done
done
"""
_numbers = itertools.count(1)


@dataclass(frozen=True)
class ControlGroup:
    """A group to make: where, and what is written into its files."""

    parent: Path
    settings: Mapping[str, str]


class ControlGroups:
    """The groups of one sandbox; whoever ends last, they are removed."""

    def __init__(self, kind: str, folders: list[Path]) -> None:
        """Take over folders that were just made."""
        self.kind = kind
        """`cgroup v1` or `cgroup v2`."""
        self.folders = folders
        self._janitor = Janitor("", _REMOVE, *map(str, folders))

    def add(self, pid: int) -> None:
        """Put a process into them; what it starts stays in them. Raises OSError."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def finish(self) -> None:
        """Remove them; they must be empty by now."""
        self._janitor.finish()


def make_groups(limits: ResourceLimits, tmpfs: int, root: Path = ROOT, own: str | None = None) -> ControlGroups | None:
    """Make the groups for one sandbox; None where this user may not, or the machine has none.

    `tmpfs` is what its file systems in memory may hold, which counts as memory here. `own` is /proc/self/cgroup.
    """
    own = Path("/proc/self/cgroup").read_text("utf-8") if own is None else own
    kind, wanted = plan_groups(limits, tmpfs, root, own)
    name = f"trueline-{os.getpid()}-{next(_numbers)}"
    made: list[Path] = []
    try:
        for group in wanted:
            folder = group.parent / name
            folder.mkdir()
            made.append(folder)
            for file, value in group.settings.items():
                (folder / file).write_text(value)
        return ControlGroups(kind, made) if made else None
    except OSError:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        return None


def plan_groups(limits: ResourceLimits, tmpfs: int, root: Path, own: str) -> tuple[str, list[ControlGroup]]:
    """Which groups to make, from what /proc/self/cgroup says; none unless memory and processes can be limited."""
    memory, pids = str(limits.memory + tmpfs), str(limits.processes)
    quota = None if limits.processors is None else int(limits.processors * _PERIOD)
    places = {
        name: path for _, names, path in (line.split(":", 2) for line in own.splitlines()) for name in names.split(",")
    }
    if "memory" in places and "pids" in places:
        settings = {"memory": {"memory.limit_in_bytes": memory}, "pids": {"pids.max": pids}}
        if quota is not None:
            settings["cpu"] = {"cpu.cfs_quota_us": str(quota)}
        groups = [
            ControlGroup(root / name / places.get(name, "/").lstrip("/"), files) for name, files in settings.items()
        ]
        return "cgroup v1", groups
    parent = _delegated(root, root / places.get("", "/").lstrip("/"))
    if parent is None:
        return "", []
    files = {"memory.max": memory, "pids.max": pids}
    if quota is not None:
        files["cpu.max"] = f"{quota} {_PERIOD}"
    return "cgroup v2", [ControlGroup(parent, files)]


def _delegated(root: Path, own: Path) -> Path | None:
    """The nearest group, from our own upwards, that hands the limits on and that we may write."""
    for folder in (own, *own.parents):
        with suppress(OSError):
            handed = (folder / "cgroup.subtree_control").read_text("ascii").split()
            if {"memory", "pids"} <= set(handed) and os.access(folder, os.W_OK):
                return folder
        if folder == root:
            break
    return None
