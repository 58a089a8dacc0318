"""Does inside the sandbox what the host asks: start programs, open files, connect to sockets.

The host speaks over a channel (SOCK_SEQPACKET, one JSON object a message, descriptors beside it). Opened files and
connected sockets are handed to the host, so every path is looked up here, where only the sandbox is visible. Nothing
here waits: a program's end is reported when it comes.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import select
import signal
import socket
import stat
import sys
import time

CONNECT_LIMIT = 2.0
LONGEST_REASON = 500
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.pyz")
MOST_DESCRIPTORS = 1 << 16
PR_SET_NAME = 15
LIBC = ctypes.CDLL(None)
PASS_LIMIT, PASS_AGAIN = 3.0, 0.01
"""Seconds for which it is tried to pass a descriptor, and from one try to the next."""

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    class Request(TypedDict):
        """What the host asks for; which fields there are depends on `op`."""

        id: int
        op: str
        argv: list[str]
        env: dict[str, str]
        cwd: str
        target: int
        display: str
        path: str
        write: bool
        mode: int
        port: int


class SandboxAgent:
    """The channel and the programs that run for it."""

    def __init__(self, channel: socket.socket) -> None:
        """Start with no programs."""
        self.channel = channel
        self.poll = select.poll()
        self.poll.register(channel, select.POLLIN)
        self.running: dict[int, tuple[int, int]] = {}
        """Request and process by the descriptor that tells of its end."""

    def reply(self, message: dict[str, object], fds: tuple[int, ...] = ()) -> None:
        """Send one message; when the host is gone there is nothing left to do here.

        Raises:
            OSError: Programs of this user keep too many descriptors on their way; it was tried again for a while.
        """
        end = time.monotonic() + PASS_LIMIT
        while True:
            try:
                socket.send_fds(self.channel, [json.dumps(message).encode()], list(fds))
                return
            except OSError as error:
                if error.errno != errno.ETOOMANYREFS:
                    sys.exit(0)
                if time.monotonic() > end:
                    raise
            time.sleep(PASS_AGAIN)

    def spawn(self, request: Request, fds: list[int]) -> dict[str, object]:
        """Start a program in a session of its own, its input and outputs being the host's pipes."""
        argv = request["argv"]
        os.chdir(request["cwd"])
        try:
            pid = os.posix_spawnp(
                argv[0],
                argv,
                {**os.environ, **request["env"]},
                file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(fds)],
                setsid=True,
                setsigmask=[],
                setsigdef=[signal.SIGPIPE, signal.SIGINT, signal.SIGTERM],
            )
        finally:
            os.chdir("/")
        return self.watch(request, pid)

    def start_worker(self, request: Request, fds: list[int]) -> dict[str, object]:
        """Start the process that runs action code for the host, which speaks to it over the socket that came.

        It is forked, never executed: as our copy it is closed to others of the same user from its first moment on.
        """
        pid = os.fork()
        if pid == 0:
            try:
                be_worker(fds[0], request["display"])
            finally:
                os._exit(1)
        return self.watch(request, pid)

    def watch(self, request: Request, pid: int) -> dict[str, object]:
        """Take note of a program that was started; its end is reported."""
        ended = os.pidfd_open(pid)
        self.running[ended] = (request["id"], pid)
        self.poll.register(ended, select.POLLIN)
        return {"pid": pid}

    def kill(self, request: Request) -> dict[str, object]:
        """Kill the process group of an earlier request."""
        for number, pid in self.running.values():
            if number == request["target"]:
                os.killpg(pid, signal.SIGKILL)
        return {}

    def reap(self, ended: int) -> None:
        """Report that a program has ended."""
        number, pid = self.running.pop(ended)
        self.poll.unregister(ended)
        os.close(ended)
        _, status = os.waitpid(pid, 0)
        self.reply({"event": "exit", "request": number, "returncode": os.waitstatus_to_exitcode(status)})

    def open(self, request: Request) -> tuple[dict[str, object], tuple[int, ...]]:
        """Open a plain file for the host."""
        path, mode = request["path"], request["mode"]
        flags = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        if request["write"]:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            fd = os.open(path, flags | os.O_WRONLY | os.O_CREAT, mode)
        else:
            fd = os.open(path, flags | os.O_RDONLY)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "not a plain file")
            if request["write"]:
                os.ftruncate(fd, 0)
                os.fchmod(fd, mode)
        except OSError:
            os.close(fd)
            raise
        return {}, (fd,)

    def connect(self, request: Request) -> tuple[dict[str, object], tuple[int, ...]]:
        """Connect to a unix socket or a loopback port for the host."""
        local = "path" in request
        family = socket.AF_UNIX if local else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            sock.settimeout(CONNECT_LIMIT)
            sock.connect(request["path"] if local else ("127.0.0.1", request["port"]))
            sock.setblocking(True)
            return {}, (sock.detach(),)

    def do(self, request: Request, fds: list[int]) -> tuple[dict[str, object], tuple[int, ...]]:
        """Do one request; return what to answer and what to hand over."""
        match request["op"]:
            case "spawn":
                return self.spawn(request, fds), ()
            case "worker":
                return self.start_worker(request, fds), ()
            case "kill":
                return self.kill(request), ()
            case "open":
                return self.open(request)
            case "connect":
                return self.connect(request)
            case _:
                return {"exists": os.path.lexists(request["path"])}, ()

    def handle(self, request: Request, fds: list[int]) -> None:
        """Answer one request; what fails is the host's to judge."""
        given: tuple[int, ...] = ()
        try:
            message, given = self.do(request, fds)
            self.reply({"id": request["id"], **message}, given)
        except OSError as error:
            self.refuse(request, error.errno or errno.EIO, error.strerror or str(error))
        except Exception as error:  # whatever is wrong with one request, the others' programs go on
            self.refuse(request, errno.EINVAL, str(error))
        finally:
            for fd in (*fds, *given):
                os.close(fd)

    def refuse(self, request: Request, number: int, why: str) -> None:
        """Answer that a request failed; names in the reason may hold what is not text."""
        said = why.encode("ascii", "backslashreplace").decode()
        self.reply({"id": request["id"], "errno": number, "error": said[:LONGEST_REASON]})

    def serve(self) -> None:
        """Serve until the host is gone."""
        self.reply({"event": "ready"})
        while True:
            for fd, _ in self.poll.poll():
                if fd in self.running:
                    self.reap(fd)
                    continue
                data, fds, _, _ = socket.recv_fds(self.channel, 1 << 18, 3)
                if not data:
                    return
                for passed in fds:
                    os.set_inheritable(passed, False)
                self.handle(json.loads(data), fds)


def be_worker(connection: int, display: str) -> None:
    """Run the worker in this process, which has nothing but the connection."""
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for ours, theirs in ((connection, 0), (null, 1), (null, 2)):
        os.dup2(ours, theirs)
    os.closerange(3, MOST_DESCRIPTORS)
    os.chdir(os.environ["HOME"])
    LIBC.prctl(PR_SET_NAME, b"worker", 0, 0, 0)
    sys.path.insert(0, WORKER)
    from trueline.desktop.worker.inside.serve import main

    main(display)


def serve(channel: int) -> None:
    """Serve the host over a channel until it is gone."""
    sock = socket.socket(fileno=channel)
    sock.set_inheritable(False)
    SandboxAgent(sock).serve()
