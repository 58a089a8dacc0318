"""Builds one sandbox, answers the host and watches until it ends.

Runs outside of the sandbox, in namespaces of its own, as an unprivileged user.
Arguments: the control socket (SOCK_SEQPACKET, one JSON object a message) and, if the desktop has a block of ids of its
own, a descriptor that holds the block while it is open. It makes new user, mount, network and IPC namespaces and says
so; then the host gives the user namespace its ids. The first message says what to build and carries the session's
channel. When the control socket closes, however its owner ended, the sandbox is killed and this program ends: mounts,
sockets and memory go with the namespaces.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]  # isolated mode leaves it out
from build_sandbox import build  # noqa: E402
from memory_watch import WATCH_CALM, MemoryWatch  # noqa: E402
from namespaces import (  # noqa: E402
    LIBC,
    MS_PRIVATE,
    MS_REC,
    PR_SET_PDEATHSIG,
    become_root,
    map_one_id,
    mount,
    unshare,
)
from sandbox_parts import ARGUMENTS  # noqa: E402

del sys.path[0]

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    from build_sandbox import SandboxPlan
    from sandbox_parts import SandboxPart

    class Request(TypedDict):
        """What the host asks for; which fields there are depends on `op`."""

        id: int
        op: str
        address: str
        port: int
        udp: bool


PASS_LIMIT, PASS_AGAIN = 3.0, 0.01
"""Seconds for which it is tried to pass a descriptor while this user keeps too many on their way."""

HELPERS: set[int] = set()
"""Processes of ours that do something for the host."""


def listen(request: Request) -> socket.socket:
    """Make a socket on the sandbox's loopback that nothing inside holds."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if request["udp"] else socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((request["address"], request["port"]))
    if not request["udp"]:
        sock.listen(128)
    return sock


def send(control: socket.socket, message: dict[str, object], fds: list[int] | None = None) -> None:
    """Send one message; the host may be gone already."""
    end = time.monotonic() + PASS_LIMIT
    while True:
        try:
            socket.send_fds(control, [json.dumps(message).encode()], fds or [])
            return
        except OSError as error:
            if error.errno != errno.ETOOMANYREFS:
                return
            if time.monotonic() > end:
                raise
        time.sleep(PASS_AGAIN)


def answer(control: socket.socket, request: Request, fds: list[int], plan: SandboxPlan, session: int) -> None:
    """Do what the host asks; the session descends from the process `session`."""
    try:
        if request["op"] == "change_log":
            open_change_log(plan, fds[0], session)
            send(control, {"id": request["id"]})
            return
        if request["op"] in ("changes", "contents", "system_changes"):
            send(control, {"id": request["id"]})
            tell_files(plan, request["op"], fds[0])
            return
        with listen(request) as sock:
            send(control, {"id": request["id"]}, [sock.fileno()])
    except OSError as error:
        send(control, {"id": request["id"], "errno": error.errno, "error": os.strerror(error.errno or 0)})
    finally:
        for fd in fds:
            os.close(fd)


def tell_files(plan: SandboxPlan, what: str, fd: int) -> None:
    """Tell what changed in the home folder or elsewhere, or what files hold, from a process of its own if possible."""
    sys.path[:0] = [plan["programs"]]
    from changes import send_changes
    from contents import send_contents
    from root_system import layers

    del sys.path[0]
    upper, lower = f"{plan['work']}/disk/upper", f"{plan['work']}/template"
    root = plan["root"]

    def tell() -> None:
        if what == "changes":
            send_changes([(upper, lower, "", root is not None)], os.dup(fd))
        elif what == "system_changes":
            send_changes([] if root is None else layers(plan["work"], root), os.dup(fd))
        else:
            send_contents(upper, os.dup(fd))

    try:
        pid = os.fork()
    except OSError:  # programs inside have taken all processes there may be
        with suppress(OSError):  # whoever asked may be gone
            tell()
        return
    if pid == 0:
        try:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            tell()
        finally:
            os._exit(0)
    HELPERS.add(pid)


def open_change_log(plan: SandboxPlan, fd: int, session: int) -> None:
    """Start the process that compares what there is from look to look; it ends when its connection is closed.

    Raises:
        OSError: There is no room for another process.
    """
    sys.path[:0] = [plan["programs"]]
    from change_log import serve
    from root_system import layers

    del sys.path[0]
    pid = os.fork()
    if pid == 0:
        try:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            work = plan["work"]
            temporary = {path: f"{work}/{name}" for path, name in plan["temporary"].items()}
            system = [] if plan["root"] is None else layers(work, plan["root"])
            serve(os.dup(fd), (f"{work}/disk/upper", f"{work}/template"), temporary, system, session)
        finally:
            os._exit(0)
    HELPERS.add(pid)


def reap_helpers() -> None:
    """Take note of our own processes that have ended."""
    for pid in tuple(HELPERS):
        if os.waitpid(pid, os.WNOHANG)[0]:
            HELPERS.discard(pid)


def keep(control: socket.socket, parts: list[SandboxPart], plan: SandboxPlan) -> None:
    """Answer the host and watch until one of the parts ends, time is up, or the host is gone."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    ends = {part.ended: part for part in parts}
    outputs = {part.errors: part for part in parts}
    for fd in (*ends, *outputs):
        poll.register(fd, select.POLLIN)
    now = time.monotonic()
    lifetime = plan["lifetime"]
    watch = MemoryWatch(lambda event: send(control, event), parts, plan["memory"], is_shared=not plan["user"])
    until, look = now + lifetime, now + WATCH_CALM
    while True:
        ready = poll.poll(max(0.0, min(look, until) - time.monotonic()) * 1000 + 1)
        for fd, _ in ready:
            if fd == control.fileno():
                data, fds, _, _ = socket.recv_fds(control, 65536, 1)
                if not data:
                    return
                answer(control, json.loads(data), fds, plan, parts[1].pid)
            elif fd in outputs:
                if not outputs[fd].read_errors():
                    poll.unregister(fd)
            elif fd in ends:
                part = ends[fd]
                part.read_errors()
                send(control, {"event": "ended", "part": part.name, "detail": part.tail.decode("utf-8", "replace")})
                return
        now = time.monotonic()
        if now >= until:
            send(control, {"event": "ended", "part": "time", "detail": f"its {lifetime:g} seconds are over"})
            return
        reap_helpers()
        if now >= look:
            look = now + watch.look()


def main() -> None:
    """Build, keep, kill."""
    # They have the host's numbers, which may be some of those with a fixed meaning.
    moved = [fcntl.fcntl(int(word), fcntl.F_DUPFD_CLOEXEC, ARGUMENTS + 1) for word in sys.argv[1:]]
    for word in sys.argv[1:]:
        os.close(int(word))
    control, has_block = socket.socket(fileno=moved[0]), len(moved) > 1
    os.umask(0o022)
    try:
        uid, gid = os.geteuid(), os.getegid()
        unshare()
        if not has_block:
            map_one_id(uid, gid)
        send(control, {"event": "unshared"})
        data, fds, _, _ = socket.recv_fds(control, 1 << 18, 1)
        if not data:
            return  # the host went before it said what to build
        if has_block:
            become_root()
        mount("", "none", "/", "", MS_REC | MS_PRIVATE)
        plan: SandboxPlan = json.loads(data)
        parts = build(plan, fds[0])
    except OSError as error:
        send(control, {"event": "failed", "errno": error.errno or errno.EIO, "detail": str(error)})
        return
    send(control, {"event": "started"})
    try:
        keep(control, parts, plan)
    finally:
        for part in parts:
            part.kill()


main()
