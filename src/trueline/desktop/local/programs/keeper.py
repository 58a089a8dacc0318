"""Builds one sandbox and keeps it: runs outside of it, in namespaces of its own, as an unprivileged user.

Started by `unshare` with new user, mount, network and IPC namespaces; the argument is the control socket
(SOCK_SEQPACKET, one JSON object a message). The first message says what to build and carries the session's channel.
When the control socket closes, however its owner ended, the sandbox is killed and this program ends: mounts, sockets
and memory go with the namespaces.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    class Plan(TypedDict):
        """What the host wants built."""

        work: str
        tmpfs: list[tuple[str, int, int]]
        etc: dict[str, str]
        addresses: list[str]
        template: str
        filter: str
        rlimits: dict[str, int]
        shared_memory: int
        niceness: int
        memory: int
        lifetime: float
        x_argv: list[str]
        session_argv: list[str]

    class Listen(TypedDict):
        """A socket the host wants on the sandbox's loopback."""

        id: int
        address: str
        port: int
        udp: bool


X_SECCOMP, X_READY, SECCOMP, READY, CHANNEL, ARGUMENTS = 40, 41, 42, 43, 44, 45
"""Descriptors with fixed numbers, which the command lines name."""
TAIL = 2000
MOUNT_FLAGS = 2 | 4  # MS_NOSUID | MS_NODEV
WATCH_CALM, WATCH_CLOSE = 0.5, 0.1
IPC_RMID = 0
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = resource.getpagesize()


class Part:
    """One of the two sandboxed programs."""

    def __init__(self, name: str, argv: list[str], keep: tuple[int, ...]) -> None:
        """Start it with the descriptors in `keep` and its errors read by us.

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
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, write, 2)]
        self.pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions, setsigdef=[signal.SIGPIPE])
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


def children(pid: int) -> list[int]:
    """The processes a process started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def resident(pid: int) -> int:
    """Bytes of memory that are a process's own."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            words = file.read().split()
        return (int(words[1]) - int(words[2])) * PAGE
    except (OSError, IndexError):
        return 0


def descendants(pid: int) -> list[int]:
    """A process's children and theirs."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in children(waiting.pop()):
            found.append(child)
            waiting.append(child)
    return found


def mount(kind: str, target: str, options: str) -> None:
    """Mount a file system or raise."""
    if LIBC.mount(kind.encode(), target.encode(), kind.encode(), MOUNT_FLAGS, options.encode()):
        number = ctypes.get_errno()
        raise OSError(number, f"mount {kind}: {os.strerror(number)}")


def loopback_up() -> None:
    """Bring the network's only interface up, and let any user bind low ports where that may be said."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(sock, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))
    try:
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w", encoding="ascii") as file:
            file.write("0")
    except OSError:
        pass  # in some containers /proc/sys is read-only: only programs inside that want low ports miss it


def own_addresses(addresses: list[str]) -> None:
    """Make addresses of the host our own: what is sent there from inside comes back and never reaches it."""
    import subprocess  # costs milliseconds, and few sandboxes have a way out

    lines = [f"addr add {address}/{128 if ':' in address else 32} dev lo" for address in addresses]
    done = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines).encode(), capture_output=True, check=False)  # noqa: S607
    if done.returncode:
        raise OSError(errno.EADDRNOTAVAIL, f"ip: {done.stderr.decode('utf-8', 'replace').strip()}")


def build(plan: Plan, channel: int) -> list[Part]:
    """Mount everything writable, set the limits, start the X server and the session."""
    work = plan["work"]
    mount("tmpfs", work, "size=4m,nr_inodes=1000,mode=0700")
    for name, size, inodes in plan["tmpfs"]:
        os.mkdir(f"{work}/{name}", 0o700)
        mount("tmpfs", f"{work}/{name}", f"size={size},nr_inodes={inodes},mode=0700")
    for name in ("etc", "home", "disk/upper", "disk/work"):
        os.mkdir(f"{work}/{name}", 0o755)
    for name, text in plan["etc"].items():
        with open(f"{work}/etc/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    mount(
        "overlay",
        f"{work}/home",
        f"lowerdir={plan['template']},upperdir={work}/disk/upper,workdir={work}/disk/work,userxattr",
    )
    loopback_up()
    if plan["addresses"]:
        own_addresses(plan["addresses"])
    # Set inside our user namespace, the number of processes is counted for this sandbox alone.
    for name, value in plan["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    with suppress(OSError), open("/proc/sys/kernel/shmall", "w", encoding="ascii") as file:  # older kernels refuse
        file.write(str(plan["shared_memory"] // PAGE))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("500")
    read, write = os.pipe2(os.O_CLOEXEC)
    filters = [os.open(plan["filter"], os.O_RDONLY | os.O_CLOEXEC) for _ in range(2)]
    for fd, number in zip((filters[0], write, filters[1], read, channel), range(X_SECCOMP, CHANNEL + 1), strict=True):
        os.dup2(fd, number, inheritable=False)
        os.close(fd)
    x = Part("X server", plan["x_argv"], (X_SECCOMP, X_READY))
    os.nice(plan["niceness"])
    return [x, Part("session", plan["session_argv"], (SECCOMP, READY, CHANNEL))]


def listen(request: Listen) -> socket.socket:
    """Make a socket on the sandbox's loopback that nothing inside holds."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if request["udp"] else socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((request["address"], request["port"]))
    if not request["udp"]:
        sock.listen(128)
    return sock


def send(control: socket.socket, message: dict[str, object], fds: list[int] | None = None) -> None:
    """Send one message; the host may be gone already."""
    with suppress(OSError):
        socket.send_fds(control, [json.dumps(message).encode()], fds or [])


def answer(control: socket.socket, request: Listen) -> None:
    """Do what the host asks."""
    try:
        with listen(request) as sock:
            send(control, {"id": request["id"]}, [sock.fileno()])
    except OSError as error:
        send(control, {"id": request["id"], "errno": error.errno, "error": os.strerror(error.errno or 0)})


def shared_segments() -> list[dict[str, int]]:
    """The segments of System V shared memory, as the kernel's table has them."""
    try:
        with open("/proc/sysvipc/shm", encoding="ascii") as file:
            names = file.readline().split()
            return [dict(zip(names, map(int, line.split()), strict=True)) for line in file]
    except OSError:
        return []


def watch(control: socket.socket, parts: list[Part], limit: int) -> float:
    """Kill the biggest program when all together hold too much; return the seconds until the next look.

    Shared memory counts for the program that made it. What no program holds, and no kill would free, goes first.
    """
    sizes = {pid: resident(pid) for part in parts for pid in descendants(part.pid)}
    total, forsaken = sum(sizes.values()), dict[int, int]()
    for segment in shared_segments():
        held = segment["rss"] + segment["swap"]
        total += held
        if segment["nattch"] == 0:
            forsaken[segment["shmid"]] = held
        elif segment["cpid"] in sizes:
            sizes[segment["cpid"]] += held
    if total > limit:
        for number, held in forsaken.items():
            LIBC.shmctl(number, IPC_RMID, None)
            total -= held
    if total > limit:
        biggest = max(sizes, key=sizes.__getitem__)
        with suppress(ProcessLookupError):
            os.kill(biggest, signal.SIGKILL)
        send(control, {"event": "memory", "total": total, "freed": sizes[biggest]})
    return WATCH_CLOSE if total > limit / 2 else WATCH_CALM


def keep(control: socket.socket, parts: list[Part], memory: int, lifetime: float) -> None:
    """Answer the host and watch until one of the parts ends, time is up, or the host is gone."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    ends = {part.ended: part for part in parts}
    outputs = {part.errors: part for part in parts}
    for fd in (*ends, *outputs):
        poll.register(fd, select.POLLIN)
    now = time.monotonic()
    until, look = now + lifetime, now + WATCH_CALM
    while True:
        ready = poll.poll(max(0.0, min(look, until) - time.monotonic()) * 1000 + 1)
        for fd, _ in ready:
            if fd == control.fileno():
                data = control.recv(65536)
                if not data:
                    return
                answer(control, json.loads(data))
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
        if now >= look:
            look = now + watch(control, parts, memory)


def main() -> None:
    """Build, keep, kill."""
    given = int(sys.argv[1])
    # It has the host's number, which may be one of those with a fixed meaning.
    control = socket.socket(fileno=fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, ARGUMENTS + 1))
    os.close(given)
    data, fds, _, _ = socket.recv_fds(control, 1 << 18, 1)
    if not data:
        return  # the host went before it said what to build
    plan: Plan = json.loads(data)
    try:
        parts = build(plan, fds[0])
    except OSError as error:
        send(control, {"event": "failed", "errno": error.errno or errno.EIO, "detail": str(error)})
        return
    send(control, {"event": "started"})
    try:
        keep(control, parts, plan["memory"], plan["lifetime"])
    finally:
        for part in parts:
            part.kill()


main()
