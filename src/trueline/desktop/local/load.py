"""What a process and all that it started have used of the machine, read from /proc."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> Iterator[int]:
    """A process's children and theirs, as far as they live."""
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        try:
            tasks = os.listdir(f"/proc/{parent}/task")
            found = [Path(f"/proc/{parent}/task/{task}/children").read_text("ascii").split() for task in tasks]
        except OSError:
            continue  # it ended while it was looked at
        for child in (int(word) for words in found for word in words):
            yield child
            waiting.append(child)


def processor_times(pid: int) -> dict[int, float]:
    """Seconds of processor time that each living descendant of a process has used."""
    return {child: _seconds(child) for child in descendants(pid)}


def used_between(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """Seconds of processor time used between two looks by what lives at the second."""
    return sum(max(0.0, seconds - before.get(pid, 0.0)) for pid, seconds in after.items())


def _seconds(pid: int) -> float:
    try:
        # The name stands in brackets and may hold anything; the numbers come after the last one.
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
