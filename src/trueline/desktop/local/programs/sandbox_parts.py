"""The two sandboxed programs, X server and session, and the processes below them."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress

from namespaces import map_ids, unshare_session

ARGUMENTS = 45
"""The descriptor from which a sandboxed program reads its arguments."""
TAIL = 2000
"""Bytes of error output that are kept."""


class SandboxPart:
    """One of the two sandboxed programs."""

    def __init__(
        self, name: str, argv: list[str], keep: tuple[int, ...], user: int, ids: list[list[int]] | None = None
    ) -> None:
        """Start it as a user of our namespace, with the descriptors in `keep` and its errors read by us.

        With `ids` it is the root of a user namespace of its own that maps these ids of ours.

        The arguments go through a pipe: what runs inside can read command lines and need not know our paths.
        """
        self.name = name
        self.tail = b""
        self.errors, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        arguments, feed = os.pipe2(os.O_CLOEXEC)
        split = argv.index("--")
        os.write(feed, "\0".join([*argv[1:split], ""]).encode())
        os.close(feed)
        os.dup2(arguments, ARGUMENTS, inheritable=False)
        os.close(arguments)
        keep = (*keep, ARGUMENTS)
        argv = [argv[0], "--args", str(ARGUMENTS), *argv[split:]]
        for fd in keep:
            os.set_inheritable(fd, True)
        self.pid = start(argv, user, {0: null, 1: null, 2: write}, ids)
        for fd in (*keep, write, null):
            os.close(fd)
        self.ended = os.pidfd_open(self.pid)

    def read_errors(self) -> bool:
        """Keep the end of what it wrote; False when there will be no more."""
        try:
            data = os.read(self.errors, 65536)
        except BlockingIOError:
            return True
        self.tail = (self.tail + data)[-TAIL:]
        return bool(data)

    def kill(self) -> None:
        """Kill process 1 of its namespace, and all of it with that, and wait until all are gone."""
        # Without a child it has only just begun, or ended already.
        for pid in children(self.pid) or [self.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not select.select([self.ended], [], [], 5)[0]:
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def start(argv: list[str], user: int, fds: dict[int, int], ids: list[list[int]] | None) -> int:
    """Start a program as a user of our namespace, who has no privilege there unless it is 0; or as root of its own."""
    unshared, tell = os.pipe2(os.O_CLOEXEC)
    wait, go = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid:
        os.close(tell)
        os.close(wait)
        if ids is not None and os.read(unshared, 1):
            map_ids(pid, ids)
            os.write(go, b"x")
        os.close(unshared)
        os.close(go)
        return pid
    try:
        os.close(go)
        if ids is not None:
            unshare_session()
            os.write(tell, b"x")
            if not os.read(wait, 1):
                os._exit(127)  # whoever started it is gone
            user = 0
            os.setgroups([])
            os.setresgid(0, 0, 0)
            os.setresuid(0, 0, 0)
        elif user:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        for theirs, ours in fds.items():
            os.dup2(ours, theirs)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(argv[0], argv)  # noqa: S606 - the plan's command line
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def children(pid: int) -> list[int]:
    """The processes a process started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """A process's children and theirs."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in children(waiting.pop()):
            found.append(child)
            waiting.append(child)
    return found


def program_of(pid: int) -> int:
    """The session a process is in: each program that is started gets one."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return pid


def core(part: SandboxPart) -> list[int]:
    """What a part is made of: process 1 of its namespace, the first it started, and what that one started."""
    outer = children(part.pid)
    first = [found[0] for pid in outer if (found := children(pid))]
    return [*outer, *first, *(child for pid in first for child in children(pid))]
