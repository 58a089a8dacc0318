"""The watch over a sandbox's memory: the biggest programs are killed when all together hold too much."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
from contextlib import suppress

from namespaces import LIBC
from sandbox_parts import SandboxPart, core, descendants, program_of

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from collections.abc import Callable

    Report = Callable[[dict[str, object]], None]

WATCH_CALM, WATCH_CLOSE = 0.5, 0.1
"""Seconds between two looks, and when more than half of the limit is used."""
MOST_PASSED, FEW_PASSED = 1024, 64
"""Limits of descriptors in transit: for a user that shares its id with other desktops, and what any may have."""
SHARED_EVERY = 10
"""Looks after which shared mappings are read again though nothing seems to have grown."""
ANONYMOUS = "/dev/zero (deleted)\n"
"""How the kernel calls memory that is shared and has no file."""
IPC_RMID = 0


class MemoryWatch:
    """Kills the biggest programs when all together hold too much memory.

    Shared memory counts for the programs that made it or have it. What no program holds, and no kill would free, goes
    first. A program of many small processes is killed as a whole. What the desktop itself is made of is spared, unless
    it is big: many small programs must not cost the X server its life.
    """

    def __init__(self, report: Report, parts: list[SandboxPart], limit: int, is_shared: bool) -> None:
        """Watch the programs of all parts, and report what was killed.

        `is_shared`: other desktops run as the same user, whose descriptors on their way this one must not use up.
        """
        self.is_shared = is_shared
        self.report = report
        self.parts = parts
        self.limit = limit
        self.looks = 0
        self.shared_seen = 0
        self.shared: dict[int, dict[str, int]] = {}
        """By process: what it shares without a file. It costs more to read, so it is read when it may have grown."""

    def look(self) -> float:
        """Look once; return the seconds until the next look."""
        pids = [pid for part in self.parts for pid in descendants(part.pid)]
        if self.is_shared and too_many_passed():
            self._free_descriptors(pids)
        memory = {pid: own_memory(pid) for pid in pids}
        self._read_shared(pids, sum(shared for _, shared in memory.values()))
        sizes = {pid: own + sum(self.shared.get(pid, {}).values()) for pid, (own, _) in memory.items()}
        once = {name: size for pid in pids for name, size in self.shared.get(pid, {}).items()}
        total = sum(own for own, _ in memory.values()) + sum(once.values())
        forsaken: dict[int, int] = {}
        for segment in shared_segments():
            held = segment["rss"] + segment["swap"]
            total += held
            if segment["nattch"] == 0:
                forsaken[segment["shmid"]] = held
            elif segment["cpid"] in sizes:
                sizes[segment["cpid"]] += held
        if total > self.limit:
            for number, held in forsaken.items():
                LIBC.shmctl(number, IPC_RMID, None)
                total -= held
        if total > self.limit:
            killed = self._kill(sizes, total - self.limit)
            freed = sum(sizes[pid] for pid in killed)
            self.report({"event": "memory", "total": total, "freed": freed, "pids": killed})
            self.looks = 0
        return WATCH_CLOSE if total > self.limit / 2 else WATCH_CALM

    def _kill(self, sizes: dict[int, int], excess: int) -> list[int]:
        """Kill the biggest programs until so many bytes are free; return the processes."""
        spared = {pid for part in self.parts for pid in core(part)}
        programs: dict[int, list[int]] = {}
        for pid, size in sizes.items():
            if pid not in spared or size > self.limit // 4:
                programs.setdefault(program_of(pid), []).append(pid)
        killed: list[int] = []
        for members in sorted(programs.values(), key=lambda pids: -sum(sizes[pid] for pid in pids)):
            if excess <= 0:
                break
            biggest = max(members, key=sizes.__getitem__)
            alone = sizes[biggest] * 4 >= sum(sizes[pid] for pid in members)
            for pid in [biggest] if alone else members:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                excess -= sizes[pid]
                killed.append(pid)
        return killed

    def _free_descriptors(self, pids: list[int]) -> None:
        """Kill the program for which the most descriptors are on their way, if they may be too many."""
        counts = {pid: passed_descriptors(pid) for pid in pids}
        most = max(counts, key=counts.__getitem__, default=0)
        if counts.get(most, 0) >= FEW_PASSED:
            with suppress(ProcessLookupError):
                os.kill(most, signal.SIGKILL)
            self.report(
                {"event": "descriptors", "total": sum(counts.values()), "freed": counts[most], "pids": [most]},
            )

    def _read_shared(self, pids: list[int], shared: int) -> None:
        grown = shared > self.shared_seen + self.limit // 20
        if grown or self.looks % SHARED_EVERY == 0 or sum(map(len, self.shared.values())) > 0:
            self.shared = {pid: found for pid in pids if (found := shared_mappings(pid))}
            self.shared_seen = shared
        self.looks += 1


def own_memory(pid: int) -> tuple[int, int]:
    """Bytes of memory that are a process's own, and those that it shares and no file on a disk holds."""
    found = {"RssAnon": 0, "VmSwap": 0, "RssShmem": 0}
    with suppress(OSError, ValueError), open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) << 10
    return found["RssAnon"] + found["VmSwap"], found["RssShmem"]


def shared_mappings(pid: int) -> dict[str, int]:
    """Sizes of memory a process shares without a file, by its number.

    What a program has touched and then let go of is held all the same and shows nowhere else, so the size counts.
    """
    found: dict[str, int] = {}
    with suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.endswith(ANONYMOUS):
                place, _, offset, device, inode, *_ = line.split()
                start, end = (int(word, 16) for word in place.split("-"))
                name = f"{device} {inode}"
                found[name] = max(found.get(name, 0), int(offset, 16) + end - start)
    return found


def shared_segments() -> list[dict[str, int]]:
    """The segments of System V shared memory, as the kernel's table has them."""
    try:
        with open("/proc/sysvipc/shm", encoding="ascii") as file:
            names = file.readline().split()
            return [dict(zip(names, map(int, line.split()), strict=True)) for line in file]
    except OSError:
        return []


def passed_descriptors(pid: int) -> int:
    """How many descriptors are on their way to a process: sent, and not received."""
    total = 0
    with suppress(OSError):
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            with suppress(OSError), open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("scm_fds:"))
    return total


def too_many_passed() -> bool:
    """Whether more than `MOST_PASSED` descriptors of this user are on their way, which the kernel tells who sends."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    left, right = socket.socketpair()
    with left, right:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(MOST_PASSED, hard), hard))
        try:
            socket.send_fds(left, [b"x"], [0])
        except OSError as error:
            return error.errno == errno.ETOOMANYREFS
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return False
