"""What a process and all that it started have used of the machine, read from /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

_TICKS = os.sysconf("SC_CLK_TCK")
_RUNNING = "R"
_ENDED = ("Z", "X")
_NO_TERMINAL = "0"
_LAUNCHERS = frozenset(
    {"openbox", "xfsettingsd", "xfce4-panel", "xfdesktop", "wrapper-2.0", "xfce4-appfinde", "Thunar"}
)
"""What starts programs for the user, by the names that the kernel cuts."""
_NO_ACCOUNT = b"0 0 0\n"
_ENOUGH = 1 << 16
"""Bytes; more than any of these files holds."""


def descendants(pid: int) -> Iterator[int]:
    """A process's children and theirs, as far as they live."""
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        try:
            found = [_read(f"{parent}/task/{task}/children").split() for task in _threads(parent)]
        except OSError:
            continue  # it ended while it was looked at
        for child in (int(word) for words in found for word in words):
            yield child
            waiting.append(child)


def processor_times(pid: int) -> dict[int, float]:
    """Seconds of processor time that each living descendant of a process has used."""
    return {child: _seconds(child) for child in descendants(pid)}


def used_between(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """Processor seconds used between two readings by the processes alive at the second."""
    return sum(max(0.0, seconds - before.get(pid, 0.0)) for pid, seconds in after.items())


class Sleepers:
    """Tells whether any descendant of a process has run since it last looked."""

    def __init__(self, pid: int, but: str) -> None:
        """Begin to look; programs of the name `but` do not count."""
        self._pid = pid
        self._but = but
        self._before: dict[str, bytes] | None = None

    def asleep(self) -> bool:
        """Whether all of them slept since the last call; always False where the system does not tell."""
        before, self._before = self._before, self._turns()
        return before is not None and before == self._before

    def _turns(self) -> dict[str, bytes] | None:
        """The turns of all processes together, as `turns` gives them for one."""
        turns: dict[str, bytes] = {}
        try:
            for pid in descendants(self._pid):
                name, fields = _stat(pid)
                if name == self._but:
                    continue
                if fields[0] == _RUNNING:
                    return None
                turns |= _turns(pid)
        except OSError:
            return None
        return turns


def launch_time() -> int:
    """Now, in the unit in which the kernel says when a process started."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS)


def is_launching(pid: int, since: int) -> bool:
    """Whether a descendant is launching a program, or has launched one since `launch_time` that still runs.

    What was launched descends from the window manager, the panel or the desktop; what is started in a terminal, or by
    an application for itself, does not. One of these that waits for a processor may be about to launch something.
    """
    parents: dict[int, int] = {}
    launchers: set[int] = set()
    for child in descendants(pid):
        try:
            name, fields = _stat(child)
        except OSError:
            continue  # it ended while it was looked at
        if name in _LAUNCHERS:
            launchers.add(child)
            if fields[0] == _RUNNING:
                return True
        if int(fields[19]) >= since and fields[4] == _NO_TERMINAL and fields[0] not in _ENDED:
            parents[child] = int(fields[1])
    return any(_launcher_of(child, parents) in launchers for child in parents)


def _launcher_of(pid: int, parents: Mapping[int, int]) -> int:
    """The first ancestor of a new process that is not new itself."""
    while pid in parents:
        pid = parents[pid]
    return pid


def named(pid: int, name: str) -> int | None:
    """The first descendant of a process that has this name; any program may call itself so."""
    for child in descendants(pid):
        with suppress(OSError):
            if _stat(child)[0] == name:
                return child
    return None


def turns(pid: int) -> Mapping[str, bytes] | None:
    """How often the threads of a process were scheduled so far: constant while it sleeps.

    `None` when it runs or waits to run, and where the system does not tell.
    """
    try:
        return None if _stat(pid)[1][0] == _RUNNING else _turns(pid)
    except OSError:
        return None


def _turns(pid: int) -> dict[str, bytes]:
    """Raises OSError, also where the system keeps no such account."""
    found = {thread: _read(f"{pid}/task/{thread}/schedstat") for thread in _threads(pid)}
    if _NO_ACCOUNT in found.values():
        raise OSError("the system does not count how often a process was scheduled")
    return found


def _seconds(pid: int) -> float:
    try:
        fields = _stat(pid)[1]
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _stat(pid: int) -> tuple[str, list[str]]:
    """A process's name and the fields after it; the name stands in brackets and may hold anything. Raises OSError."""
    before, _, after = _read(f"{pid}/stat").decode("utf-8", "replace").rpartition(")")
    return before.partition("(")[2], after.split()


def _threads(pid: int) -> list[str]:
    return os.listdir(f"/proc/{pid}/task")


def _read(name: str) -> bytes:
    """A file below /proc, without what Python's files cost: hundreds are read many times a second. Raises OSError."""
    fd = os.open(f"/proc/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, _ENOUGH)
    finally:
        os.close(fd)
